/// Counts about a mesh: its elements, its weights, and its surface once vertices are welded.
#include <string.h>

#include "author/check.h"
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/adjacency.h"

static void count_elements(const lmb_mesh *mesh, lmb_mesh_survey *out)
{
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const lmb_primitive *primitive = &mesh->primitives[p];
        switch (primitive->topology) {
        case LMB_TRIANGLES:
            out->triangle_count += primitive->index_count / 3;
            break;
        case LMB_LINES:
            out->line_count += primitive->index_count / 2;
            break;
        case LMB_POINTS:
            out->point_count += primitive->index_count;
            break;
        }
    }
}

static void count_influences(const lmb_mesh *mesh, lmb_mesh_survey *out)
{
    const uint32_t *first = mesh->influences.first;
    if (first == NULL || mesh->vertex_count == 0) {
        return;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const uint32_t count = first[v + 1] - first[v];
        out->influences_max = count > out->influences_max ? count : out->influences_max;
        out->unweighted_count += count == 0;
    }
    out->influences_mean = (double)first[mesh->vertex_count] / mesh->vertex_count;
}

/// The indices of all triangle primitives in one array, [3 * triangle_count].
static uint32_t *gather_indices(const lmb_mesh *mesh, uint32_t triangle_count,
                                const lmb_allocator *alloc)
{
    uint32_t *indices = lmbi_alloc_array(alloc, 3 * (size_t)triangle_count, sizeof *indices);
    size_t count = 0;
    for (uint32_t p = 0; indices != NULL && p < mesh->primitive_count; ++p) {
        const lmb_primitive *primitive = &mesh->primitives[p];
        if (primitive->topology == LMB_TRIANGLES) {
            const size_t whole = primitive->index_count / 3 * 3;
            memcpy(indices + count, mesh->indices + primitive->first_index,
                   whole * sizeof *indices);
            count += whole;
        }
    }
    return indices;
}

static void count_flat(const lmb_mesh *mesh, const uint32_t *indices, lmb_mesh_survey *out)
{
    for (uint32_t t = out->triangle_count; t-- > 0;) {
        const uint32_t *corners = indices + 3 * (size_t)t;
        const lmb_vec3 a = mesh->positions[corners[0]];
        const lmb_vec3 n = lmb_vec3_cross(lmb_vec3_sub(mesh->positions[corners[1]], a),
                                          lmb_vec3_sub(mesh->positions[corners[2]], a));
        if (!(lmb_vec3_dot(n, n) > 0)) {
            ++out->degenerate_count;
            out->first_degenerate = t;
        }
    }
}

/// Vertices without triangles are no part of a surface.
static void count_used(const lmbi_survey_surface *on, bool *seen, lmb_mesh_survey *out)
{
    for (uint32_t v = 0; v < on->surface->vertex_count; ++v) {
        if (on->adjacency->vertex_first[v + 1] > on->adjacency->vertex_first[v]) {
            ++out->position_count;
            out->component_count += !seen[on->component[v]];
            seen[on->component[v]] = true;
        }
    }
}

static lmb_result survey_surface(const lmb_allocator *alloc, lmbi_survey_surface *on,
                                 lmb_mesh_survey *out, lmb_error *error)
{
    const lmb_surface *surface = on->surface;
    on->component = lmbi_alloc_array(alloc, surface->vertex_count, sizeof *on->component);
    lmb_result result =
        on->component == NULL
            ? lmbi_fail_memory(error)
            : lmb_surface_components(surface, alloc, on->component, &on->component_count, error);
    if (result == LMB_OK) {
        result = lmbi_adjacency_create(surface, alloc, &on->adjacency, error);
    }
    bool *seen = result == LMB_OK ? lmbi_alloc_array(alloc, on->component_count, 1) : NULL;
    if (result != LMB_OK || seen == NULL) {
        return result != LMB_OK ? result : lmbi_fail_memory(error);
    }
    count_used(on, seen, out);
    out->border_edges = on->adjacency->border_count;
    out->crowded_edges = on->adjacency->crowded_count;
    out->has_surface = true;
    lmbi_free(alloc, seen);
    return LMB_OK;
}

void lmbi_survey_surface_free(lmbi_survey_surface *surface, const lmb_allocator *alloc)
{
    lmb_surface_destroy(surface->surface);
    lmbi_adjacency_destroy(surface->adjacency);
    lmbi_free(alloc, surface->component);
    *surface = (lmbi_survey_surface){0};
}

lmb_result lmbi_mesh_survey(const lmb_mesh *mesh, const lmb_allocator *alloc, lmb_mesh_survey *out,
                            lmbi_survey_surface *surface, lmb_error *error)
{
    lmb_mesh_survey made = {0};
    *surface = (lmbi_survey_surface){0};
    count_elements(mesh, &made);
    count_influences(mesh, &made);
    lmb_result result = LMB_OK;
    if (made.triangle_count > 0) {
        uint32_t *indices = gather_indices(mesh, made.triangle_count, alloc);
        if (indices == NULL) {
            return lmbi_fail_memory(error);
        }
        count_flat(mesh, indices, &made);
        const lmb_surface_part part = {.positions = mesh->positions,
                                       .vertex_count = mesh->vertex_count,
                                       .indices = indices,
                                       .index_count = 3 * made.triangle_count};
        result = lmb_surface_create(&part, 1, NULL, alloc, &surface->surface, error);
        lmbi_free(alloc, indices);
        if (result == LMB_OK) {
            result = survey_surface(alloc, surface, &made, error);
        }
    }
    if (result != LMB_OK) {
        lmbi_survey_surface_free(surface, alloc);
        return result;
    }
    *out = made;
    return LMB_OK;
}

lmb_result lmb_mesh_survey_make(const lmb_mesh *mesh, const lmb_allocator *alloc,
                                lmb_mesh_survey *out, lmb_error *error)
{
    lmbi_survey_surface surface;
    const lmb_result result = lmbi_mesh_survey(mesh, alloc, out, &surface, error);
    lmbi_survey_surface_free(&surface, alloc);
    return result;
}
