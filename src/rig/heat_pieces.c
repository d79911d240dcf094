/// The connected pieces of a surface.
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/surface_math.h"
#include "rig/heat_near.h"

typedef struct piece_sum {
    lmb_vec3 middle; ///< mean of its vertices
    float count;
    double volume; ///< six times the signed volume
} piece_sum;

static void add_volumes(const lmbi_heat *heat, piece_sum *sums)
{
    const lmb_surface *s = heat->surface;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        piece_sum *sum = &sums[heat->piece_of_vertex[v]];
        sum->count += 1; // running mean: a float sum of a million positions loses its digits
        sum->middle = lmb_vec3_lerp(sum->middle, s->positions[v], 1 / sum->count);
    }
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *c = s->triangles + 3 * (size_t)t;
        piece_sum *sum = &sums[heat->piece_of_triangle[t]];
        const lmb_vec3 a = lmb_vec3_sub(s->positions[c[0]], sum->middle),
                       b = lmb_vec3_sub(s->positions[c[1]], sum->middle),
                       d = lmb_vec3_sub(s->positions[c[2]], sum->middle);
        sum->volume += (double)lmb_vec3_dot(a, lmb_vec3_cross(b, d));
    }
}

/// Flips the normals of pieces with negative signed volume, which are wound inside out.
static lmb_result orient_normals(lmbi_heat *heat, lmb_error *error)
{
    piece_sum *sums = lmbi_alloc_array(heat->alloc, heat->piece_count, sizeof *sums);
    if (!sums) {
        return lmbi_fail_memory(error);
    }
    add_volumes(heat, sums);
    for (uint32_t v = 0; v < heat->surface->vertex_count; ++v) {
        if (sums[heat->piece_of_vertex[v]].volume < 0) {
            heat->normals[v] = lmb_vec3_scale(heat->normals[v], -1);
        }
    }
    lmbi_free(heat->alloc, sums);
    return LMB_OK;
}

lmb_result lmbi_heat_pieces(lmbi_heat *heat, lmb_error *error)
{
    const lmb_surface *s = heat->surface;
    heat->piece_of_vertex = lmbi_arena_array(&heat->arena, s->vertex_count, sizeof(uint32_t));
    heat->piece_of_triangle = lmbi_arena_array(&heat->arena, s->triangle_count, sizeof(uint32_t));
    heat->sources = lmbi_arena_array(&heat->arena, s->vertex_count, sizeof *heat->sources);
    if (!heat->piece_of_vertex || !heat->piece_of_triangle || !heat->sources) {
        return lmbi_fail_memory(error);
    }
    lmb_result result =
        lmb_surface_components(s, heat->alloc, heat->piece_of_vertex, &heat->piece_count, error);
    if (result != LMB_OK) {
        return result;
    }
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        heat->piece_of_triangle[t] = heat->piece_of_vertex[s->triangles[3 * (size_t)t]];
    }
    heat->piece_kinds =
        lmbi_arena_array(&heat->arena, heat->piece_count, sizeof *heat->piece_kinds);
    heat->piece_inverted =
        lmbi_arena_array(&heat->arena, heat->piece_count, sizeof *heat->piece_inverted);
    heat->piece_stiff =
        lmbi_arena_array(&heat->arena, heat->piece_count, sizeof *heat->piece_stiff);
    heat->piece_block =
        lmbi_arena_array(&heat->arena, heat->piece_count, sizeof *heat->piece_block);
    heat->normals = lmbi_arena_array(&heat->arena, s->vertex_count, sizeof *heat->normals);
    if (!heat->piece_kinds || !heat->piece_inverted || !heat->piece_stiff || !heat->piece_block ||
        !heat->normals) {
        return lmbi_fail_memory(error);
    }
    heat->report.component_count = heat->piece_count;
    lmbi_surface_vertex_normals(s, heat->normals);
    return orient_normals(heat, error);
}
