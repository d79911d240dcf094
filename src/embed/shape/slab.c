/// Slabs: flat bases that a figure stands on, pieces of their own or connected with it.
#include "embed/shape/shape.h"

#include "base/alloc.h"
#include "base/error.h"
#include "geometry/adjacency.h"
#include "geometry/union_find.h"

#include <math.h>
#include <string.h>

typedef struct slab_job {
    const lmb_vec3 *positions;
    const uint32_t *triangles;
    uint32_t triangle_count;
    lmb_vec3 axes[3]; ///< unit, orthogonal
    lmb_box bounds;   ///< along the axes: bounds_of
} slab_job;

typedef struct slab_face {
    lmb_vec3 out; ///< one of the axes or its opposite: from the figure into the slab
    float face;   ///< along `out`: where the slab begins
} slab_face;

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

enum { BINS = 48 };

typedef struct slab_view {
    const slab_job *job;
    lmb_vec3 in, u, w; ///< from the end inward, and the two axes across
    float end, size;   ///< where the surface begins along `in`; its longest side
} slab_view;

static float depth_of(const slab_view *l, lmb_vec3 p)
{
    return lmb_vec3_dot(p, l->in) - l->end;
}

typedef struct facet {
    lmb_vec3 p[3];
    float deepest, middle;
} facet;

static facet facet_of(const slab_view *l, uint32_t triangle)
{
    facet f;
    const uint32_t *corner = l->job->triangles + 3 * (size_t)triangle;
    for (int k = 0; k < 3; ++k) {
        f.p[k] = l->job->positions[corner[k]];
    }
    const float a = depth_of(l, f.p[0]), b = depth_of(l, f.p[1]), c = depth_of(l, f.p[2]);
    f.deepest = fmaxf(a, fmaxf(b, c));
    f.middle = 0.5f * (f.deepest + fminf(a, fminf(b, c)));
    return f;
}

/// The area of a level facet projected along the axis; 0 if it is not level.
static float level_area(const slab_view *l, const facet *f)
{
    const lmb_vec3 n =
        lmb_vec3_cross(lmb_vec3_sub(f->p[1], f->p[0]), lmb_vec3_sub(f->p[2], f->p[0]));
    const float projected = fabsf(lmb_vec3_dot(n, l->in));
    return projected > LEVEL * lmb_vec3_length(n) ? 0.5f * projected : 0;
}

/// The depth with the most level area, apart from the end itself; 0 if that is too little for the
/// narrowest slab.
static float find_face(const slab_view *l)
{
    double area[BINS] = {0};
    const float per_bin = BINS / (THICK * l->size);
    for (uint32_t t = 0; t < l->job->triangle_count; ++t) {
        const facet f = facet_of(l, t);
        if (f.middle > UNEVEN * l->size && f.deepest < THICK * l->size) {
            area[(int)(f.middle * per_bin)] += (double)level_area(l, &f);
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
    const bool enough = most > (double)(COVERED * WIDE * WIDE * l->size * l->size);
    return enough ? ((float)best + 0.5f) / per_bin : 0;
}

typedef struct rect {
    float low[2], high[2];
} rect;

static const rect EMPTY = {{1e30f, 1e30f}, {-1e30f, -1e30f}};

static void add_to_rect(const slab_view *l, rect *r, lmb_vec3 p)
{
    const float at[2] = {lmb_vec3_dot(p, l->u), lmb_vec3_dot(p, l->w)};
    for (int k = 0; k < 2; ++k) {
        r->low[k] = fminf(r->low[k], at[k]);
        r->high[k] = fmaxf(r->high[k], at[k]);
    }
}

/// The box across the axis of the triangles that lie wholly before a depth.
static rect box_before(const slab_view *l, float depth)
{
    rect r = EMPTY;
    for (uint32_t t = 0; t < l->job->triangle_count; ++t) {
        const facet f = facet_of(l, t);
        for (int k = 0; k < 3 && f.deepest < depth; ++k) {
            add_to_rect(l, &r, f.p[k]);
        }
    }
    return r;
}

/// The fraction of a facet's extent along one side of the box that lies in the strip through its
/// middle.
static float fraction_in_strip(const rect *box, const rect *own, int k)
{
    const float side = box->high[k] - box->low[k], extent = own->high[k] - own->low[k];
    const float from = box->low[k] + 0.5f * (1 - MIDDLE) * side, to = from + MIDDLE * side;
    const float within = fminf(own->high[k], to) - fmaxf(own->low[k], from);
    return within > 0 && extent > 0 ? within / extent : 0;
}

/// The level facets at one depth.
typedef struct face {
    double area, strip[2]; ///< strips through the middle of the box
    double sum, squares;   ///< of depths weighted by area
} face;

static face measure_face(const slab_view *l, const rect *box, float depth)
{
    face m = {0};
    for (uint32_t t = 0; t < l->job->triangle_count; ++t) {
        const facet f = facet_of(l, t);
        if (fabsf(f.middle - depth) > UNEVEN * l->size) {
            continue;
        }
        const double area = (double)level_area(l, &f), off = (double)(f.middle - depth);
        rect own = EMPTY;
        for (int k = 0; k < 3; ++k) {
            add_to_rect(l, &own, f.p[k]);
        }
        m.area += area;
        m.sum += area * off;
        m.squares += area * off * off;
        for (int k = 0; k < 2; ++k) {
            m.strip[k] += area * (double)fraction_in_strip(box, &own, k);
        }
    }
    return m;
}

/// Whether the facets cover enough of the box and of the strips through its middle.
static bool face_covers(const face *m, const rect *box)
{
    const double wanted = (double)COVERED * (double)(box->high[0] - box->low[0]) *
                          (double)(box->high[1] - box->low[1]);
    return m->area > wanted && fmin(m->strip[0], m->strip[1]) > (double)MIDDLE * wanted;
}

/// How much deeper than `depth` the level facets there reach, apart from outliers: mean plus 2.5
/// standard deviations.
static float reach_of(const face *m)
{
    const double mean = m->sum / m->area, spread = m->squares / m->area - mean * mean;
    return (float)mean + 2.5f * lmb_sqrt(fmaxf((float)spread, 0));
}

/// The value of `bounds` for the other members of a job.
static lmb_box bounds_of(const slab_job *job)
{
    lmb_box box = lmb_box_empty();
    for (uint32_t c = 0; c < 3 * job->triangle_count; ++c) {
        const lmb_vec3 p = job->positions[job->triangles[c]];
        box = lmb_box_add(box, lmb_vec3_make(lmb_vec3_dot(p, job->axes[0]),
                                             lmb_vec3_dot(p, job->axes[1]),
                                             lmb_vec3_dot(p, job->axes[2])));
    }
    return box;
}

static slab_view view_from_end(const slab_job *job, int axis, bool high)
{
    const lmb_vec3 low = job->bounds.low, top = job->bounds.high, side = lmb_vec3_sub(top, low);
    const float lows[3] = {low.x, low.y, low.z}, tops[3] = {top.x, top.y, top.z};
    return (slab_view){.job = job,
                       .in = high ? lmb_vec3_neg(job->axes[axis]) : job->axes[axis],
                       .u = job->axes[(axis + 1) % 3],
                       .w = job->axes[(axis + 2) % 3],
                       .end = high ? -tops[axis] : lows[axis],
                       .size = lmbi_longest_side(side)};
}

/// Tests one end of the surface along `axis` (0 to 2), its high or its low one. A slab is much
/// wider than thick; both its faces are level and cover most of its box and its middle, except
/// where the figure stands. False if there is none.
static bool find_at_end(const slab_job *job, int axis, bool high, slab_face *out)
{
    const slab_view l = view_from_end(job, axis, high);
    const float depth = find_face(&l), slack = UNEVEN * l.size;
    if (!(depth > 0)) {
        return false;
    }
    const rect r = box_before(&l, depth + slack);
    const float narrow = fminf(r.high[0] - r.low[0], r.high[1] - r.low[1]);
    if (!(narrow > WIDE * l.size) || !(narrow > FLAT * depth)) {
        return false;
    }
    const face inner = measure_face(&l, &r, depth), outer = measure_face(&l, &r, 0);
    if (!face_covers(&inner, &r) || !face_covers(&outer, &r)) {
        return false;
    }
    const float deepest = depth + reach_of(&inner) + 0.1f * slack;
    *out = (slab_face){lmb_vec3_neg(l.in), -(l.end + deepest)};
    return true;
}

/// Whether all three corners of a triangle lie in the slab.
static bool slab_holds(const slab_job *job, const slab_face *slab, uint32_t triangle)
{
    const uint32_t *corner = job->triangles + 3 * (size_t)triangle;
    bool holds = true;
    for (int k = 0; k < 3; ++k) {
        holds = holds && lmb_vec3_dot(job->positions[corner[k]], slab->out) > slab->face;
    }
    return holds;
}

// ---- cutting it off

/// The box of the triangles that are not in the slab; of all triangles if `slab` is NULL.
static lmb_box box_beside(const slab_job *job, const slab_face *slab)
{
    lmb_box box = lmb_box_empty();
    for (uint32_t t = 0; t < job->triangle_count; ++t) {
        for (size_t k = 0; k < 3 && !(slab && slab_holds(job, slab, t)); ++k) {
            box = lmb_box_add(box, job->positions[job->triangles[3 * (size_t)t + k]]);
        }
    }
    return box;
}

static float size_of(lmb_box box)
{
    return lmbi_longest_side(lmb_vec3_sub(box.high, box.low));
}

/// Finds a slab at any end of the mesh, provided that the rest is most of the mesh.
static bool find_slab(const slab_job *job, slab_face *out)
{
    const float most = 0.5f;
    for (int end = 0; end < 6; ++end) {
        if (find_at_end(job, end / 2, end % 2 == 1, out) &&
            size_of(box_beside(job, out)) > most * size_of(box_beside(job, NULL))) {
            return true;
        }
    }
    return false;
}

typedef struct cut {
    const lmbi_triangle_soup *soup;
    const lmb_surface *surface;
    lmbi_adjacency *edges;
    uint8_t *gone;    ///< [triangle_count] 1 for a triangle in the slab
    uint32_t *joined; ///< [vertex_count] union-find parent among vertices of the same rim
    uint32_t *corner; ///< [vertex_count] a vertex of the triangle soup at this position
} cut;

/// Whether the cut runs along an edge: it has triangles that stay and triangles that go.
static bool is_rim(const cut *c, uint32_t edge)
{
    bool stays = false, goes = false;
    for (uint32_t k = c->edges->edge_first[edge]; k < c->edges->edge_first[edge + 1]; ++k) {
        const bool gone = c->gone[c->edges->edge_triangles[k]] != 0;
        stays = stays || !gone;
        goes = goes || gone;
    }
    return stays && goes;
}

/// Unites the vertices of each rim. There is none where the slab is a piece of its own.
static void join_rims(cut *c)
{
    for (uint32_t v = 0; v < c->surface->vertex_count; ++v) {
        c->joined[v] = v;
    }
    for (uint32_t e = 0; e < c->edges->edge_count; ++e) {
        if (is_rim(c, e)) {
            const uint32_t a = lmbi_union_root(c->joined, c->edges->edges[2 * (size_t)e]),
                           b = lmbi_union_root(c->joined, c->edges->edges[2 * (size_t)e + 1]);
            c->joined[a > b ? a : b] = a > b ? b : a;
        }
    }
}

/// Closes each rim with a triangle fan. The removed slab leaves enough room in `out` except in
/// degenerate meshes, where fans are cut short.
static void add_lids(const cut *c, uint32_t *out, uint32_t *count)
{
    for (uint32_t e = 0; e < c->edges->edge_count && *count < c->surface->triangle_count; ++e) {
        const uint32_t a = c->edges->edges[2 * (size_t)e], b = c->edges->edges[2 * (size_t)e + 1];
        if (is_rim(c, e) && lmbi_union_root(c->joined, a) != a &&
            lmbi_union_root(c->joined, b) != b) {
            const uint32_t lid[3] = {c->corner[lmbi_union_root(c->joined, a)], c->corner[a],
                                     c->corner[b]};
            memcpy(out + 3 * (size_t)(*count)++, lid, sizeof lid);
        }
    }
}

static void copy_rest(cut *c, const slab_job *job, const slab_face *slab, uint32_t *out,
                      uint32_t *count)
{
    for (uint32_t t = 0; t < job->triangle_count; ++t) {
        const uint32_t *from = c->soup->triangles + 3 * (size_t)t;
        for (int k = 0; k < 3; ++k) {
            c->corner[job->triangles[3 * (size_t)t + (size_t)k]] = from[k];
        }
        c->gone[t] = slab_holds(job, slab, t);
        if (!c->gone[t]) {
            memcpy(out + 3 * (size_t)(*count)++, from, 3 * sizeof *from);
        }
    }
}

static lmb_result cut_slab(cut *c, const slab_job *job, const slab_face *slab,
                           const lmb_allocator *alloc, uint32_t *out, uint32_t *count,
                           lmb_error *error)
{
    const lmb_surface *s = c->surface;
    lmb_result result = lmbi_adjacency_create(s, alloc, &c->edges, error);
    if (result == LMB_OK) {
        c->gone = lmbi_alloc_array(alloc, s->triangle_count, 1);
        c->joined = lmbi_alloc_array(alloc, s->vertex_count, sizeof *c->joined);
        c->corner = lmbi_alloc_array(alloc, s->vertex_count, sizeof *c->corner);
        result = c->gone && c->joined && c->corner ? LMB_OK : lmbi_fail_memory(error);
    }
    if (result == LMB_OK) {
        copy_rest(c, job, slab, out, count);
        join_rims(c);
        add_lids(c, out, count);
    }
    lmbi_free(alloc, c->corner);
    lmbi_free(alloc, c->joined);
    lmbi_free(alloc, c->gone);
    lmbi_adjacency_destroy(c->edges);
    return result;
}

lmb_result lmbi_slab_strip(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                           uint32_t *out_triangles, uint32_t *out_count, lmb_error *error)
{
    const lmb_surface_opts opts = {.keep_degenerate = true};
    cut c = {.soup = soup};
    *out_count = 0;
    lmb_surface *surface = NULL;
    lmb_result result = lmbi_soup_surface(soup, &opts, alloc, &surface, error);
    if (result != LMB_OK) {
        return result;
    }
    slab_job job = {.positions = surface->positions,
                    .triangles = surface->triangles,
                    .triangle_count = surface->triangle_count,
                    .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    slab_face slab;
    c.surface = surface;
    job.bounds = bounds_of(&job);
    if (find_slab(&job, &slab)) {
        result = cut_slab(&c, &job, &slab, alloc, out_triangles, out_count, error);
    }
    lmb_surface_destroy(surface);
    return result;
}

// ---- under an embedding

/// What of a connected piece decides whether it is a slab.
typedef struct slab_piece {
    lmb_box box;   ///< in axes of which one is vertical
    double volume; ///< signed, in the same unit cubed
} slab_piece;

/// A piece lies within AT_END of an end, in longest sides, is FLATTER times as wide as thick, and
/// fills FILLED of its box; a disc fills 0.79.
static const float AT_END = 0.02f, FLATTER = 2, FILLED = 0.45f;

static float component(lmb_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/// Whether a piece is a slab perpendicular to `axis` at an end of the whole: thin along it, wide
/// across it, and filled. A pair of shoes is not, since there is air between them.
static bool is_slab(const slab_piece *piece, lmb_box whole, int axis)
{
    const lmb_vec3 e = lmb_vec3_sub(piece->box.high, piece->box.low),
                   all = lmb_vec3_sub(whole.high, whole.low);
    const float size = lmbi_longest_side(all), thick = component(e, axis),
                wide = fminf(component(e, (axis + 1) % 3), component(e, (axis + 2) % 3));
    const bool at_end =
        component(piece->box.low, axis) <= component(whole.low, axis) + AT_END * size ||
        component(piece->box.high, axis) >= component(whole.high, axis) - AT_END * size;
    const double box = (double)e.x * (double)e.y * (double)e.z;
    const bool filled = !(thick > 0.01f * size) || fabs(piece->volume) > (double)FILLED * box;
    return at_end && thick < THICK * size && wide > WIDE * size && wide > FLATTER * thick && filled;
}

typedef struct slab_finder {
    const lmb_surface *surface;
    lmb_vec3 axes[3], origin;
    uint32_t *piece_of, piece_count;
    slab_piece *pieces;
    lmb_box whole;
} slab_finder;

static lmb_vec3 in_axes(const slab_finder *f, lmb_vec3 p)
{
    const lmb_vec3 d = lmb_vec3_sub(p, f->origin);
    return lmb_vec3_make(lmb_vec3_dot(d, f->axes[0]), lmb_vec3_dot(d, f->axes[1]),
                         lmb_vec3_dot(d, f->axes[2]));
}

static void measure_pieces(slab_finder *f)
{
    const lmb_surface *s = f->surface;
    f->whole = lmb_box_empty();
    for (uint32_t k = 0; k < f->piece_count; ++k) {
        f->pieces[k].box = lmb_box_empty();
    }
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *c = s->triangles + 3 * (size_t)t;
        slab_piece *piece = &f->pieces[f->piece_of[c[0]]];
        lmb_vec3 p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = in_axes(f, s->positions[c[k]]);
            piece->box = lmb_box_add(piece->box, p[k]);
            f->whole = lmb_box_add(f->whole, p[k]);
        }
        piece->volume += (double)lmb_vec3_dot(p[0], lmb_vec3_cross(p[1], p[2])) / 6;
    }
}

static lmb_result find_pieces(slab_finder *f, const lmb_allocator *alloc, lmb_error *error)
{
    f->piece_of = lmbi_alloc_array(alloc, f->surface->vertex_count, sizeof *f->piece_of);
    const lmb_result result =
        f->piece_of ? lmb_surface_components(f->surface, alloc, f->piece_of, &f->piece_count, error)
                    : lmbi_fail_memory(error);
    if (result != LMB_OK) {
        return result;
    }
    f->pieces = lmbi_alloc_array(alloc, f->piece_count, sizeof *f->pieces);
    if (!f->pieces) {
        return lmbi_fail_memory(error);
    }
    measure_pieces(f);
    return LMB_OK;
}

/// The height of the lowest joint.
static float lowest_joint(const slab_finder *f, const lmb_embedding *e)
{
    float lowest = INFINITY;
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        lowest = fminf(lowest, in_axes(f, e->joints[j]).y);
    }
    return lowest;
}

static void mark_separate_slabs(const slab_finder *f, float lowest, uint8_t *out,
                                uint32_t *out_count)
{
    *out_count = 0;
    for (uint32_t v = 0; v < f->surface->vertex_count; ++v) {
        const slab_piece *piece = &f->pieces[f->piece_of[v]];
        out[v] = piece->box.high.y < lowest && is_slab(piece, f->whole, 1);
        *out_count += out[v];
    }
}

/// Marks the vertices of a slab that is connected with the body.
static void mark_fused_slab(const slab_finder *f, float lowest, uint8_t *out, uint32_t *out_count)
{
    const lmb_surface *s = f->surface;
    slab_job job = {.positions = s->positions,
                    .triangles = s->triangles,
                    .triangle_count = s->triangle_count,
                    .axes = {f->axes[0], f->axes[1], f->axes[2]}};
    slab_face slab;
    job.bounds = bounds_of(&job);
    if (!find_at_end(&job, 1, false, &slab) ||
        -slab.face - lmb_vec3_dot(f->origin, f->axes[1]) > lowest) {
        return;
    }
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        out[v] = lmb_vec3_dot(s->positions[v], slab.out) > slab.face;
        *out_count += out[v];
    }
}

lmb_result lmbi_slab_find_vertices(const lmb_surface *surface, const lmb_embedding *embedding,
                                   const lmb_allocator *alloc, uint8_t *out, uint32_t *out_count,
                                   lmb_error *error)
{
    slab_finder f = {.surface = surface,
                     .axes = {embedding->left, embedding->up, embedding->forward},
                     .origin = embedding->ground};
    const lmb_result result = find_pieces(&f, alloc, error);
    if (result == LMB_OK) {
        const float lowest = lowest_joint(&f, embedding);
        mark_separate_slabs(&f, lowest, out, out_count);
        if (*out_count == 0) {
            mark_fused_slab(&f, lowest, out, out_count);
        }
    }
    lmbi_free(alloc, f.pieces);
    lmbi_free(alloc, f.piece_of);
    return result;
}
