#include "embed/shape/fused_slab.h"

#include <math.h>

/// Shares of the longest side: the thickest slab, the narrowest, how uneven a face may be.
static const float THICK = 0.15f, WIDE = 0.2f, UNEVEN = 0.012f;
/// So many times as wide as thick; how much of its box the face covers, beside what stands on it.
static const float FLAT = 2.5f, COVERED = 0.4f;
/// Of the face in the middle: between two shoes there is nothing.
static const float MIDDLE = 0.2f;
/// Cosine of what is level.
static const float LEVEL = 0.9f;

enum { BINS = 48 };

typedef struct slab_view {
    const lmbi_fused_slab_job *job;
    lmb_vec3 in, u, w; ///< from the end inward, and across
    float end, size;   ///< where the surface ends along -in; its longest side
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

/// The area of a level facet, seen along the axis; 0 of others.
static float level_area(const slab_view *l, const facet *f)
{
    const lmb_vec3 n =
        lmb_vec3_cross(lmb_vec3_sub(f->p[1], f->p[0]), lmb_vec3_sub(f->p[2], f->p[0]));
    const float projected = fabsf(lmb_vec3_dot(n, l->in));
    return projected > LEVEL * lmb_vec3_length(n) ? 0.5f * projected : 0;
}

/// The depth at which most of what is level lies, behind the end itself; 0 where there is too little
/// of it for the narrowest slab.
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

/// The box, across, of what lies before a depth as a whole.
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

/// How much of a facet's extent along one side of the box lies in the strip through its middle.
static float fraction_in_strip(const rect *box, const rect *own, int k)
{
    const float side = box->high[k] - box->low[k], extent = own->high[k] - own->low[k];
    const float from = box->low[k] + 0.5f * (1 - MIDDLE) * side, to = from + MIDDLE * side;
    const float within = fminf(own->high[k], to) - fmaxf(own->low[k], from);
    return within > 0 && extent > 0 ? within / extent : 0;
}

/// What is level at a depth.
typedef struct face {
    double area, strip[2]; ///< strips through the middle of the box
    double sum, squares;   ///< of depths, times areas
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

/// Most of the box, and of the strips through its middle.
static bool covers(const face *m, const rect *box)
{
    const double wanted = (double)COVERED * (double)(box->high[0] - box->low[0]) *
                          (double)(box->high[1] - box->low[1]);
    return m->area > wanted && fmin(m->strip[0], m->strip[1]) > (double)MIDDLE * wanted;
}

/// How much deeper than `depth` what is level there reaches, but for a few bumps.
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
    if (!covers(&inner, &r) || !covers(&outer, &r)) {
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
