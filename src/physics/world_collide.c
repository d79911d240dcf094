/// Contacts of spheres, capsules and planes. Boxes are in world_box.c, grounds in world_ground.c.
#include "physics/world_collide.h"

// ----------------------------------------------------------------------------------------- shapes

/// Contact of two balls about p and q, with the radii of the shapes.
static void collide_balls(lmbi_collision *m, lmbi_v3 p, lmbi_v3 q)
{
    const lmbi_v3 offset = lmbi_v3_sub(p, q);
    const double reach = m->a->radius + m->b->radius + m->margin, d2 = lmbi_v3_dot(offset, offset);
    if (d2 >= reach * reach) {
        return;
    }
    const double d = sqrt(d2);
    const lmbi_v3 n = d > 1e-9 ? lmbi_v3_scale(offset, 1.0 / d) : lmbi_v3_make(0, 1, 0);
    lmbi_contact_add(m, lmbi_v3_mad(p, n, -m->a->radius), lmbi_v3_mad(q, n, m->b->radius), n);
}

/// Nearly parallel capsules touch at both ends of their common part.
static void collide_parallel_capsules(lmbi_collision *m)
{
    const lmbi_v3 *p = m->a->ends, *q = m->b->ends, d = lmbi_v3_sub(p[1], p[0]);
    const double length2 = lmbi_v3_dot(d, d);
    const double u = lmbi_v3_dot(lmbi_v3_sub(q[0], p[0]), d) / length2,
                 v = lmbi_v3_dot(lmbi_v3_sub(q[1], p[0]), d) / length2;
    const double ends[2] = {lmbi_saturate(lmbi_min(u, v)), lmbi_saturate(lmbi_max(u, v))};
    for (int k = 0; k < (ends[1] - ends[0] > 1e-3 ? 2 : 1); ++k) {
        const double t = fabs(v - u) > 1e-9 ? lmbi_saturate((ends[k] - u) / (v - u)) : 0.0;
        collide_balls(m, lmbi_v3_mad(p[0], d, ends[k]), lmbi_v3_lerp(q[0], q[1], t));
    }
}

static void collide_capsules(lmbi_collision *m)
{
    double s, t;
    const lmbi_v3 *p = m->a->ends, *q = m->b->ends;
    if (lmbi_segments_closest(p[0], p[1], q[0], q[1], &s, &t)) {
        collide_parallel_capsules(m);
    } else {
        collide_balls(m, lmbi_v3_lerp(p[0], p[1], s), lmbi_v3_lerp(q[0], q[1], t));
    }
}

static void collide_point_plane(lmbi_collision *m, lmbi_v3 p, lmbi_v3 up, bool plane_is_a)
{
    const lmbi_rigid_shape *plane = plane_is_a ? m->a : m->b, *other = plane_is_a ? m->b : m->a;
    const double d = lmbi_v3_dot(lmbi_v3_sub(p, plane->ends[0]), up);
    if (d >= other->radius + m->margin) {
        return;
    }
    const lmbi_v3 foot = lmbi_v3_mad(p, up, -d), low = lmbi_v3_mad(p, up, -other->radius);
    if (plane_is_a) {
        lmbi_contact_add(m, foot, low, lmbi_v3_neg(up));
    } else {
        lmbi_contact_add(m, low, foot, up);
    }
}

static void collide_plane(lmbi_collision *m, bool plane_is_a)
{
    const lmbi_rigid_shape *other = plane_is_a ? m->b : m->a;
    const lmbi_v3 up =
        lmbi_q4_rotate((plane_is_a ? m->a : m->b)->world_rotation, lmbi_v3_make(0, 1, 0));
    if (other->kind == LMB_RIGID_BOX) {
        for (int k = 0; k < 8; ++k) {
            collide_point_plane(m, lmbi_box_corner(other, k), up, plane_is_a);
        }
        return;
    }
    collide_point_plane(m, other->ends[0], up, plane_is_a);
    if (other->kind == LMB_RIGID_CAPSULE) {
        collide_point_plane(m, other->ends[1], up, plane_is_a);
    }
}

uint32_t lmbi_shapes_collide(const lmb_world *world, const lmbi_rigid_shape *a,
                             const lmbi_rigid_shape *b, lmbi_contact *out, uint32_t most)
{
    const double size =
        a->size > 0.0 && (b->size > a->size || !(b->size > 0.0)) ? a->size : b->size;
    lmbi_collision m = {world, a, b, size, LMBI_CONTACT_MARGIN * size, out, most, 0};
    if (a->kind == LMB_RIGID_PLANE || b->kind == LMB_RIGID_PLANE) {
        collide_plane(&m, a->kind == LMB_RIGID_PLANE);
    } else if (a->kind == LMB_RIGID_BOX && b->kind == LMB_RIGID_BOX) {
        lmbi_boxes_collide(&m);
    } else if (a->kind == LMB_RIGID_BOX || b->kind == LMB_RIGID_BOX) {
        lmbi_box_collide_round(&m);
    } else {
        collide_capsules(&m);
    }
    return m.count;
}

void lmbi_world_find_contacts(lmb_world *world)
{
    world->contact_count = 0;
    for (uint32_t i = 0; i < world->pair_count; ++i) {
        const lmbi_rigid_shape *a = &world->shapes[world->pairs[i].a],
                               *b = &world->shapes[world->pairs[i].b];
        const lmbi_rigid_body *p = &world->bodies[a->body], *q = &world->bodies[b->body];
        if ((p->asleep || !(p->inv_mass > 0)) && (q->asleep || !(q->inv_mass > 0))) {
            continue;
        }
        const uint32_t left = world->contact_capacity - world->contact_count;
        world->dropped += left == 0;
        lmbi_contact *out = world->contacts + world->contact_count;
        world->contact_count += a->kind == LMB_RIGID_GROUND || b->kind == LMB_RIGID_GROUND
                                    ? lmbi_ground_collide(world, &world->pairs[i], out, left)
                                    : lmbi_shapes_collide(world, a, b, out, left);
    }
}
