/// Which models use which geometry, and which of them can share a mesh.
#include <string.h>

#include "io/fbx/mesh.h"

static lmb_result build_mesh(lmbi_fbx_scene *scene, const lmbi_fbx_models *models,
                             const int32_t *look_of, lmbi_fbx_mesh *mesh)
{
    mesh->skin = lmbi_fbx_scene_source(scene, mesh->geometry, LMBI_FBX_SKIN, 0);
    if (mesh->skin == LMB_NONE &&
        scene->fbx->version < 7000) { // skins are connected to models there
        mesh->skin =
            lmbi_fbx_scene_source(scene, models->items[mesh->model].object, LMBI_FBX_SKIN, 0);
    }
    lmb_result result = lmbi_fbx_mesh_build(scene, models, look_of, mesh);
    if (result == LMB_OK) {
        result = lmbi_fbx_shapes_build(scene, models, mesh);
    }
    return result == LMB_OK && mesh->skin != LMB_NONE ? lmbi_fbx_skin_build(scene, models, mesh)
                                                      : result;
}

/// Whether two models list the same materials.
static bool same_materials(const lmbi_fbx_scene *scene, uint32_t a, uint32_t b)
{
    uint32_t i = scene->link_first[a], j = scene->link_first[b];
    for (;;) {
        while (i < scene->link_first[a + 1] &&
               scene->objects[scene->links[i].from].kind != LMBI_FBX_MATERIAL) {
            ++i;
        }
        while (j < scene->link_first[b + 1] &&
               scene->objects[scene->links[j].from].kind != LMBI_FBX_MATERIAL) {
            ++j;
        }
        const bool end_a = i == scene->link_first[a + 1], end_b = j == scene->link_first[b + 1];
        if (end_a || end_b) {
            return end_a && end_b;
        }
        if (scene->links[i++].from != scene->links[j++].from) {
            return false;
        }
    }
}

/// An existing mesh of this geometry with the same materials and geometric transform.
static uint32_t find_mesh(const lmbi_fbx_scene *scene, const lmbi_fbx_models *models,
                          const lmbi_fbx_meshes *meshes, const uint32_t *first_of,
                          uint32_t geometry, uint32_t model)
{
    const uint32_t found = first_of[geometry];
    if (found == 0) {
        return meshes->count;
    }
    const lmbi_fbx_model *a = &models->items[meshes->items[found - 1].model],
                         *b = &models->items[model];
    const bool same =
        memcmp(&a->mesh_from_geometry, &b->mesh_from_geometry, sizeof a->mesh_from_geometry) == 0 &&
        same_materials(scene, a->object, b->object);
    return same ? found - 1 : meshes->count;
}

static lmb_result add_use(lmbi_fbx_scene *scene, const lmbi_fbx_models *models,
                          const int32_t *look_of, uint32_t geometry, uint32_t model,
                          uint32_t *first_of, lmbi_fbx_meshes *meshes)
{
    const lmbi_fbx_node *node = scene->objects[geometry].node;
    if (!lmbi_fbx_child(node, "Vertices") || !lmbi_fbx_child(node, "PolygonVertexIndex")) {
        lmbi_note(scene->fbx->notes, 0, "geometry %.40s holds no polygons and is left out",
                  scene->objects[geometry].name);
        return LMB_OK;
    }
    const uint32_t mesh = find_mesh(scene, models, meshes, first_of, geometry, model);
    if (mesh == meshes->count) {
        meshes->items[mesh] =
            (lmbi_fbx_mesh){.geometry = geometry, .model = model, .skin = LMB_NONE};
        const lmb_result result = build_mesh(scene, models, look_of, &meshes->items[mesh]);
        if (result != LMB_OK) {
            return result;
        }
        if (meshes->items[mesh].def.primitive_count == 0) {
            lmbi_note(scene->fbx->notes, 0, "mesh %.40s has no faces and is left out",
                      meshes->items[mesh].def.name);
            return LMB_OK;
        }
        ++meshes->count;
        first_of[geometry] = first_of[geometry] ? first_of[geometry] : mesh + 1;
    }
    meshes->uses[meshes->use_count++] = (lmbi_fbx_use){mesh, model};
    return LMB_OK;
}

lmb_result lmbi_fbx_meshes_make(lmbi_fbx_scene *scene, const lmbi_fbx_models *models,
                                const int32_t *look_of, lmbi_fbx_meshes *meshes)
{
    lmbi_arena *arena = &scene->fbx->arena;
    size_t most = 0;
    for (uint32_t m = 0; m < models->count; ++m) {
        const uint32_t object = models->items[m].object;
        most += scene->link_first[object + 1] - scene->link_first[object];
    }
    uint32_t *first_of = lmbi_arena_array(arena, scene->count, sizeof *first_of);
    meshes->items = lmbi_arena_array(arena, most, sizeof *meshes->items);
    meshes->uses = lmbi_arena_array(arena, most, sizeof *meshes->uses);
    if (!first_of || !meshes->items || !meshes->uses) {
        return lmbi_fail_memory(scene->fbx->error);
    }
    for (uint32_t m = 0; m < models->count; ++m) {
        const uint32_t object = models->items[m].object;
        for (uint32_t i = scene->link_first[object]; i < scene->link_first[object + 1]; ++i) {
            const uint32_t from = scene->links[i].from;
            if (scene->objects[from].kind != LMBI_FBX_MESH) {
                continue;
            }
            const lmb_result result = add_use(scene, models, look_of, from, m, first_of, meshes);
            if (result != LMB_OK) {
                return result;
            }
        }
    }
    return LMB_OK;
}
