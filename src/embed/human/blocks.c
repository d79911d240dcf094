#include "embed/body_joint.h"
#include "embed/human/human.h"
#include "geometry/surface_math.h"

#include "base/alloc.h"
#include "base/error.h"
#include "embed/shape/shape.h"
#include "geometry/adjacency.h"
#include "geometry/union_find.h"

#include <math.h>

/// Fractions of the volume of the whole box: smaller pieces are no blocks; a piece with WITHIN of
/// its volume in another one's box belongs to that.
static const float SMALLEST = 2e-4f, WITHIN = 0.6f;
/// A block has at least FILLED of the surface of its box (a cylinder has 0.79, a ball 0.52). Other
/// pieces may have OTHERS of the volume of the blocks.
static const float FILLED = 0.65f, OTHERS = 0.5f;

enum { MAX_BLOCKS = 96 };

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

/// Unites triangles over edges with exactly two triangles; where two boxes share an edge it has
/// four.
static void join_over_edges(const lmbi_adjacency *edges, uint32_t triangle_count, uint32_t *up)
{
    for (uint32_t t = 0; t < triangle_count; ++t) {
        up[t] = t;
    }
    for (uint32_t e = 0; e < edges->edge_count; ++e) {
        const uint32_t first = edges->edge_first[e];
        if (edges->edge_first[e + 1] - first == 2) {
            const uint32_t a = lmbi_union_root(up, edges->edge_triangles[first]),
                           b = lmbi_union_root(up, edges->edge_triangles[first + 1]);
            up[a > b ? a : b] = a > b ? b : a;
        }
    }
}

/// Inserts by descending volume; false if the list is full.
static bool insert_by_volume(lmb_box box, lmb_box *out, uint32_t *count)
{
    if (*count == MAX_BLOCKS) {
        return false;
    }
    uint32_t at = (*count)++;
    for (; at > 0 && volume_of(out[at - 1]) < volume_of(box); --at) {
        out[at] = out[at - 1];
    }
    out[at] = box;
    return true;
}

/// Removes boxes that lie mostly in a larger one: layers of clothes, eyes in a face.
static void merge_contained(lmb_box *boxes, uint32_t *count)
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

/// Lists the boxes of the pieces that fill their boxes. `boxes` and `areas` are scratch of
/// [triangle_count], accumulated at the union-find roots. Lists nothing if too much of the volume
/// does not fill its boxes: oblique limbs, sculptures of balls.
static void collect_blocks(const lmb_surface *s, uint32_t *up, lmb_box *boxes, float *areas,
                           lmb_box *out, uint32_t *out_count)
{
    lmb_box whole = lmb_box_empty();
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        boxes[t] = lmb_box_empty();
    }
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        lmb_box *box = &boxes[lmbi_union_root(up, t)];
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
        const uint32_t root = lmbi_union_root(up, t);
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
        if (block && !insert_by_volume(boxes[t], out, out_count)) {
            *out_count = 0;
            return;
        }
    }
    *out_count = others > OTHERS * blocks ? 0 : *out_count;
    merge_contained(out, out_count);
}

static lmb_result find_block_pieces(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                                    lmb_box out[MAX_BLOCKS], uint32_t *out_count, lmb_error *error)
{
    lmb_surface *surface = NULL;
    lmbi_adjacency *edges = NULL;
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
        join_over_edges(edges, surface->triangle_count, up);
        collect_blocks(surface, up, boxes, areas, out, out_count);
    }
    lmbi_free(alloc, areas);
    lmbi_free(alloc, boxes);
    lmbi_free(alloc, up);
    lmbi_adjacency_destroy(edges);
    lmb_surface_destroy(surface);
    return result;
}

/// In heights of the figure: largest distance of twins from mirror images, of legs from the ground,
/// of a head from the plane, and of an arm from the trunk.
static const float TWINS = 0.06f, GROUND = 0.06f, AMID = 0.06f, GAP = 0.08f;
/// A figure uses at least this fraction of the volume of all boxes; the rest are hats and held
/// objects.
static const float WHOLE = 0.7f;
/// Trunk, head and four limbs.
enum { LEAST_PIECES = 6 };
/// Arms whose box is this many times wider than tall point sideways; others hang.
static const float STICKS_OUT = 1.2f;

/// Boxes along left, up and front of a figure, and the body parts they form.
typedef struct block_figure {
    lmb_vec3 axes[3];
    lmb_box boxes[MAX_BLOCKS];
    uint32_t count, trunk;
    lmb_box whole, head, leg[2], arm[2]; ///< [0]: toward +side
    float height, plane;                 ///< height; offset of the mirror plane along x
    float volume;                        ///< of the boxes that belong to parts
} block_figure;

static lmb_vec3 middle_of(lmb_box b)
{
    return lmb_vec3_scale(lmb_vec3_add(b.low, b.high), 0.5f);
}

static lmb_vec3 extent_of(lmb_box b)
{
    return lmb_vec3_sub(b.high, b.low);
}

static lmb_vec3 least(lmb_vec3 a, lmb_vec3 b)
{
    return lmb_vec3_make(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z));
}

static lmb_vec3 most(lmb_vec3 a, lmb_vec3 b)
{
    return lmb_vec3_make(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z));
}

static lmb_box box_union(lmb_box a, lmb_box b)
{
    return (lmb_box){least(a.low, b.low), most(a.high, b.high)};
}

static bool is_empty(lmb_box b)
{
    return !(b.low.x <= b.high.x);
}

/// The same box in other axes of the file.
static lmb_box in_axes(lmb_box b, const lmb_vec3 axes[3])
{
    const lmb_vec3 p = {lmb_vec3_dot(b.low, axes[0]), lmb_vec3_dot(b.low, axes[1]),
                        lmb_vec3_dot(b.low, axes[2])},
                   q = {lmb_vec3_dot(b.high, axes[0]), lmb_vec3_dot(b.high, axes[1]),
                        lmb_vec3_dot(b.high, axes[2])};
    return (lmb_box){least(p, q), most(p, q)};
}

/// The index of the mirror image of a box, or UINT32_MAX.
static uint32_t twin_of(const block_figure *f, uint32_t k)
{
    const lmb_box b = f->boxes[k];
    const lmb_vec3 p = middle_of(b), e = extent_of(b),
                   image = lmb_vec3_make(2 * f->plane - p.x, p.y, p.z);
    for (uint32_t n = 0; n < f->count; ++n) {
        if (n != k && n != f->trunk &&
            lmb_vec3_distance(middle_of(f->boxes[n]), image) < TWINS * f->height &&
            lmb_vec3_distance(extent_of(f->boxes[n]), e) < TWINS * f->height) {
            return n;
        }
    }
    return UINT32_MAX;
}

/// The body part that a box belongs to, or NULL: above the middle of the trunk is the head, pairs
/// below it are legs, pairs beside it arms.
static lmb_box *part_of(block_figure *f, uint32_t k)
{
    const lmb_box trunk = f->boxes[f->trunk], b = f->boxes[k];
    const lmb_vec3 c = middle_of(trunk), e = extent_of(trunk), p = middle_of(b);
    const float aside = fabsf(p.x - c.x), above = p.y - trunk.high.y;
    if (aside < AMID * f->height && above > 0 && b.low.y > c.y) {
        return &f->head;
    }
    if (k == f->trunk || above > 0 || twin_of(f, k) == UINT32_MAX) {
        return NULL;
    }
    const int side = p.x > c.x ? 0 : 1;
    const float inner = side == 0 ? b.low.x - trunk.high.x : trunk.low.x - b.high.x;
    if (aside < 0.5f * e.x && b.high.y < trunk.low.y + 0.3f * e.y) {
        return &f->leg[side];
    }
    return inner > -0.3f * extent_of(b).x ? &f->arm[side] : NULL;
}

/// Whether all parts exist and are where those of a figure are.
static bool is_whole(const block_figure *f, float volume)
{
    const lmb_box trunk = f->boxes[f->trunk];
    bool whole = !is_empty(f->head) && f->volume > WHOLE * volume;
    for (int side = 0; side < 2 && whole; ++side) {
        const lmb_box leg = f->leg[side], arm = f->arm[side];
        const float gap = side == 0 ? arm.low.x - trunk.high.x : trunk.low.x - arm.high.x;
        whole = !is_empty(leg) && !is_empty(arm) &&
                leg.low.y < f->whole.low.y + GROUND * f->height &&
                leg.high.y > trunk.low.y - GAP * f->height && arm.high.y > middle_of(trunk).y &&
                gap < GAP * f->height;
    }
    return whole;
}

/// Chooses the trunk with which the most volume belongs to body parts. False if no choice gives a
/// figure.
static bool find_figure(block_figure *f)
{
    float volume = 0;
    f->whole = lmb_box_empty();
    for (uint32_t k = 0; k < f->count; ++k) {
        f->whole = box_union(f->whole, f->boxes[k]);
        volume += volume_of(f->boxes[k]);
    }
    f->height = f->whole.high.y - f->whole.low.y;
    block_figure best = {.volume = 0};
    for (uint32_t k = 0; k < f->count; ++k) {
        block_figure now = *f;
        now.trunk = k;
        now.plane = middle_of(f->boxes[k]).x;
        now.volume = volume_of(f->boxes[k]);
        now.head = now.leg[0] = now.leg[1] = now.arm[0] = now.arm[1] = lmb_box_empty();
        for (uint32_t n = 0; n < f->count; ++n) {
            lmb_box *part = part_of(&now, n);
            if (part) {
                *part = box_union(*part, f->boxes[n]);
                now.volume += volume_of(f->boxes[n]);
            }
        }
        if (is_whole(&now, volume) && now.volume > best.volume) {
            best = now;
        }
    }
    *f = best;
    return best.volume > 0;
}

static void set_landmark(const block_figure *f, lmbi_landmark_point *landmark, lmb_vec3 p,
                         uint32_t *count)
{
    landmark->set = true;
    landmark->at = lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(f->axes[0], p.x), f->axes[1], p.y),
                                f->axes[2], p.z);
    ++*count;
}

/// Sets landmarks at the usual fractions of the limbs' boxes. The side `side` of the boxes is left
/// if `named` is 0, right if 1.
static void mark_side(const block_figure *f, int side, uint32_t named, lmbi_landmarks *out)
{
    const lmb_box a = f->arm[side], l = f->leg[side];
    const lmb_vec3 ac = middle_of(a), ae = extent_of(a), lc = middle_of(l), le = extent_of(l);
    const float sign = side == 0 ? 1.0f : -1.0f;
    const float arm[3] = {0.1f, 0.5f, 0.82f}, leg[3] = {0, 0.47f, 0.9f};
    const bool out_level = ae.x > STICKS_OUT * ae.y;
    for (uint32_t k = 0; k < 3; ++k) {
        lmb_vec3 at = ac;
        if (out_level) {
            at.x = ac.x + sign * (arm[k] - 0.5f) * ae.x;
        } else {
            at.y = a.high.y - fmaxf(arm[k] * ae.y, k == 0 ? 0.4f * ae.x : 0);
        }
        set_landmark(f, &out->joint[LMBI_LEFT_UPPER_ARM + 4 * named + k], at, &out->count);
        set_landmark(f, &out->joint[LMBI_LEFT_UPPER_LEG + 4 * named + k],
                     lmb_vec3_make(lc.x, l.high.y - leg[k] * le.y, lc.z), &out->count);
    }
}

/// Toes point to the front. A figure without them faces as files usually do.
static bool faces_backward(const block_figure *f)
{
    const float toes =
        0.5f * (middle_of(f->leg[0]).z + middle_of(f->leg[1]).z) - middle_of(f->boxes[f->trunk]).z;
    return toes < -0.01f * f->height;
}

static lmbi_landmarks marks_of(const block_figure *f)
{
    lmbi_landmarks m = {0};
    const lmb_box trunk = f->boxes[f->trunk];
    const lmb_vec3 c = middle_of(trunk);
    const uint32_t flip = faces_backward(f);
    mark_side(f, 0, flip, &m);
    mark_side(f, 1, 1 - flip, &m);
    set_landmark(f, &m.chin, lmb_vec3_make(c.x, fmaxf(f->head.low.y, c.y), c.z), &m.count);
    const float legs = 0.5f * (f->leg[0].high.y + f->leg[1].high.y);
    set_landmark(f, &m.groin, lmb_vec3_make(c.x, legs, c.z), &m.count);
    return m;
}

lmb_result lmbi_block_figure_find(const lmbi_triangle_soup *soup, lmb_vec3 up,
                                  const lmb_allocator *alloc, bool *out_found, lmbi_landmarks *out,
                                  lmb_error *error)
{
    // left, up and front in the orientations that files use
    static const lmb_vec3 orientations[4][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                                {{0, 0, -1}, {0, 1, 0}, {1, 0, 0}},
                                                {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
                                                {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};
    lmb_box boxes[MAX_BLOCKS];
    uint32_t count;
    *out_found = false;
    const lmb_result result = find_block_pieces(soup, alloc, boxes, &count, error);
    for (int w = 0; result == LMB_OK && w < 4 && count >= LEAST_PIECES && !*out_found; ++w) {
        block_figure f = {.axes = {orientations[w][0], orientations[w][1], orientations[w][2]},
                          .count = count};
        for (uint32_t k = 0; k < count; ++k) {
            f.boxes[k] = in_axes(boxes[k], f.axes);
        }
        const bool given = lmb_vec3_dot(up, up) > 0;
        if ((!given || lmb_vec3_dot(up, f.axes[1]) > 0.9f) && find_figure(&f)) {
            *out = marks_of(&f);
            *out_found = true;
        }
    }
    return result;
}
