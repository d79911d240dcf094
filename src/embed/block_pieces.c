#include "embed/block_pieces.h"
#include "geometry/surface_math.h"

#include "base/alloc.h"
#include "base/error.h"
#include "embed/soup_surface.h"

#include <math.h>

/// Shares of the whole box: smaller pieces are no blocks, and a piece of which so much lies in
/// another one's box belongs to it.
static const float SMALLEST = 2e-4f, WITHIN = 0.6f;
/// A block has so much of the surface of its box (a cylinder has 0.79, a ball 0.52), and of the
/// volume of blocks there may be so much that is none.
static const float FILLED = 0.65f, OTHERS = 0.5f;

static float volume_of(lmb_box b)
{
    const lmb_vec3 e = lmb_vec3_sub(b.high, b.low);
    return fmaxf(e.x, 0) * fmaxf(e.y, 0) * fmaxf(e.z, 0);
}

static float common_volume(lmb_box a, lmb_box b)
{
    const lmb_box both = {
        {fmaxf(a.low.x, b.low.x), fmaxf(a.low.y, b.low.y), fmaxf(a.low.z, b.low.z)},
        {fminf(a.high.x, b.high.x), fminf(a.high.y, b.high.y), fminf(a.high.z, b.high.z)}};
    return volume_of(both);
}

static uint32_t root_of(uint32_t *up, uint32_t t)
{
    while (up[t] != t) {
        up[t] = up[up[t]];
        t = up[t];
    }
    return t;
}

/// Joins triangles over edges that two of them share: where two boxes share an edge it has four.
static void join(const lmb_adjacency *edges, uint32_t triangle_count, uint32_t *up)
{
    for (uint32_t t = 0; t < triangle_count; ++t) {
        up[t] = t;
    }
    for (uint32_t e = 0; e < edges->edge_count; ++e) {
        const uint32_t first = edges->edge_first[e];
        if (edges->edge_first[e + 1] - first == 2) {
            const uint32_t a = root_of(up, edges->edge_triangles[first]),
                           b = root_of(up, edges->edge_triangles[first + 1]);
            up[a > b ? a : b] = a > b ? b : a;
        }
    }
}

/// Keeps the list sorted by falling volume; false where it is full.
static bool keep(lmb_box box, lmb_box *out, uint32_t *count)
{
    if (*count == LMBI_BLOCKS) {
        return false;
    }
    uint32_t at = (*count)++;
    for (; at > 0 && volume_of(out[at - 1]) < volume_of(box); --at) {
        out[at] = out[at - 1];
    }
    out[at] = box;
    return true;
}

/// Layers of clothes, eyes in a face: with what they lie in.
static void merge(lmb_box *boxes, uint32_t *count)
{
    for (uint32_t k = 1; k < *count;) {
        uint32_t in = 0;
        while (in < k &&
               common_volume(boxes[in], boxes[k]) < WITHIN * fmaxf(volume_of(boxes[k]), 1e-30f)) {
            ++in;
        }
        if (in == k) {
            ++k;
            continue;
        }
        for (uint32_t n = k; n + 1 < *count; ++n) {
            boxes[n] = boxes[n + 1];
        }
        --*count;
    }
}

static float area_of(lmb_box b)
{
    const lmb_vec3 e = lmb_vec3_sub(b.high, b.low);
    return 2 * (e.x * e.y + e.y * e.z + e.z * e.x);
}

/// `boxes` and `areas`: [triangle_count], of the pieces at their roots. None where many pieces do
/// not fill their boxes: limbs that lean, a sculpture of balls.
static void collect(const lmb_surface *s, uint32_t *up, lmb_box *boxes, float *areas, lmb_box *out,
                    uint32_t *out_count)
{
    lmb_box whole = lmb_box_empty();
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        boxes[t] = lmb_box_empty();
    }
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        lmb_box *box = &boxes[root_of(up, t)];
        for (int c = 0; c < 3; ++c) {
            *box = lmb_box_add(*box, s->positions[s->triangles[3 * (size_t)t + (size_t)c]]);
            whole = lmb_box_add(whole, s->positions[s->triangles[3 * (size_t)t + (size_t)c]]);
        }
    }
    const float least = SMALLEST * volume_of(whole);
    float blocks = 0, others = 0;
    *out_count = 0;
    lmbi_surface_areas(s, areas);
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t root = root_of(up, t);
        areas[root] += root != t ? areas[t] : 0;
    }
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const float volume = volume_of(boxes[t]);
        if (up[t] != t || !(volume > least)) {
            continue;
        }
        const bool block = areas[t] > FILLED * area_of(boxes[t]);
        blocks += block ? volume : 0;
        others += block ? 0 : volume;
        if (block && !keep(boxes[t], out, out_count)) {
            *out_count = 0;
            return;
        }
    }
    *out_count = others > OTHERS * blocks ? 0 : *out_count;
    merge(out, out_count);
}

lmb_result lmbi_block_pieces(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                             lmb_box out[LMBI_BLOCKS], uint32_t *out_count, lmb_error *error)
{
    lmb_surface *surface = NULL;
    lmb_adjacency *edges = NULL;
    uint32_t *up = NULL;
    lmb_box *boxes = NULL;
    float *areas = NULL;
    *out_count = 0;
    lmb_result result = lmbi_soup_edges(soup, alloc, &surface, &edges, error);
    if (edges) {
        up = lmbi_alloc_array(alloc, surface->triangle_count, sizeof *up);
        boxes = lmbi_alloc_array(alloc, surface->triangle_count, sizeof *boxes);
        areas = lmbi_alloc_array(alloc, surface->triangle_count, sizeof *areas);
        result = up && boxes && areas ? LMB_OK : lmbi_fail_memory(error);
    }
    if (result == LMB_OK && edges) {
        join(edges, surface->triangle_count, up);
        collect(surface, up, boxes, areas, out, out_count);
    }
    lmbi_free(alloc, areas);
    lmbi_free(alloc, boxes);
    lmbi_free(alloc, up);
    lmb_adjacency_destroy(edges);
    lmb_surface_destroy(surface);
    return result;
}
