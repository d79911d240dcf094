/// Slabs: flat bases that a figure stands on, pieces of their own or connected with it.
#include "embed/shape/shape.h"

#include "base/arena.h"
#include "base/error.h"
#include "geometry/union_find.h"

#include <math.h>
#include <string.h>

/// Fractions of the longest side: the thickest slab, the narrowest slab, and how uneven a face may
/// be.
static const float THICK = 0.15f, WIDE = 0.2f, UNEVEN = 0.012f;
/// A slab is FLAT times as wide as thick, and its faces cover COVERED of its box, since feet cover
/// the rest.
static const float FLAT = 2.5f, COVERED = 0.4f;
/// Width of the strips through the middle of the face, which must be covered too: between the soles
/// of two shoes there is nothing.
static const float MIDDLE = 0.2f;
/// Smallest cosine between a level facet's normal and the axis.
static const float LEVEL = 0.9f;
/// The rest is more than this much of the mesh.
static const float REST = 0.5f;

enum { BINS = 48 };

/// A mesh from one of its ends: x runs from there inward, y and z across.
typedef struct slab_view {
    const lmbi_triangle_soup *soup;
    lmb_vec3 axes[3]; ///< unit, orthogonal
    lmb_box box;
    float size; ///< its longest side
} slab_view;

static slab_view view_along(const lmbi_triangle_soup *soup, lmb_vec3 in, lmb_vec3 u, lmb_vec3 w)
{
    slab_view v = {.soup = soup, .axes = {in, u, w}};
    v.box = lmbi_soup_bounds_along(soup, v.axes);
    v.size = lmbi_longest_side(lmb_vec3_sub(v.box.high, v.box.low));
    return v;
}

typedef struct facet {
    lmb_box box;
    float deepest, middle; ///< depths behind the end
    float level_area;      ///< projected along the axis; 0 if the facet is not level
} facet;

static facet facet_of(const slab_view *v, uint32_t triangle)
{
    const uint32_t *corner = v->soup->triangles + 3 * (size_t)triangle;
    lmb_vec3 p[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = lmbi_along_axes(v->soup->positions[corner[k]], v->axes);
    }
    const lmb_vec3 normal = lmb_vec3_cross(lmb_vec3_sub(p[1], p[0]), lmb_vec3_sub(p[2], p[0]));
    const bool level = fabsf(normal.x) > LEVEL * lmb_vec3_length(normal);
    facet f = {.box = lmb_box_of(p, 3), .level_area = level ? 0.5f * fabsf(normal.x) : 0};
    f.deepest = f.box.high.x - v->box.low.x;
    f.middle = 0.5f * (f.deepest + f.box.low.x - v->box.low.x);
    return f;
}

/// The depth with the most level area, apart from the end itself; 0 if that is too little for the
/// narrowest slab.
static float find_face(const slab_view *v)
{
    double area[BINS] = {0};
    const float per_bin = BINS / (THICK * v->size);
    for (uint32_t t = 0; t < v->soup->triangle_count; ++t) {
        const facet f = facet_of(v, t);
        if (f.middle > UNEVEN * v->size && f.deepest < THICK * v->size) {
            area[(int)(f.middle * per_bin)] += (double)f.level_area;
        }
    }
    int best = 0;
    double most = 0;
    for (int b = 1; b + 1 < BINS; ++b) {
        const double three = area[b - 1] + area[b] + area[b + 1];
        if (three > most) {
            most = three;
            best = b;
        }
    }
    const bool enough = most > (double)(COVERED * WIDE * WIDE * v->size * v->size);
    return enough ? ((float)best + 0.5f) / per_bin : 0;
}

/// The box of the triangles that lie wholly before a depth.
static lmb_box box_before(const slab_view *v, float depth)
{
    lmb_box box = lmb_box_empty();
    for (uint32_t t = 0; t < v->soup->triangle_count; ++t) {
        const facet f = facet_of(v, t);
        if (f.deepest < depth) {
            box = lmb_box_add(lmb_box_add(box, f.box.low), f.box.high);
        }
    }
    return box;
}

/// The fraction of an extent that lies in the strip through the middle of a side.
static float fraction_in_strip(float low, float high, float own_low, float own_high)
{
    const float from = low + 0.5f * (1 - MIDDLE) * (high - low), to = from + MIDDLE * (high - low);
    const float within = fminf(own_high, to) - fmaxf(own_low, from);
    return within > 0 && own_high > own_low ? within / (own_high - own_low) : 0;
}

/// Whether the level facets at a depth cover enough of a box and of the strips through its middle.
/// *out_deepest: how much deeper they reach, apart from outliers: mean plus 2.5 standard deviations.
static bool is_face(const slab_view *v, const lmb_box *box, float depth, float *out_deepest)
{
    const lmb_vec3 low = box->low, high = box->high;
    double area = 0, sum = 0, squares = 0, strip[2] = {0, 0};
    for (uint32_t t = 0; t < v->soup->triangle_count; ++t) {
        const facet f = facet_of(v, t);
        if (fabsf(f.middle - depth) > UNEVEN * v->size) {
            continue;
        }
        const double own = (double)f.level_area, off = (double)(f.middle - depth);
        area += own;
        sum += own * off;
        squares += own * off * off;
        strip[0] += own * (double)fraction_in_strip(low.y, high.y, f.box.low.y, f.box.high.y);
        strip[1] += own * (double)fraction_in_strip(low.z, high.z, f.box.low.z, f.box.high.z);
    }
    const double wanted = (double)(COVERED * (high.y - low.y) * (high.z - low.z));
    const double mean = sum / area, spread = squares / area - mean * mean;
    *out_deepest = (float)mean + 2.5f * lmb_sqrt(fmaxf((float)spread, 0));
    return area > wanted && fmin(strip[0], strip[1]) > (double)MIDDLE * wanted;
}

/// Finds a slab at the end of the view. A slab is much wider than thick; both its faces are level
/// and cover most of its box and its middle, except where the figure stands. *out_top: where it
/// ends, along the axis.
static bool find_slab(const slab_view *v, float *out_top)
{
    const float depth = find_face(v), slack = UNEVEN * v->size;
    const lmb_box box = box_before(v, depth + slack);
    const float narrow = fminf(box.high.y - box.low.y, box.high.z - box.low.z);
    float reach, outer;
    *out_top = 0;
    if (!(depth > 0) || !(narrow > WIDE * v->size) || !(narrow > FLAT * depth) ||
        !is_face(v, &box, depth, &reach) || !is_face(v, &box, 0, &outer)) {
        return false;
    }
    *out_top = v->box.low.x + depth + reach + 0.1f * slack;
    return true;
}

// ---- cutting it off

typedef struct cut {
    const lmb_surface *surface; ///< of the mesh, its vertices welded
    const slab_view *view;
    float top;        ///< of the slab
    uint32_t *joined; ///< [vertex_count] union-find parent among vertices of the same rim
    uint32_t *corner; ///< [vertex_count] a vertex of the triangle soup at this position
} cut;

/// The number of corners of a triangle in the slab; these come first in out_corners.
static int corners_in_slab(const cut *c, uint32_t triangle, uint32_t out_corners[3])
{
    int in = 0, above = 3;
    for (int k = 0; k < 3; ++k) {
        const uint32_t v = c->surface->triangles[3 * (size_t)triangle + (size_t)k];
        const bool below = lmb_vec3_dot(c->surface->positions[v], c->view->axes[0]) < c->top;
        out_corners[below ? in++ : --above] = v;
    }
    return in;
}

/// Whether what is left is most of the mesh.
static bool leaves_most(const cut *c)
{
    lmb_box box = lmb_box_empty();
    uint32_t corner[3];
    for (uint32_t t = 0; t < c->surface->triangle_count; ++t) {
        for (int k = 0; k < 3 && corners_in_slab(c, t, corner) < 3; ++k) {
            box = lmb_box_add(box, c->surface->positions[corner[k]]);
        }
    }
    return lmbi_longest_side(lmb_vec3_sub(box.high, box.low)) > REST * c->view->size;
}

/// Copies the triangles above the slab, and closes each rim with a fan of triangles. The removed
/// slab leaves enough room in `out` except in degenerate meshes, where fans are cut short.
static void cut_off(const cut *c, uint32_t *out, uint32_t *count)
{
    const uint32_t triangles = c->surface->triangle_count;
    uint32_t corner[3];
    for (uint32_t v = 0; v < c->surface->part_vertex_count; ++v) {
        c->corner[c->surface->vertex_of[v]] = v;
    }
    for (uint32_t v = 0; v < c->surface->vertex_count; ++v) {
        c->joined[v] = v;
    }
    for (uint32_t t = 0; t < triangles; ++t) {
        const int in = corners_in_slab(c, t, corner);
        if (in < 3) {
            memcpy(out + 3 * (size_t)(*count)++, c->view->soup->triangles + 3 * (size_t)t,
                   3 * sizeof *out);
        }
        if (in == 2) { // the cut runs along the edge between the two
            const uint32_t a = lmbi_union_root(c->joined, corner[0]),
                           b = lmbi_union_root(c->joined, corner[1]);
            c->joined[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (uint32_t t = 0; t < triangles && *count < triangles; ++t) {
        const bool rim = corners_in_slab(c, t, corner) == 2;
        const uint32_t root = lmbi_union_root(c->joined, corner[0]);
        if (rim && root != corner[0] && root != corner[1]) {
            const uint32_t lid[3] = {c->corner[root], c->corner[corner[0]], c->corner[corner[1]]};
            memcpy(out + 3 * (size_t)(*count)++, lid, sizeof lid);
        }
    }
}

lmb_result lmbi_slab_strip(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                           uint32_t *out_triangles, uint32_t *out_count, lmb_error *error)
{
    static const lmb_vec3 ends[6] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                     {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    lmb_surface *surface = NULL;
    lmbi_arena arena;
    *out_count = 0;
    lmb_result result = lmbi_soup_surface(soup, true, alloc, &surface, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_arena_init(&arena, alloc);
    cut c = {.surface = surface};
    c.joined = lmbi_arena_array(&arena, surface->vertex_count, sizeof *c.joined);
    c.corner = lmbi_arena_array(&arena, surface->vertex_count, sizeof *c.corner);
    if (!c.joined || !c.corner) {
        result = lmbi_fail_memory(error);
    }
    for (int end = 0; result == LMB_OK && end < 6 && *out_count == 0; ++end) {
        const slab_view view =
            view_along(soup, ends[end], ends[(end / 2 * 2 + 2) % 6], ends[(end / 2 * 2 + 4) % 6]);
        c.view = &view;
        if (find_slab(&view, &c.top) && leaves_most(&c)) {
            cut_off(&c, out_triangles, out_count);
        }
    }
    lmbi_arena_free(&arena);
    lmb_surface_destroy(surface);
    return result;
}

// ---- under an embedding

/// Marks the vertices below a height of the pieces that lie there wholly, or of all if there are
/// none.
static uint32_t mark_below(const lmb_surface *s, lmb_vec3 up, float top, const uint32_t *piece_of,
                           bool *reaches_above, uint8_t *out)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        reaches_above[piece_of[v]] |= lmb_vec3_dot(s->positions[v], up) >= top;
    }
    for (int connected = 0; connected < 2 && count == 0; ++connected) {
        for (uint32_t v = 0; v < s->vertex_count; ++v) {
            out[v] = lmb_vec3_dot(s->positions[v], up) < top &&
                     (connected || !reaches_above[piece_of[v]]);
            count += out[v];
        }
    }
    return count;
}

lmb_result lmbi_slab_find_vertices(const lmb_surface *surface, const lmb_embedding *embedding,
                                   const lmb_allocator *alloc, uint8_t *out, uint32_t *out_count,
                                   lmb_error *error)
{
    const lmbi_triangle_soup soup = {surface->positions, surface->vertex_count, surface->triangles,
                                     surface->triangle_count};
    const slab_view view = view_along(&soup, embedding->up, embedding->forward, embedding->left);
    float top;
    bool found = find_slab(&view, &top);
    for (uint32_t j = 0; j < embedding->joint_count; ++j) {
        const float height = lmb_vec3_dot(embedding->joints[j], embedding->up);
        found = found && height > top - UNEVEN * view.size;
    }
    *out_count = 0;
    memset(out, 0, surface->vertex_count);
    if (!found) {
        return LMB_OK;
    }
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    uint32_t *piece_of = lmbi_arena_array(&arena, surface->vertex_count, sizeof *piece_of), pieces;
    bool *reaches_above = lmbi_arena_array(&arena, surface->vertex_count, sizeof *reaches_above);
    lmb_result result = piece_of && reaches_above ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        result = lmb_surface_components(surface, alloc, piece_of, &pieces, error);
    }
    if (result == LMB_OK) {
        *out_count = mark_below(surface, embedding->up, top, piece_of, reaches_above, out);
    }
    lmbi_arena_free(&arena);
    return result;
}
