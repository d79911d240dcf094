#include "embed/shape/shape.h"

#include "base/alloc.h"
#include "base/error.h"
#include "geometry/adjacency.h"

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

enum { BINS = 48 };

typedef struct slab_view {
    const lmbi_fused_slab_job *job;
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

lmb_box lmbi_fused_slab_bounds(const lmbi_fused_slab_job *job)
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

static slab_view view_from_end(const lmbi_fused_slab_job *job, int axis, bool high)
{
    const lmb_vec3 low = job->bounds.low, top = job->bounds.high, side = lmb_vec3_sub(top, low);
    const float lows[3] = {low.x, low.y, low.z}, tops[3] = {top.x, top.y, top.z};
    return (slab_view){.job = job,
                       .in = high ? lmb_vec3_neg(job->axes[axis]) : job->axes[axis],
                       .u = job->axes[(axis + 1) % 3],
                       .w = job->axes[(axis + 2) % 3],
                       .end = high ? -tops[axis] : lows[axis],
                       .size = fmaxf(side.x, fmaxf(side.y, side.z))};
}

bool lmbi_fused_slab_find(const lmbi_fused_slab_job *job, int axis, bool high, lmbi_fused_slab *out)
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
    *out = (lmbi_fused_slab){lmb_vec3_neg(l.in), -(l.end + deepest)};
    return true;
}

bool lmbi_fused_slab_holds(const lmbi_fused_slab_job *job, const lmbi_fused_slab *slab,
                           uint32_t triangle)
{
    const uint32_t *corner = job->triangles + 3 * (size_t)triangle;
    bool holds = true;
    for (int k = 0; k < 3; ++k) {
        holds = holds && lmb_vec3_dot(job->positions[corner[k]], slab->out) > slab->face;
    }
    return holds;
}

// ---- cutting it off

static float longest_side(lmb_box box)
{
    const lmb_vec3 side = lmb_vec3_sub(box.high, box.low);
    return fmaxf(side.x, fmaxf(side.y, side.z));
}

/// The box of the triangles that are not in the slab; of all triangles if `slab` is NULL.
static lmb_box box_beside(const lmbi_fused_slab_job *job, const lmbi_fused_slab *slab)
{
    lmb_box box = lmb_box_empty();
    for (uint32_t t = 0; t < job->triangle_count; ++t) {
        for (size_t k = 0; k < 3 && !(slab && lmbi_fused_slab_holds(job, slab, t)); ++k) {
            box = lmb_box_add(box, job->positions[job->triangles[3 * (size_t)t + k]]);
        }
    }
    return box;
}

/// Finds a slab at any end of the mesh, provided that the rest is most of the mesh.
static bool find_slab(const lmbi_fused_slab_job *job, lmbi_fused_slab *out)
{
    const float most = 0.5f;
    for (int end = 0; end < 6; ++end) {
        if (lmbi_fused_slab_find(job, end / 2, end % 2 == 1, out) &&
            longest_side(box_beside(job, out)) > most * longest_side(box_beside(job, NULL))) {
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

static uint32_t rim_of(const cut *c, uint32_t v)
{
    while (c->joined[v] != v) {
        v = c->joined[v] = c->joined[c->joined[v]];
    }
    return v;
}

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

/// Unites the vertices of each rim. False if there is no rim: then the slab is a piece of its own,
/// which is detected elsewhere.
static bool join_rims(cut *c)
{
    bool any = false;
    for (uint32_t v = 0; v < c->surface->vertex_count; ++v) {
        c->joined[v] = v;
    }
    for (uint32_t e = 0; e < c->edges->edge_count; ++e) {
        if (is_rim(c, e)) {
            const uint32_t a = rim_of(c, c->edges->edges[2 * (size_t)e]),
                           b = rim_of(c, c->edges->edges[2 * (size_t)e + 1]);
            c->joined[a > b ? a : b] = a > b ? b : a;
            any = true;
        }
    }
    return any;
}

/// Closes each rim with a triangle fan. The removed slab leaves enough room in `out` except in
/// degenerate meshes, where fans are cut short.
static void add_lids(const cut *c, uint32_t *out, uint32_t *count)
{
    for (uint32_t e = 0; e < c->edges->edge_count && *count < c->surface->triangle_count; ++e) {
        const uint32_t a = c->edges->edges[2 * (size_t)e], b = c->edges->edges[2 * (size_t)e + 1];
        if (is_rim(c, e) && rim_of(c, a) != a && rim_of(c, b) != b) {
            const uint32_t lid[3] = {c->corner[rim_of(c, a)], c->corner[a], c->corner[b]};
            memcpy(out + 3 * (size_t)(*count)++, lid, sizeof lid);
        }
    }
}

static void copy_rest(cut *c, const lmbi_fused_slab_job *job, const lmbi_fused_slab *slab,
                      uint32_t *out, uint32_t *count)
{
    for (uint32_t t = 0; t < job->triangle_count; ++t) {
        const uint32_t *from = c->soup->triangles + 3 * (size_t)t;
        for (int k = 0; k < 3; ++k) {
            c->corner[job->triangles[3 * (size_t)t + (size_t)k]] = from[k];
        }
        c->gone[t] = lmbi_fused_slab_holds(job, slab, t);
        if (!c->gone[t]) {
            memcpy(out + 3 * (size_t)(*count)++, from, 3 * sizeof *from);
        }
    }
}

static lmb_result cut_slab(cut *c, const lmbi_fused_slab_job *job, const lmbi_fused_slab *slab,
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
        if (join_rims(c)) {
            add_lids(c, out, count);
        } else {
            *count = 0;
        }
    }
    lmbi_free(alloc, c->corner);
    lmbi_free(alloc, c->joined);
    lmbi_free(alloc, c->gone);
    lmbi_adjacency_destroy(c->edges);
    return result;
}

lmb_result lmbi_fused_slab_cut(const lmbi_triangle_soup *soup, const lmb_surface *surface,
                               const lmb_allocator *alloc, uint32_t *out_triangles,
                               uint32_t *out_count, lmb_error *error)
{
    lmbi_fused_slab_job job = {.positions = surface->positions,
                               .triangles = surface->triangles,
                               .triangle_count = surface->triangle_count,
                               .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    cut c = {.soup = soup, .surface = surface};
    lmbi_fused_slab slab;
    job.bounds = lmbi_fused_slab_bounds(&job);
    *out_count = 0;
    return find_slab(&job, &slab)
               ? cut_slab(&c, &job, &slab, alloc, out_triangles, out_count, error)
               : LMB_OK;
}
