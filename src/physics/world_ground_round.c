/// Sphere or capsule against a facet of the ground.
#include "physics/world_ground.h"

/// Feature of a facet nearest to a point: the face, the edge `edge`, or the corner where it starts.
typedef struct nearest {
    enum { FACE, EDGE, CORNER } part;
    int edge;
    lmbi_v3 at;
} nearest;

/// Nearest point on edge k. Returns its squared distance.
static double near_edge(const lmbi_facet *f, int k, lmbi_v3 c, nearest *out)
{
    const lmbi_v3 from = f->p[k], along = lmbi_v3_sub(f->p[(k + 1) % 3], from);
    const double t = lmbi_v3_dot(lmbi_v3_sub(c, from), along) / lmbi_v3_dot(along, along);
    if (t <= 0.0 || t >= 1.0) {
        const int corner = t <= 0.0 ? k : (k + 1) % 3;
        *out = (nearest){CORNER, corner, f->p[corner]};
    } else {
        *out = (nearest){EDGE, k, lmbi_v3_mad(from, along, t)};
    }
    const lmbi_v3 d = lmbi_v3_sub(c, out->at);
    return lmbi_v3_dot(d, d);
}

static nearest nearest_of(const lmbi_facet *f, lmbi_v3 c)
{
    const double side = lmbi_v3_dot(lmbi_v3_sub(c, f->p[0]), f->n);
    nearest best = {FACE, 0, lmbi_v3_mad(c, f->n, -side)};
    double least = HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
        nearest n;
        if (lmbi_v3_dot(lmbi_v3_sub(c, f->p[k]), f->out[k]) > 1e-9) {
            const double d2 = near_edge(f, k, c, &n);
            best = d2 < least ? n : best;
            least = lmbi_min(least, d2);
        }
    }
    return best;
}

/// Whether `up` is a valid contact normal at a corner, by the two edges that meet there.
static bool corner_allows(const lmbi_facet *f, int corner, lmbi_v3 up)
{
    const int edges[2] = {corner, (corner + 2) % 3};
    for (int i = 0; i < 2; ++i) {
        const int k = edges[i];
        const bool bends = f->sin[k] > 0.0 || f->cos[k] < -0.999;
        if (!bends && lmbi_v3_dot(up, f->out[k]) > 0.02) {
            return false;
        }
    }
    return true;
}

static bool allows_contact(const lmbi_facet *f, const nearest *n, lmbi_v3 up)
{
    return n->part == FACE   ? true
           : n->part == EDGE ? lmbi_facet_allows(f, n->edge, up)
                             : corner_allows(f, n->edge, up);
}

/// False for a shape that came from behind the facet: it passes.
static bool came_from_front(const lmbi_ground_collision *t, const lmbi_facet *f, lmbi_v3 was,
                            double side)
{
    const double before = lmbi_v3_dot(lmbi_v3_sub(was, f->p[0]), f->n);
    return before >= 0.0 || (before >= -0.1 * t->shape->radius && side <= before);
}

/// Contact of a ball whose centre was at `was` at the start of the sub-step.
static void collide_ball(lmbi_ground_collision *t, const lmbi_facet *f, lmbi_v3 c, lmbi_v3 was)
{
    const double radius = t->shape->radius;
    const double side = lmbi_v3_dot(lmbi_v3_sub(c, f->p[0]), f->n);
    if (side >= radius + t->margin) {
        return;
    }
    const nearest n = nearest_of(f, c);
    if (n.part == FACE) {
        if (side >= 0.0 || t->solid || came_from_front(t, f, was, side) ||
            (t->may_be_deep && side > -2.0 * radius)) {
            lmbi_candidate_add(t, lmbi_v3_mad(c, f->n, -radius), n.at, f->n);
        }
        return;
    }
    const lmbi_v3 d = lmbi_v3_sub(c, n.at);
    const double distance = lmbi_v3_length(d);
    if (side < 0.0 || distance >= radius + t->margin || distance < 1e-9) {
        return;
    }
    const lmbi_v3 up = lmbi_v3_scale(d, 1.0 / distance);
    if (allows_contact(f, &n, up)) {
        lmbi_candidate_add(t, lmbi_v3_mad(c, up, -radius), n.at, up);
    }
}

/// Contact of a capsule's straight part with a convex edge.
static void collide_straight_part(lmbi_ground_collision *t, const lmbi_facet *f, int k)
{
    double s, u;
    const lmbi_v3 *p = t->shape->ends, from = f->p[k], to = f->p[(k + 1) % 3];
    lmbi_segments_closest(p[0], p[1], from, to, &s, &u);
    if (s < 1e-3 || s > 1.0 - 1e-3) {
        return; // the ends are tested as balls
    }
    const lmbi_v3 on = lmbi_v3_lerp(p[0], p[1], s), at = lmbi_v3_lerp(from, to, u);
    const lmbi_v3 d = lmbi_v3_sub(on, at);
    const double distance = lmbi_v3_length(d);
    if (distance >= t->shape->radius + t->margin || distance < 1e-9) {
        return;
    }
    const lmbi_v3 up = lmbi_v3_scale(d, 1.0 / distance);
    const nearest n = {u <= 0.0 || u >= 1.0 ? CORNER : EDGE, u >= 1.0 ? (k + 1) % 3 : k, at};
    if (lmbi_v3_dot(up, f->n) > -0.02 && allows_contact(f, &n, up)) {
        lmbi_candidate_add(t, lmbi_v3_mad(on, up, -t->shape->radius), at, up);
    }
}

void lmbi_ground_collide_round(lmbi_ground_collision *t, const lmbi_facet *f)
{
    const lmbi_rigid_shape *s = t->shape;
    collide_ball(t, f, s->ends[0], t->start_ends[0]);
    if (s->kind != LMB_RIGID_CAPSULE) {
        return;
    }
    collide_ball(t, f, s->ends[1], t->start_ends[1]);
    const double reach = s->radius + t->margin;
    if (lmbi_v3_dot(lmbi_v3_sub(s->ends[0], f->p[0]), f->n) > reach &&
        lmbi_v3_dot(lmbi_v3_sub(s->ends[1], f->p[0]), f->n) > reach) {
        return;
    }
    for (int k = 0; k < 3; ++k) {
        if (f->sin[k] > 0.0 || f->cos[k] < -0.999) {
            collide_straight_part(t, f, k);
        }
    }
}
