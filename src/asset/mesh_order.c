#include "base/alloc.h"
#include "base/error.h"
#include "limber/asset.h"

static const uint32_t nowhere = UINT32_MAX;

/// new_index[order[k]] = k. Errors: INVALID if `order` is not a permutation.
static lmb_result invert_order(const lmb_mesh *mesh, const uint32_t *order, uint32_t *new_index,
                               lmb_error *error)
{
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        new_index[v] = nowhere;
    }
    for (uint32_t k = 0; k < mesh->vertex_count; ++k) {
        if (order[k] >= mesh->vertex_count || new_index[order[k]] != nowhere) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "every vertex once",
                             "vertex %u of %u at place %u%s", order[k], mesh->vertex_count, k,
                             order[k] < mesh->vertex_count ? ", again" : "");
        }
        new_index[order[k]] = k;
    }
    return LMB_OK;
}

static lmb_result check_primitives(const lmb_mesh *mesh, const uint32_t *new_index,
                                   lmb_error *error)
{
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const lmb_primitive *primitive = &mesh->primitives[p];
        for (uint32_t i = 0; i < primitive->vertex_count; ++i) {
            const uint32_t v = primitive->first_vertex + i;
            if (new_index[v] - primitive->first_vertex >= primitive->vertex_count) {
                return lmbi_fail(error, LMB_ERROR_INVALID, "vertices that stay in their primitive",
                                 "vertex %u of primitive %u goes to place %u", v, p, new_index[v]);
            }
        }
    }
    return LMB_OK;
}

static void reorder_vec3(lmb_vec3 *to, const lmb_vec3 *from, const uint32_t *order, uint32_t count)
{
    for (uint32_t k = 0; from != NULL && k < count; ++k) {
        to[k] = from[order[k]];
    }
}

static void reorder_vec4(lmb_vec4 *to, const lmb_vec4 *from, const uint32_t *order, uint32_t count)
{
    for (uint32_t k = 0; from != NULL && k < count; ++k) {
        to[k] = from[order[k]];
    }
}

static void reorder_influences(lmb_influences *to, const lmb_influences *from,
                               const uint32_t *order, uint32_t count)
{
    for (uint32_t k = 0; from->first != NULL && k < count; ++k) {
        const uint32_t begin = from->first[order[k]], end = from->first[order[k] + 1];
        for (uint32_t i = begin; i < end; ++i) {
            to->items[to->first[k] + i - begin] = from->items[i];
        }
        to->first[k + 1] = to->first[k] + end - begin;
    }
}

static void reorder_vertices(lmb_mesh *to, const lmb_mesh *from, const uint32_t *order)
{
    const uint32_t n = from->vertex_count;
    reorder_vec3(to->positions, from->positions, order, n);
    reorder_vec3(to->normals, from->normals, order, n);
    reorder_vec4(to->tangents, from->tangents, order, n);
    for (int set = 0; set < LMB_UV_SETS; ++set) {
        for (uint32_t k = 0; from->uvs[set] != NULL && k < n; ++k) {
            to->uvs[set][k] = from->uvs[set][order[k]];
        }
    }
    for (int set = 0; set < LMB_COLOR_SETS; ++set) {
        reorder_vec4(to->colors[set], from->colors[set], order, n);
    }
    for (size_t set = 0; from->envelope != NULL && set < LMB_ENVELOPE_SETS; ++set) {
        reorder_vec4(to->envelope + set * n, from->envelope + set * n, order, n);
    }
    for (uint32_t t = 0; t < from->target_count; ++t) {
        reorder_vec3(to->targets[t].positions, from->targets[t].positions, order, n);
        reorder_vec3(to->targets[t].normals, from->targets[t].normals, order, n);
        reorder_vec3(to->targets[t].tangents, from->targets[t].tangents, order, n);
    }
    for (uint32_t k = 0; from->source_position != NULL && k < n; ++k) {
        to->source_position[k] = from->source_position[order[k]];
    }
    reorder_influences(&to->influences, &from->influences, order, n);
}

static void renumber_vertices(uint32_t *vertices, uint32_t count, const uint32_t *new_index)
{
    for (uint32_t i = 0; i < count; ++i) {
        vertices[i] = new_index[vertices[i]];
    }
}

lmb_result lmb_mesh_reorder(const lmb_mesh *mesh, const uint32_t *order, const lmb_allocator *alloc,
                            lmb_mesh **out, lmb_error *error)
{
    uint32_t *new_index = lmbi_alloc_array(alloc, mesh->vertex_count, sizeof(*new_index));
    if (new_index == NULL) {
        return lmbi_fail_memory(error);
    }
    lmb_mesh *made = NULL;
    lmb_result result = invert_order(mesh, order, new_index, error);
    if (result == LMB_OK) {
        result = check_primitives(mesh, new_index, error);
    }
    if (result == LMB_OK) {
        result = lmb_mesh_create(mesh, alloc, &made, error);
    }
    if (result == LMB_OK) {
        reorder_vertices(made, mesh, order);
        renumber_vertices(made->indices, made->index_count, new_index);
        const uint32_t corners = made->polygon_count ? made->polygon_first[made->polygon_count] : 0;
        renumber_vertices(made->polygons, corners, new_index);
        *out = made;
    }
    lmbi_free(alloc, new_index);
    return result;
}
