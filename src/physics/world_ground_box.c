/// Box against a facet of the ground: separating axis of least overlap (Gottschalk, Lin and Manocha
/// 1996), among the normals that the facet's neighbours allow.
#include "physics/world_collide.h"
#include "physics/world_ground.h"

/// Axis of least depth so far: -1 the facet's normal, 0 to 2 a face of the box, from 3 an edge of
/// each (3 + 3 * box axis + edge).
typedef struct separation {
    int axis;
    double depth;
    lmbi_v3 up;
} separation;

/// False if the axis separates the two.
static bool try_axis(const lmbi_box_frame *b, const lmbi_facet *f, lmbi_v3 n, int axis, double near,
                     separation *best)
{
    const double at = lmbi_v3_dot(b->center, n), r = lmbi_box_extent(b, n);
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
    // Face contacts are steadier, and win over slightly less deep axes.
    if (depth < 0.95 * best->depth - 1e-4 && lmbi_v3_dot(up, f->n) > -0.02) {
        *best = (separation){axis, depth, up};
    }
    return true;
}

static bool find_least_separation(const lmbi_box_frame *b, const lmbi_facet *f, double near,
                                  separation *best)
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

/// Clips the box's face nearest to the facet by the facet's edges.
static void collide_with_facet(lmbi_ground_collision *t, const lmbi_box_frame *b,
                               const lmbi_facet *f)
{
    lmbi_v3 polygon[LMBI_POLYGON];
    int count = 4;
    lmbi_box_face(b, f->n, polygon);
    for (int k = 0; k < 3; ++k) {
        count =
            lmbi_polygon_clip(polygon, count, f->out[k], lmbi_v3_dot(f->out[k], f->p[k]) + 1e-9);
    }
    for (int k = 0; k < count; ++k) {
        const double side = lmbi_v3_dot(lmbi_v3_sub(polygon[k], f->p[0]), f->n);
        if (side < t->margin) {
            lmbi_candidate_add(t, polygon[k], lmbi_v3_mad(polygon[k], f->n, -side), f->n);
        }
    }
}

/// Clips the facet by the box's face `axis`, whose normal is -up.
static void collide_with_box_face(lmbi_ground_collision *t, const lmbi_box_frame *b,
                                  const lmbi_facet *f, const separation *w)
{
    lmbi_v3 polygon[LMBI_POLYGON] = {f->p[0], f->p[1], f->p[2]};
    int count = 3;
    for (int k = 1; k < 3; ++k) {
        const int side = (w->axis + k) % 3;
        const double at = lmbi_v3_dot(b->axes[side], b->center);
        count = lmbi_polygon_clip(polygon, count, b->axes[side], at + b->half[side]);
        count = lmbi_polygon_clip(polygon, count, lmbi_v3_neg(b->axes[side]), b->half[side] - at);
    }
    const double face = lmbi_v3_dot(b->center, w->up) - b->half[w->axis];
    for (int k = 0; k < count; ++k) {
        const double in = lmbi_v3_dot(polygon[k], w->up) - face;
        if (in > -t->margin) {
            lmbi_candidate_add(t, lmbi_v3_mad(polygon[k], w->up, -in), polygon[k], w->up);
        }
    }
}

static void collide_edges(lmbi_ground_collision *t, const lmbi_box_frame *b, const lmbi_facet *f,
                          const separation *w)
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
    lmbi_candidate_add(t, lmbi_v3_mad(middle, d, 2.0 * s - 1.0), lmbi_v3_lerp(from, to, u), w->up);
}

/// Whether the facet's neighbours allow `up` as contact normal.
static bool allows_normal(const lmbi_facet *f, lmbi_v3 up)
{
    for (int k = 0; k < 3; ++k) {
        if (lmbi_v3_dot(up, f->out[k]) > 0.02 && !lmbi_facet_allows(f, k, up)) {
            return false;
        }
    }
    return true;
}

void lmbi_ground_collide_box(lmbi_ground_collision *t, const lmbi_facet *f)
{
    const lmbi_box_frame b = lmbi_box_frame_of(t->shape);
    const double over = lmbi_v3_dot(lmbi_v3_sub(b.center, f->p[0]), f->n);
    const bool front =
        over >= 0.0 || t->solid || lmbi_v3_dot(lmbi_v3_sub(t->start_ends[0], f->p[0]), f->n) >= 0.0;
    separation w = {-1, lmbi_box_extent(&b, f->n) - over, f->n};
    if (!front || w.depth < -t->margin || !find_least_separation(&b, f, t->margin, &w)) {
        return;
    }
    if (w.axis < 0 || !allows_normal(f, w.up)) {
        collide_with_facet(t, &b, f);
    } else if (w.axis < 3) {
        collide_with_box_face(t, &b, f, &w);
    } else {
        collide_edges(t, &b, f, &w);
    }
}
