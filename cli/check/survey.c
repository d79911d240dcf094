#include "cli/check/survey.h"

#include <stdlib.h>
#include <string.h>

const char *cli_grouped(uint64_t number, char text[32])
{
    char digits[24];
    const int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);
    char *out = text;
    for (int i = 0; i < length; ++i) {
        if (i > 0 && (length - i) % 3 == 0) {
            *out++ = ' ';
        }
        *out++ = digits[i];
    }
    *out = 0;
    return text;
}

static void count_elements(const lmb_mesh *mesh, cli_mesh_survey *out)
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

static void count_influences(const lmb_mesh *mesh, cli_mesh_survey *out)
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

uint32_t *cli_triangle_indices(const lmb_mesh *mesh, uint32_t triangle_count)
{
    uint32_t *indices = cli_resize(NULL, 3 * (size_t)triangle_count, sizeof(*indices));
    size_t count = 0;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const lmb_primitive *primitive = &mesh->primitives[p];
        if (primitive->topology == LMB_TRIANGLES) {
            const size_t whole = primitive->index_count / 3 * 3;
            memcpy(indices + count, mesh->indices + primitive->first_index,
                   whole * sizeof(*indices));
            count += whole;
        }
    }
    return indices;
}

static uint32_t count_used(const lmb_surface *surface, const uint32_t *component,
                           uint32_t component_count, uint32_t *used_components)
{
    bool *used = cli_resize(NULL, surface->vertex_count, sizeof(*used));
    bool *whole = cli_resize(NULL, component_count, sizeof(*whole));
    memset(used, 0, surface->vertex_count * sizeof(*used));
    memset(whole, 0, component_count * sizeof(*whole));
    uint32_t count = 0;
    *used_components = 0;
    for (size_t i = 0; i < 3 * (size_t)surface->triangle_count; ++i) {
        const uint32_t v = surface->triangles[i];
        count += !used[v];
        used[v] = true;
        *used_components += !whole[component[v]];
        whole[component[v]] = true;
    }
    free(used);
    free(whole);
    return count;
}

static lmb_result survey_surface(const lmb_surface *surface, cli_mesh_survey *out, lmb_error *error)
{
    uint32_t *component = cli_resize(NULL, surface->vertex_count, sizeof(*component));
    uint32_t component_count = 0;
    lmb_result result = lmb_surface_components(surface, NULL, component, &component_count, error);
    if (result == LMB_OK) {
        out->position_count =
            count_used(surface, component, component_count, &out->component_count);
    }
    free(component);
    lmb_adjacency *adjacency = NULL;
    if (result == LMB_OK) {
        result = lmb_adjacency_create(surface, NULL, &adjacency, error);
    }
    if (result == LMB_OK) {
        out->border_edges = adjacency->border_count;
        out->crowded_edges = adjacency->crowded_count;
        out->has_surface = true;
    }
    lmb_adjacency_destroy(adjacency);
    return result;
}

static void count_flat(const lmb_mesh *mesh, const uint32_t *indices, cli_mesh_survey *out)
{
    for (uint32_t t = out->triangle_count; t-- > 0;) {
        const lmb_vec3 a = mesh->positions[indices[3 * (size_t)t]];
        const lmb_vec3 ab = lmb_vec3_sub(mesh->positions[indices[3 * (size_t)t + 1]], a);
        const lmb_vec3 ac = lmb_vec3_sub(mesh->positions[indices[3 * (size_t)t + 2]], a);
        const lmb_vec3 n = lmb_vec3_cross(ab, ac);
        if (!(lmb_vec3_dot(n, n) > 0)) {
            ++out->degenerate_count;
            out->first_degenerate = t;
        }
    }
}

cli_exit cli_mesh_survey_make(const cli_run *cli, const lmb_mesh *mesh, cli_mesh_survey *out)
{
    *out = (cli_mesh_survey){0};
    count_elements(mesh, out);
    count_influences(mesh, out);
    if (out->triangle_count == 0) {
        return CLI_DONE;
    }
    uint32_t *indices = cli_triangle_indices(mesh, out->triangle_count);
    count_flat(mesh, indices, out);
    const lmb_surface_part part = {.positions = mesh->positions,
                                   .vertex_count = mesh->vertex_count,
                                   .indices = indices,
                                   .index_count = 3 * out->triangle_count};
    lmb_surface *surface = NULL;
    lmb_error error = {0};
    lmb_result result = lmb_surface_create(&part, 1, NULL, NULL, &surface, &error);
    if (result == LMB_OK) {
        result = survey_surface(surface, out, &error);
    }
    lmb_surface_destroy(surface);
    free(indices);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "the mesh's surface", result, &error);
}
