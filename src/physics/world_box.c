/// Contacts of boxes with spheres and capsules, and of two boxes.
#include <string.h>

#include "physics/world_collide.h"

// --------------------------------------------------------------------------------- frames of boxes

lmbi_box_frame lmbi_box_frame_of(const lmbi_rigid_shape *s)
{
    return (lmbi_box_frame){s->ends[0],
                            {lmbi_q4_rotate(s->world_rotation, lmbi_v3_make(1, 0, 0)),
                             lmbi_q4_rotate(s->world_rotation, lmbi_v3_make(0, 1, 0)),
                             lmbi_q4_rotate(s->world_rotation, lmbi_v3_make(0, 0, 1))},
                            {s->half.x, s->half.y, s->half.z}};
}

double lmbi_box_extent(const lmbi_box_frame *b, lmbi_v3 n)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += b->half[k] * fabs(lmbi_v3_dot(b->axes[k], n));
    }
    return sum;
}

void lmbi_box_face(const lmbi_box_frame *b, lmbi_v3 n, lmbi_v3 corners[4])
{
    int axis = 0;
    for (int k = 1; k < 3; ++k) {
        axis = fabs(lmbi_v3_dot(b->axes[k], n)) > fabs(lmbi_v3_dot(b->axes[axis], n)) ? k : axis;
    }
    const double sign = lmbi_v3_dot(b->axes[axis], n) > 0.0 ? -1.0 : 1.0;
    const lmbi_v3 middle = lmbi_v3_mad(b->center, b->axes[axis], sign * b->half[axis]);
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    static const double around[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    for (int k = 0; k < 4; ++k) {
        corners[k] = lmbi_v3_mad(lmbi_v3_mad(middle, b->axes[u], around[k][0] * b->half[u]),
                                 b->axes[v], around[k][1] * b->half[v]);
    }
}

int lmbi_polygon_clip(lmbi_v3 *polygon, int count, lmbi_v3 n, double most)
{
    lmbi_v3 out[LMBI_POLYGON];
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

// ------------------------------------------------------------------------------- contacts of boxes

lmbi_v3 lmbi_box_corner(const lmbi_rigid_shape *box, int corner)
{
    const lmbi_v3 h = box->half;
    return lmbi_v3_add(box->ends[0],
                       lmbi_q4_rotate(box->world_rotation,
                                      lmbi_v3_make(corner & 1 ? h.x : -h.x, corner & 2 ? h.y : -h.y,
                                                   corner & 4 ? h.z : -h.z)));
}

static double component(lmbi_v3 v, int k)
{
    return k == 0 ? v.x : (k == 1 ? v.y : v.z);
}

static void set_component(lmbi_v3 *v, int k, double x)
{
    *(k == 0 ? &v->x : (k == 1 ? &v->y : &v->z)) = x;
}

static lmbi_v3 clamped_to_box(lmbi_v3 p, lmbi_v3 h)
{
    return lmbi_v3_make(lmbi_clamp(p.x, -h.x, h.x), lmbi_clamp(p.y, -h.y, h.y),
                        lmbi_clamp(p.z, -h.z, h.z));
}

// ----------------------------------------------------------------------------------- round shapes

/// Contact of the box with a ball about `p`, given in the box's frame.
static void collide_ball(lmbi_collision *m, const lmbi_rigid_shape *box, lmbi_v3 p, double radius)
{
    lmbi_v3 on_box_local = clamped_to_box(p, box->half), n = lmbi_v3_sub(p, on_box_local);
    const double d = lmbi_v3_length(n);
    if (d >= radius + m->margin) {
        return;
    }
    if (d > 1e-7) {
        n = lmbi_v3_scale(n, 1.0 / d);
    } else { // the centre is inside: exit through the nearest face
        int side = 0;
        for (int k = 1; k < 3; ++k) {
            side = component(box->half, k) - fabs(component(p, k)) <
                           component(box->half, side) - fabs(component(p, side))
                       ? k
                       : side;
        }
        const double sign = component(p, side) < 0.0 ? -1.0 : 1.0;
        n = lmbi_v3_make(0, 0, 0);
        set_component(&n, side, sign);
        set_component(&on_box_local, side, sign * component(box->half, side));
    }
    const lmbi_v3 low = lmbi_v3_mad(p, n, -radius);
    const lmbi_v3 normal = lmbi_q4_rotate(box->world_rotation, n),
                  on_box =
                      lmbi_v3_add(box->ends[0], lmbi_q4_rotate(box->world_rotation, on_box_local)),
                  on_ball = lmbi_v3_add(box->ends[0], lmbi_q4_rotate(box->world_rotation, low));
    if (box == m->b) {
        lmbi_contact_add(m, on_ball, on_box, normal);
    } else {
        lmbi_contact_add(m, on_box, on_ball, lmbi_v3_neg(normal));
    }
}

/// Fraction of p0 p1 nearest to the box. Distance to a convex set is convex along a line, so its
/// slope's sign is bisected.
static double nearest_fraction(lmbi_v3 p0, lmbi_v3 p1, lmbi_v3 half)
{
    const lmbi_v3 d = lmbi_v3_sub(p1, p0);
    double low = 0.0, high = 1.0;
    for (int k = 0; k < 16; ++k) {
        const double t = 0.5 * (low + high);
        const lmbi_v3 p = lmbi_v3_mad(p0, d, t);
        const double slope = lmbi_v3_dot(lmbi_v3_sub(p, clamped_to_box(p, half)), d);
        low = slope < 0.0 ? t : low;
        high = slope < 0.0 ? high : t;
        if (!(slope < 0.0 || slope > 0.0)) {
            return t;
        }
    }
    return 0.5 * (low + high);
}

void lmbi_box_collide_round(lmbi_collision *m)
{
    const bool box_is_a = m->a->kind == LMB_RIGID_BOX;
    const lmbi_rigid_shape *box = box_is_a ? m->a : m->b, *round = box_is_a ? m->b : m->a;
    lmbi_v3 p[2];
    for (int k = 0; k < 2; ++k) {
        p[k] = lmbi_q4_unrotate(box->world_rotation, lmbi_v3_sub(round->ends[k], box->ends[0]));
    }
    collide_ball(m, box, p[0], round->radius);
    if (round->kind == LMB_RIGID_CAPSULE) {
        collide_ball(m, box, p[1], round->radius);
        const double t = nearest_fraction(p[0], p[1], box->half);
        if (t > 1e-3 && t < 1.0 - 1e-3) {
            collide_ball(m, box, lmbi_v3_lerp(p[0], p[1], t), round->radius);
        }
    }
}

// -------------------------------------------------------------------------------------- two boxes

/// Separating axis of least overlap (Gottschalk, Lin and Manocha 1996): 0 to 2 a face of a, 3 to 5
/// a face of b, from 6 an edge of each.
typedef struct overlap {
    int axis;
    double depth, margin;
    lmbi_v3 normal; ///< from b to a
} overlap;

static bool try_axis(const lmbi_box_frame *a, const lmbi_box_frame *b, lmbi_v3 n, int axis,
                     overlap *best)
{
    const double along = lmbi_v3_dot(lmbi_v3_sub(a->center, b->center), n);
    const double depth = lmbi_box_extent(a, n) + lmbi_box_extent(b, n) - fabs(along);
    // Face contacts are steadier: an edge axis must be better by a margin.
    if (depth < best->depth * (axis >= 6 ? 0.95 : 1.0) - (axis >= 6 ? 1e-4 : 0.0)) {
        *best = (overlap){axis, depth, best->margin, along < 0.0 ? lmbi_v3_neg(n) : n};
    }
    return depth > -best->margin;
}

static bool find_least_overlap(const lmbi_box_frame *a, const lmbi_box_frame *b, overlap *best)
{
    best->depth = HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
        if (!try_axis(a, b, a->axes[k], k, best)) {
            return false;
        }
    }
    for (int k = 0; k < 3; ++k) {
        if (!try_axis(a, b, b->axes[k], 3 + k, best)) {
            return false;
        }
    }
    for (int k = 0; k < 9; ++k) {
        const lmbi_v3 n = lmbi_v3_cross(a->axes[k / 3], b->axes[k % 3]);
        const double size = lmbi_v3_length(n);
        if (size > 1e-3 && !try_axis(a, b, lmbi_v3_scale(n, 1.0 / size), 6 + k, best)) {
            return false;
        }
    }
    return true;
}

/// Clips the other box's incident face to the reference face `axis` of f. Points below the
/// reference face become contacts.
static void collide_face(lmbi_collision *m, const lmbi_box_frame *f, const lmbi_box_frame *other,
                         int axis, lmbi_v3 out, bool face_is_b)
{
    lmbi_v3 polygon[LMBI_POLYGON];
    int count = 4;
    lmbi_box_face(other, out, polygon);
    for (int k = 1; k < 3; ++k) {
        const int side = (axis + k) % 3;
        const lmbi_v3 n = f->axes[side];
        const double at = lmbi_v3_dot(n, f->center), half = f->half[side];
        count = lmbi_polygon_clip(polygon, count, n, at + half);
        count = lmbi_polygon_clip(polygon, count, lmbi_v3_neg(n), half - at);
    }
    const double top = lmbi_v3_dot(out, f->center) + f->half[axis];
    for (int k = 0; k < count; ++k) {
        const double above = lmbi_v3_dot(out, polygon[k]) - top;
        if (above < m->margin) {
            const lmbi_v3 on_face = lmbi_v3_mad(polygon[k], out, -above);
            if (face_is_b) {
                lmbi_contact_add(m, polygon[k], on_face, out);
            } else {
                lmbi_contact_add(m, on_face, polygon[k], lmbi_v3_neg(out));
            }
        }
    }
}

/// Centre of the edge parallel to `axis` that is farthest along n.
static lmbi_v3 supporting_edge(const lmbi_box_frame *f, int axis, lmbi_v3 n)
{
    lmbi_v3 p = f->center;
    for (int k = 0; k < 3; ++k) {
        if (k != axis) {
            const double sign = lmbi_v3_dot(f->axes[k], n) > 0.0 ? 1.0 : -1.0;
            p = lmbi_v3_mad(p, f->axes[k], sign * f->half[k]);
        }
    }
    return p;
}

static void collide_edges(lmbi_collision *m, const lmbi_box_frame *a, const lmbi_box_frame *b,
                          const overlap *o)
{
    const int i = (o->axis - 6) / 3, j = (o->axis - 6) % 3;
    const lmbi_v3 p = supporting_edge(a, i, lmbi_v3_neg(o->normal)),
                  q = supporting_edge(b, j, o->normal);
    const lmbi_v3 d = lmbi_v3_scale(a->axes[i], a->half[i]),
                  e = lmbi_v3_scale(b->axes[j], b->half[j]);
    double s, t;
    lmbi_segments_closest(lmbi_v3_sub(p, d), lmbi_v3_add(p, d), lmbi_v3_sub(q, e),
                          lmbi_v3_add(q, e), &s, &t);
    lmbi_contact_add(m, lmbi_v3_mad(p, d, 2.0 * s - 1.0), lmbi_v3_mad(q, e, 2.0 * t - 1.0),
                     o->normal);
}

void lmbi_boxes_collide(lmbi_collision *m)
{
    const lmbi_box_frame a = lmbi_box_frame_of(m->a), b = lmbi_box_frame_of(m->b);
    overlap o = {.margin = m->margin};
    if (!find_least_overlap(&a, &b, &o)) {
        return;
    }
    if (o.axis < 3) {
        collide_face(m, &a, &b, o.axis, lmbi_v3_neg(o.normal), false);
    } else if (o.axis < 6) {
        collide_face(m, &b, &a, o.axis - 3, o.normal, true);
    } else {
        collide_edges(m, &a, &b, &o);
    }
}
