/// Version 5000: models are at the top level, name their children, and contain their mesh, materials
/// and skin.
#include "io/fbx/scene.h"

static const lmbi_word no_property = {NULL, 0};

/// The identifier of a part of a model, hashed from the model's.
static int64_t part_id(int64_t model, uint64_t part)
{
    return (int64_t)((uint64_t)model * 31 + part);
}

/// Adds an object that belongs to another.
static lmb_result add_part(lmbi_fbx_scene *scene, lmbi_fbx_kind kind, int64_t id,
                           const lmbi_fbx_node *node, uint32_t owner, uint32_t *index)
{
    const lmb_result result =
        lmbi_fbx_scene_add(scene, id, kind, lmbi_fbx_text(node, 0), node, index);
    return result == LMB_OK ? lmbi_fbx_scene_link(scene, *index, owner, no_property) : result;
}

/// Link: the bone's name, then its cluster.
static lmb_result add_link(lmbi_fbx_scene *scene, const lmbi_fbx_node *link, uint32_t skin,
                           uint64_t part)
{
    uint32_t cluster;
    const int64_t id = part_id(scene->objects[skin].id, part);
    lmb_result result = add_part(scene, LMBI_FBX_CLUSTER, id, link, skin, &cluster);
    const int32_t bone = lmbi_fbx_scene_find(scene, lmbi_fbx_name_id(lmbi_fbx_text(link, 0)));
    if (result == LMB_OK && bone > 0 && scene->objects[bone].kind == LMBI_FBX_MODEL) {
        result = lmbi_fbx_scene_link(scene, (uint32_t)bone, cluster, no_property);
    }
    return result;
}

static lmb_result add_mesh(lmbi_fbx_scene *scene, uint32_t model)
{
    const lmbi_fbx_node *node = scene->objects[model].node;
    const int64_t id = scene->objects[model].id;
    if (!lmbi_fbx_child(node, "Vertices") || !lmbi_fbx_child(node, "PolygonVertexIndex")) {
        return LMB_OK;
    }
    uint32_t mesh, skin = 0, other;
    lmb_result result = add_part(scene, LMBI_FBX_MESH, part_id(id, 2), node, model, &mesh);
    if (result == LMB_OK) {
        result = lmbi_fbx_scene_add_shapes(scene, mesh, node);
    }
    uint64_t part = 8;
    for (const lmbi_fbx_node *child = node->child; child && result == LMB_OK; child = child->next) {
        if (lmbi_fbx_is(child, "Material")) {
            result = add_part(scene, LMBI_FBX_MATERIAL, part_id(id, part++), child, model, &other);
        } else if (lmbi_fbx_is(child, "Link")) {
            if (skin == 0) {
                result = add_part(scene, LMBI_FBX_SKIN, part_id(id, 4), node, mesh, &skin);
            }
            if (result == LMB_OK) {
                result = add_link(scene, child, skin, part++);
            }
        }
    }
    return result;
}

static lmb_result add_children(lmbi_fbx_scene *scene, uint32_t model)
{
    const lmbi_fbx_node *children = lmbi_fbx_child(scene->objects[model].node, "Children");
    for (uint32_t i = 0; children && i < children->value_count; ++i) {
        const int32_t child =
            lmbi_fbx_scene_find(scene, lmbi_fbx_name_id(lmbi_fbx_text(children, i)));
        if (child <= 0 || (uint32_t)child == model) {
            continue;
        }
        const lmb_result result = lmbi_fbx_scene_link(scene, (uint32_t)child, model, no_property);
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}

lmb_result lmbi_fbx_scene_legacy(lmbi_fbx_scene *scene)
{
    lmb_result result = LMB_OK;
    for (const lmbi_fbx_node *node = scene->fbx->root.child; node && result == LMB_OK;
         node = node->next) {
        if (lmbi_fbx_is(node, "Model")) {
            const lmbi_word name = lmbi_fbx_text(node, 0);
            result =
                lmbi_fbx_scene_add(scene, lmbi_fbx_name_id(name), LMBI_FBX_MODEL, name, node, NULL);
        }
    }
    const uint32_t models = (uint32_t)scene->count;
    for (uint32_t i = 1; i < models && result == LMB_OK; ++i) {
        result = add_children(scene, i);
        if (result == LMB_OK) {
            result = add_mesh(scene, i);
        }
    }
    return result;
}
