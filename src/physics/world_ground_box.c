/// Boxes on a facet of the ground: the axis of least overlap (Gottschalk, Lin and Manocha 1996), of
/// those that the facet's neighbours leave to it.
#include <string.h>

#include "physics/world_ground.h"

typedef struct frame {
    lmbi_v3 center, axes[3];
    double half[3];
} frame;

static frame frame_of(const lmbi_shape *s)
{
    return (frame){s->at[0],
                   {lmbi_rotate(s->turn, lmbi_v3_make(1, 0, 0)),
                    lmbi_rotate(s->turn, lmbi_v3_make(0, 1, 0)),
                    lmbi_rotate(s->turn, lmbi_v3_make(0, 0, 1))},
                   {s->half.x, s->half.y, s->half.z}};
}

static double reach(const frame *b, lmbi_v3 n)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += b->half[k] * fabs(lmbi_v3_dot(b->axes[k], n));
    }
    return sum;
}

/// The way out of least depth so far: -1 the facet's face, 0 to 2 a face of the box, from 3 an edge
/// of each (3 + 3 * box axis + edge).
typedef struct way {
    int axis;
    double depth;
    lmbi_v3 up;
} way;

/// False when the axis parts the two.
static bool try_axis(const frame *b, const lmbi_facet *f, lmbi_v3 n, int axis, double near,
                     way *best)
{
    const double at = lmbi_v3_dot(b->center, n), r = reach(b, n);
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
        const double d = lmbi_v3_dot(f->p[k], n);
        low = lmbi_min(low, d);
        high = lmbi_max(high, d);
    }
    const double along = high - (at - r), against = (at + r) - low;
    if (along < -near || against < -near) {
        return false;
    }
    const lmbi_v3 up = along < against ? n : lmbi_v3_neg(n);
    const double depth = lmbi_min(along, against);
    // The face goes first: contacts of faces are steadier.
    if (depth < 0.95 * best->depth - 1e-4 && lmbi_v3_dot(up, f->n) > -0.02) {
        *best = (way){axis, depth, up};
    }
    return true;
}

static bool least_way(const frame *b, const lmbi_facet *f, double near, way *best)
{
    for (int k = 0; k < 3; ++k) {
        if (!try_axis(b, f, b->axes[k], k, near, best)) {
            return false;
        }
    }
    for (int k = 0; k < 9; ++k) {
        const lmbi_v3 edge = lmbi_v3_sub(f->p[(k % 3 + 1) % 3], f->p[k % 3]);
        const lmbi_v3 n = lmbi_v3_cross(b->axes[k / 3], edge);
        const double size = lmbi_v3_length(n);
        if (size > 1e-3 * lmbi_v3_length(edge) &&
            !try_axis(b, f, lmbi_v3_scale(n, 1.0 / size), 3 + k, near, best)) {
            return false;
        }
    }
    return true;
}

/// Keeps what of a polygon lies on the inner side: dot(n, p) <= most.
static int cut(lmbi_v3 *polygon, int count, lmbi_v3 n, double most)
{
    lmbi_v3 out[16];
    int kept = 0;
    for (int k = 0; k < count; ++k) {
        const lmbi_v3 p = polygon[k], q = polygon[(k + 1) % count];
        const double dp = lmbi_v3_dot(n, p) - most, dq = lmbi_v3_dot(n, q) - most;
        if (dp <= 0.0) {
            out[kept++] = p;
        }
        if ((dp < 0.0 && dq > 0.0) || (dp > 0.0 && dq < 0.0)) {
            out[kept++] = lmbi_v3_lerp(p, q, dp / (dp - dq));
        }
    }
    memcpy(polygon, out, (size_t)kept * sizeof *out);
    return kept;
}

/// The corners of the box's face that looks most against `up`.
static void lowest_face(const frame *b, lmbi_v3 up, lmbi_v3 corners[4])
{
    int axis = 0;
    for (int k = 1; k < 3; ++k) {
        axis = fabs(lmbi_v3_dot(b->axes[k], up)) > fabs(lmbi_v3_dot(b->axes[axis], up)) ? k : axis;
    }
    const double sign = lmbi_v3_dot(b->axes[axis], up) > 0.0 ? -1.0 : 1.0;
    const lmbi_v3 middle = lmbi_v3_mad(b->center, b->axes[axis], sign * b->half[axis]);
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    static const double around[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    for (int k = 0; k < 4; ++k) {
        corners[k] = lmbi_v3_mad(lmbi_v3_mad(middle, b->axes[u], around[k][0] * b->half[u]),
                                 b->axes[v], around[k][1] * b->half[v]);
    }
}

/// What of the box's lowest face is over the facet.
static void on_facet(lmbi_tread *t, const frame *b, const lmbi_facet *f)
{
    lmbi_v3 polygon[16];
    int count = 4;
    lowest_face(b, f->n, polygon);
    for (int k = 0; k < 3; ++k) {
        count = cut(polygon, count, f->out[k], lmbi_v3_dot(f->out[k], f->p[k]) + 1e-9);
    }
    for (int k = 0; k < count; ++k) {
        const double side = lmbi_v3_dot(lmbi_v3_sub(polygon[k], f->p[0]), f->n);
        if (side < t->near) {
            lmbi_tread_add(t, polygon[k], lmbi_v3_mad(polygon[k], f->n, -side), f->n);
        }
    }
}

/// What of the facet is over the box's face `axis`, which looks along -up.
static void on_box(lmbi_tread *t, const frame *b, const lmbi_facet *f, const way *w)
{
    lmbi_v3 polygon[16] = {f->p[0], f->p[1], f->p[2]};
    int count = 3;
    for (int k = 1; k < 3; ++k) {
        const int side = (w->axis + k) % 3;
        const double at = lmbi_v3_dot(b->axes[side], b->center);
        count = cut(polygon, count, b->axes[side], at + b->half[side]);
        count = cut(polygon, count, lmbi_v3_neg(b->axes[side]), b->half[side] - at);
    }
    const double face = lmbi_v3_dot(b->center, w->up) - b->half[w->axis];
    for (int k = 0; k < count; ++k) {
        const double in = lmbi_v3_dot(polygon[k], w->up) - face;
        if (in > -t->near) {
            lmbi_tread_add(t, lmbi_v3_mad(polygon[k], w->up, -in), polygon[k], w->up);
        }
    }
}

static void edges(lmbi_tread *t, const frame *b, const lmbi_facet *f, const way *w)
{
    const int axis = (w->axis - 3) / 3, edge = (w->axis - 3) % 3;
    lmbi_v3 middle = b->center;
    for (int k = 0; k < 3; ++k) {
        if (k != axis) {
            const double sign = lmbi_v3_dot(b->axes[k], w->up) > 0.0 ? -1.0 : 1.0;
            middle = lmbi_v3_mad(middle, b->axes[k], sign * b->half[k]);
        }
    }
    const lmbi_v3 d = lmbi_v3_scale(b->axes[axis], b->half[axis]);
    const lmbi_v3 from = f->p[edge], to = f->p[(edge + 1) % 3];
    double s, u;
    lmbi_segments_closest(lmbi_v3_sub(middle, d), lmbi_v3_add(middle, d), from, to, &s, &u);
    lmbi_tread_add(t, lmbi_v3_mad(middle, d, 2.0 * s - 1.0), lmbi_v3_lerp(from, to, u), w->up);
}

/// Whether the facet's neighbours leave that way to it.
static bool leans(const lmbi_facet *f, lmbi_v3 up)
{
    for (int k = 0; k < 3; ++k) {
        if (lmbi_v3_dot(up, f->out[k]) > 0.02 && !lmbi_facet_leans(f, k, up)) {
            return false;
        }
    }
    return true;
}

void lmbi_tread_box(lmbi_tread *t, const lmbi_facet *f)
{
    const frame b = frame_of(t->shape);
    const double over = lmbi_v3_dot(lmbi_v3_sub(b.center, f->p[0]), f->n);
    const bool front =
        over >= 0.0 || t->solid || lmbi_v3_dot(lmbi_v3_sub(t->was[0], f->p[0]), f->n) >= 0.0;
    way w = {-1, reach(&b, f->n) - over, f->n};
    if (!front || w.depth < -t->near || !least_way(&b, f, t->near, &w)) {
        return;
    }
    if (w.axis < 0 || !leans(f, w.up)) {
        on_facet(t, &b, f);
    } else if (w.axis < 3) {
        on_box(t, &b, f, &w);
    } else {
        edges(t, &b, f, &w);
    }
}
