/// Triangle soups: scans and generated meshes of thousands of small shells.
#include "rig/triangle_soup.h"

#include "base/alloc.h"
#include "base/error.h"

/// A surface is a triangle soup if fragments hold this fraction of its used vertices.
static const double SOUP_FRACTION = 0.5;
/// Weld distance, as a fraction of the mean edge length.
static const float WELD_FRACTION = 0.3f;

typedef struct piece_size {
    uint32_t vertices, triangles;
} piece_size;

/// A box is none: eight vertices or more, closed by Euler's formula.
static bool is_fragment(piece_size size)
{
    const bool is_block = size.vertices >= 8 && size.triangles >= 2 * size.vertices - 4;
    return size.vertices < LMBI_FRAGMENT_VERTICES && !is_block;
}

/// Fraction of vertices in fragments. `sizes` is [pieces], of vertices that triangles use; `used` is
/// [vertex_count]; both all 0.
static double fraction_in_fragments(const lmb_surface *s, const uint32_t *piece_of, uint8_t *used,
                                    piece_size *sizes, uint32_t pieces)
{
    for (uint32_t k = 0; k < 3 * s->triangle_count; ++k) {
        used[s->triangles[k]] = 1;
        sizes[piece_of[s->triangles[k]]].triangles += k % 3 == 0;
    }
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        sizes[piece_of[v]].vertices += used[v];
    }
    double in_fragments = 0, all = 0;
    for (uint32_t p = 0; p < pieces; ++p) {
        in_fragments += is_fragment(sizes[p]) ? sizes[p].vertices : 0;
        all += sizes[p].vertices;
    }
    return all > 0 ? in_fragments / all : 0;
}

static lmb_result measure_fragments(const lmb_surface *s, const lmb_allocator *alloc,
                                    double *fraction, lmb_error *error)
{
    *fraction = 0;
    uint32_t pieces = 0;
    uint32_t *piece_of = lmbi_alloc_array(alloc, s->vertex_count, sizeof *piece_of);
    uint8_t *used = lmbi_alloc_array(alloc, s->vertex_count, sizeof *used);
    lmb_result result = piece_of && used
                            ? lmb_surface_components(s, alloc, piece_of, &pieces, error)
                            : lmbi_fail_memory(error);
    if (result == LMB_OK && pieces > 1) {
        piece_size *sizes = lmbi_alloc_array(alloc, pieces, sizeof *sizes);
        *fraction = sizes ? fraction_in_fragments(s, piece_of, used, sizes, pieces) : 0;
        result = sizes ? LMB_OK : lmbi_fail_memory(error);
        lmbi_free(alloc, sizes);
    }
    lmbi_free(alloc, used);
    lmbi_free(alloc, piece_of);
    return result;
}

/// Mean edge length, as a fraction of the bounds' diagonal.
static float mean_edge(const lmb_surface *s)
{
    double sum = 0;
    for (uint32_t k = 0; k < 3 * s->triangle_count; k += 3) {
        sum += (double)lmb_vec3_distance(s->positions[s->triangles[k]],
                                         s->positions[s->triangles[k + 1]]);
    }
    const lmb_box box = lmb_box_of(s->positions, s->vertex_count);
    const float diagonal = lmb_vec3_distance(box.low, box.high);
    return diagonal > 0 ? (float)(sum / s->triangle_count) / diagonal : 0.0f;
}

lmb_result lmbi_triangle_soup_weld(const lmb_surface *surface, const lmb_allocator *alloc,
                                   lmbi_triangle_soup_kind *kind, lmb_surface **out,
                                   lmb_error *error)
{
    *kind = LMBI_TRIANGLE_SOUP_NONE;
    *out = NULL;
    double fraction = 0;
    lmb_result result = LMB_OK;
    if (surface->triangle_count > 1) {
        result = measure_fragments(surface, alloc, &fraction, error);
    }
    if (result != LMB_OK || !(fraction > SOUP_FRACTION)) {
        return result;
    }
    const lmb_surface_part part = {.positions = surface->positions,
                                   .vertex_count = surface->vertex_count,
                                   .indices = surface->triangles,
                                   .index_count = 3 * surface->triangle_count};
    const lmb_surface_opts opts = {.weld_fraction = WELD_FRACTION * mean_edge(surface)};
    result = lmb_surface_create(&part, 1, &opts, alloc, out, error);
    if (result == LMB_OK) {
        result = measure_fragments(*out, alloc, &fraction, error);
    }
    if (result != LMB_OK) {
        lmb_surface_destroy(*out);
        *out = NULL;
        return result;
    }
    *kind = fraction > SOUP_FRACTION ? LMBI_TRIANGLE_SOUP_LOOSE : LMBI_TRIANGLE_SOUP_WELDED;
    return LMB_OK;
}
