#include "author/gather.h"
#include "asset/asset.h"

#include "base/error.h"

typedef struct gathering {
    const lmb_character *in;
    lmbi_arena *arena;
    lmbi_gathered *out;
} gathering;

/// Skinned meshes become as they are deformed at rest.
static lmb_result place_instances(gathering *r, lmb_error *error)
{
    const lmb_character *in = r->in;
    lmbi_rest_matrices *rest;
    const lmb_result result = lmbi_find_rest_matrices(in, r->arena, &rest, error);
    r->out->model_from_mesh = lmbi_arena_array(r->arena, in->instance_count, sizeof(lmb_mat4));
    r->out->meshes = lmbi_arena_array(r->arena, in->instance_count, sizeof(lmb_mesh));
    if (result != LMB_OK || !r->out->model_from_mesh || !r->out->meshes) {
        return lmbi_fail_memory(error);
    }
    r->out->rest = rest;
    for (uint32_t i = 0; i < in->instance_count; ++i) {
        const lmb_instance *instance = &in->instances[i];
        lmb_mesh *copy = &r->out->meshes[i];
        *copy = *in->meshes[instance->mesh];
        const bool is_skinned = instance->skin != LMB_NONE && copy->influences.first;
        r->out->model_from_mesh[i] = is_skinned ? lmb_mat4_identity() : rest[i].model_from_mesh;
        if (is_skinned && !lmbi_rest_bake(&rest[i], r->arena, copy)) {
            return lmbi_fail_memory(error);
        }
    }
    return LMB_OK;
}

static void gather_instance(gathering *r, uint32_t instance)
{
    const lmb_mesh *mesh = &r->out->meshes[instance];
    const uint32_t first = r->out->position_count;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        r->out->positions[r->out->position_count++] =
            lmb_mat4_point(r->out->model_from_mesh[instance], mesh->positions[v]);
    }
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const lmb_primitive *primitive = &mesh->primitives[p];
        if (primitive->topology != LMB_TRIANGLES) {
            continue;
        }
        for (uint32_t k = 0; k < primitive->index_count / 3 * 3; ++k) {
            r->out->triangles[3 * (size_t)r->out->triangle_count + k] =
                first + mesh->indices[primitive->first_index + k];
        }
        r->out->triangle_count += primitive->index_count / 3;
    }
}

static lmb_result gather_all(gathering *r, lmb_error *error)
{
    const lmb_character *in = r->in;
    uint64_t positions = 0, triangles = 0;
    for (uint32_t i = 0; i < in->instance_count; ++i) {
        positions += in->meshes[in->instances[i].mesh]->vertex_count;
        triangles += lmbi_mesh_triangle_count(in->meshes[in->instances[i].mesh]);
    }
    if (triangles == 0) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a mesh with triangles",
                         "a file without a surface");
    }
    if (positions > UINT32_MAX / 3 || triangles > UINT32_MAX / 3) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "at most 2^32 / 3 triangles", "%llu",
                         (unsigned long long)triangles);
    }
    r->out->positions = lmbi_arena_array(r->arena, (size_t)positions, sizeof(lmb_vec3));
    r->out->triangles = lmbi_arena_array(r->arena, (size_t)triangles * 3, sizeof(uint32_t));
    r->out->first_position =
        lmbi_arena_array(r->arena, (size_t)in->instance_count + 1, sizeof(uint32_t));
    r->out->first_triangle =
        lmbi_arena_array(r->arena, (size_t)in->instance_count + 1, sizeof(uint32_t));
    r->out->instance_count = in->instance_count;
    if (!r->out->positions || !r->out->triangles || !r->out->first_position ||
        !r->out->first_triangle) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t i = 0; i < in->instance_count; ++i) {
        r->out->first_position[i] = r->out->position_count;
        r->out->first_triangle[i] = r->out->triangle_count;
        gather_instance(r, i);
    }
    r->out->first_position[in->instance_count] = r->out->position_count;
    r->out->first_triangle[in->instance_count] = r->out->triangle_count;
    return LMB_OK;
}

lmb_result lmbi_gather(const lmb_character *in, lmbi_arena *arena, lmbi_gathered *out,
                       lmb_error *error)
{
    gathering r = {in, arena, out};
    const lmb_result result = place_instances(&r, error);
    return result == LMB_OK ? gather_all(&r, error) : result;
}

lmb_surface_part *lmbi_gathered_parts(const lmbi_gathered *g, const lmb_vec3 *positions,
                                      lmbi_arena *arena)
{
    lmb_surface_part *parts = lmbi_arena_array(arena, g->instance_count, sizeof *parts);
    uint32_t *indices = lmbi_arena_array(arena, 3 * (size_t)g->triangle_count, sizeof *indices);
    if (!parts || !indices) {
        return NULL;
    }
    for (uint32_t i = 0; i < g->instance_count; ++i) {
        const uint32_t first = g->first_position[i], begin = 3 * g->first_triangle[i],
                       end = 3 * g->first_triangle[i + 1];
        for (uint32_t k = begin; k < end; ++k) {
            indices[k] = g->triangles[k] - first;
        }
        parts[i] = (lmb_surface_part){.positions = positions + first,
                                      .vertex_count = g->first_position[i + 1] - first,
                                      .indices = indices + begin,
                                      .index_count = end - begin};
    }
    return parts;
}
