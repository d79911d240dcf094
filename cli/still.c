/// A pose as a character that does not move: deformed meshes, without skins and targets.
#include "cli/still.h"

#include <stdlib.h>
#include <string.h>

// ----------------------------------------------------------------------------------- still meshes

/// Which vertices of the pool the still mesh has, in its order.
typedef struct gather {
    uint32_t count;
    uint32_t *from; ///< NULL: all, in order
} gather;

/// A viewer gives every primitive of a glTF mesh the vertices of its own accessors, also where
/// primitives have them in common. Meshes of other formats keep the order of the file.
static gather plan_gather(const lmb_mesh *mesh, bool by_primitive)
{
    gather plan = {mesh->vertex_count, NULL};
    if (!by_primitive || mesh->primitive_count == 0) {
        return plan;
    }
    size_t count = 0;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        count += mesh->primitives[p].vertex_count;
    }
    plan.from = cli_resize(NULL, count, sizeof(*plan.from));
    plan.count = 0;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        for (uint32_t v = 0; v < mesh->primitives[p].vertex_count; ++v) {
            plan.from[plan.count++] = mesh->primitives[p].first_vertex + v;
        }
    }
    return plan;
}

static void *gathered(const gather *plan, const void *source, size_t size)
{
    if (source == NULL) {
        return NULL;
    }
    char *out = cli_resize(NULL, plan->count, size);
    for (uint32_t v = 0; v < plan->count; ++v) {
        const size_t from = plan->from != NULL ? plan->from[v] : v;
        memcpy(out + v * size, (const char *)source + from * size, size);
    }
    return out;
}

static void still_primitives(const lmb_mesh *mesh, const gather *plan, lmb_mesh *still)
{
    still->primitives = cli_resize(NULL, mesh->primitive_count, sizeof(*still->primitives));
    still->indices = cli_resize(NULL, mesh->index_count, sizeof(*still->indices));
    uint32_t base = 0;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const lmb_primitive *old = &mesh->primitives[p];
        lmb_primitive *now = &still->primitives[p];
        *now = *old;
        now->attributes &= ~(uint32_t)LMB_HAS_INFLUENCES;
        now->carried = NULL;
        now->first_vertex = plan->from != NULL ? base : old->first_vertex;
        for (uint32_t i = old->first_index; i < old->first_index + old->index_count; ++i) {
            still->indices[i] = mesh->indices[i] - old->first_vertex + now->first_vertex;
        }
        base += old->vertex_count;
    }
}

/// The instance's mesh as it is deformed now, without skin and targets.
static lmb_result still_mesh(const cli_posed *posed, uint32_t i, bool by_primitive, lmb_mesh **out,
                             lmb_error *error)
{
    const lmb_mesh *mesh = posed->character->meshes[posed->character->instances[i].mesh];
    const lmb_deformed shape = lmb_deformer_instance(posed->deformer, i);
    const gather plan = plan_gather(mesh, by_primitive);
    lmb_mesh still = {.name = mesh->name,
                      .vertex_count = plan.count,
                      .index_count = mesh->index_count,
                      .primitive_count = mesh->primitive_count};
    still.positions = gathered(&plan, shape.positions, sizeof(lmb_vec3));
    still.normals = gathered(&plan, shape.normals, sizeof(lmb_vec3));
    still.tangents = gathered(&plan, shape.tangents, sizeof(lmb_vec4));
    for (int k = 0; k < LMB_UV_SETS; ++k) {
        still.uvs[k] = gathered(&plan, mesh->uvs[k], sizeof(lmb_vec2));
    }
    for (int k = 0; k < LMB_COLOR_SETS; ++k) {
        still.colors[k] = gathered(&plan, mesh->colors[k], sizeof(lmb_vec4));
    }
    still_primitives(mesh, &plan, &still);
    if (plan.from == NULL) {
        still.polygon_count = mesh->polygon_count;
        still.polygon_first = mesh->polygon_first;
        still.polygons = mesh->polygons;
        still.source_position = mesh->source_position;
    }
    const lmb_result result = lmb_mesh_create(&still, NULL, out, error);
    void *const owned[] = {still.positions,  still.normals, still.tangents,
                           still.primitives, still.indices, plan.from};
    for (size_t k = 0; k < sizeof(owned) / sizeof(owned[0]); ++k) {
        free(owned[k]);
    }
    for (int k = 0; k < LMB_UV_SETS; ++k) {
        free(still.uvs[k]);
    }
    for (int k = 0; k < LMB_COLOR_SETS; ++k) {
        free(still.colors[k]);
    }
    return result;
}

// ------------------------------------------------------------------------------- still characters

static lmb_result still_skeleton(lmb_skeleton **out, lmb_error *error)
{
    int32_t parents[] = {LMB_NONE};
    lmb_transform rest[] = {lmb_transform_identity()};
    const char *names[] = {"baked"};
    const lmb_skeleton def = {.joint_count = 1, .parents = parents, .rest = rest, .names = names};
    return lmb_skeleton_create(&def, NULL, out, error);
}

/// Materials and pictures; what else the file carried may name nodes that are not there any more.
static lmb_result still_look(const lmb_appearance *look, lmb_appearance **out, lmb_error *error)
{
    if (look == NULL) {
        return LMB_OK;
    }
    lmb_appearance def = *look;
    def.carried = NULL;
    def.extensions_required = NULL;
    return lmb_appearance_create(&def, NULL, out, error);
}

static lmb_result still_parts(const cli_posed *posed, bool by_primitive, lmb_character *def,
                              lmb_error *error)
{
    lmb_result result = still_skeleton(&def->skeleton, error);
    if (result == LMB_OK) {
        result = still_look(posed->character->appearance, &def->appearance, error);
    }
    for (uint32_t i = 0; result == LMB_OK && i < posed->character->instance_count; ++i) {
        result = still_mesh(posed, i, by_primitive, &def->meshes[i], error);
        if (result == LMB_OK) {
            def->instances[i] = (lmb_instance){.joint = 0, .mesh = i, .skin = LMB_NONE};
            def->mesh_count = def->instance_count = i + 1;
        }
    }
    return result;
}

lmb_result cli_still_character(const cli_posed *posed, bool by_primitive, lmb_character **out,
                               lmb_error *error)
{
    const uint32_t count = posed->character->instance_count;
    lmb_character def = {.name = posed->character->name};
    def.meshes = cli_resize(NULL, count, sizeof(*def.meshes));
    def.instances = cli_resize(NULL, count, sizeof(*def.instances));
    lmb_result result = still_parts(posed, by_primitive, &def, error);
    if (result == LMB_OK) {
        result = lmb_character_create(&def, NULL, out, error);
    }
    if (result != LMB_OK) {
        lmb_skeleton_destroy(def.skeleton);
        lmb_appearance_destroy(def.appearance);
        for (uint32_t m = 0; m < def.mesh_count; ++m) {
            lmb_mesh_destroy(def.meshes[m]);
        }
    }
    free(def.meshes);
    free(def.instances);
    return result;
}
