#include "base/alloc.h"
#include "base/error.h"
#include "limber/asset.h"

static const uint32_t nowhere = UINT32_MAX;

/// place_of[order[k]] = k; INVALID where that leaves a vertex out.
static lmb_result invert(const lmb_mesh *mesh, const uint32_t *order, uint32_t *place_of,
                         lmb_error *error)
{
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        place_of[v] = nowhere;
    }
    for (uint32_t k = 0; k < mesh->vertex_count; ++k) {
        if (order[k] >= mesh->vertex_count || place_of[order[k]] != nowhere) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "every vertex once",
                             "vertex %u of %u at place %u%s", order[k], mesh->vertex_count, k,
                             order[k] < mesh->vertex_count ? ", again" : "");
        }
        place_of[order[k]] = k;
    }
    return LMB_OK;
}

static lmb_result check_primitives(const lmb_mesh *mesh, const uint32_t *place_of, lmb_error *error)
{
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const lmb_primitive *primitive = &mesh->primitives[p];
        for (uint32_t i = 0; i < primitive->vertex_count; ++i) {
            const uint32_t v = primitive->first_vertex + i;
            if (place_of[v] - primitive->first_vertex >= primitive->vertex_count) {
                return lmbi_fail(error, LMB_ERROR_INVALID, "vertices that stay in their primitive",
                                 "vertex %u of primitive %u goes to place %u", v, p, place_of[v]);
            }
        }
    }
    return LMB_OK;
}

static void take3(lmb_vec3 *to, const lmb_vec3 *from, const uint32_t *order, uint32_t count)
{
    for (uint32_t k = 0; from != NULL && k < count; ++k) {
        to[k] = from[order[k]];
    }
}

static void take4(lmb_vec4 *to, const lmb_vec4 *from, const uint32_t *order, uint32_t count)
{
    for (uint32_t k = 0; from != NULL && k < count; ++k) {
        to[k] = from[order[k]];
    }
}

static void take_influences(lmb_influences *to, const lmb_influences *from, const uint32_t *order,
                            uint32_t count)
{
    for (uint32_t k = 0; from->first != NULL && k < count; ++k) {
        const uint32_t begin = from->first[order[k]], end = from->first[order[k] + 1];
        for (uint32_t i = begin; i < end; ++i) {
            to->items[to->first[k] + i - begin] = from->items[i];
        }
        to->first[k + 1] = to->first[k] + end - begin;
    }
}

static void take_vertices(lmb_mesh *to, const lmb_mesh *from, const uint32_t *order)
{
    const uint32_t n = from->vertex_count;
    take3(to->positions, from->positions, order, n);
    take3(to->normals, from->normals, order, n);
    take4(to->tangents, from->tangents, order, n);
    for (int set = 0; set < LMB_UV_SETS; ++set) {
        for (uint32_t k = 0; from->uvs[set] != NULL && k < n; ++k) {
            to->uvs[set][k] = from->uvs[set][order[k]];
        }
    }
    for (int set = 0; set < LMB_COLOR_SETS; ++set) {
        take4(to->colors[set], from->colors[set], order, n);
    }
    for (uint32_t t = 0; t < from->target_count; ++t) {
        take3(to->targets[t].positions, from->targets[t].positions, order, n);
        take3(to->targets[t].normals, from->targets[t].normals, order, n);
        take3(to->targets[t].tangents, from->targets[t].tangents, order, n);
    }
    for (uint32_t k = 0; from->source_position != NULL && k < n; ++k) {
        to->source_position[k] = from->source_position[order[k]];
    }
    take_influences(&to->influences, &from->influences, order, n);
}

static void rename_vertices(uint32_t *vertices, uint32_t count, const uint32_t *place_of)
{
    for (uint32_t i = 0; i < count; ++i) {
        vertices[i] = place_of[vertices[i]];
    }
}

lmb_result lmb_mesh_reorder(const lmb_mesh *mesh, const uint32_t *order, const lmb_allocator *alloc,
                            lmb_mesh **out, lmb_error *error)
{
    uint32_t *place_of = lmbi_alloc_array(alloc, mesh->vertex_count, sizeof(*place_of));
    if (place_of == NULL) {
        return lmbi_fail_memory(error);
    }
    lmb_mesh *made = NULL;
    lmb_result result = invert(mesh, order, place_of, error);
    if (result == LMB_OK) {
        result = check_primitives(mesh, place_of, error);
    }
    if (result == LMB_OK) {
        result = lmb_mesh_create(mesh, alloc, &made, error);
    }
    if (result == LMB_OK) {
        take_vertices(made, mesh, order);
        rename_vertices(made->indices, made->index_count, place_of);
        const uint32_t corners = made->polygon_count ? made->polygon_first[made->polygon_count] : 0;
        rename_vertices(made->polygons, corners, place_of);
        *out = made;
    }
    lmbi_free(alloc, place_of);
    return result;
}
