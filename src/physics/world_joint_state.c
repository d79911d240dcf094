/// The state of a joint that its constraints share: anchors, gap, inverse effective masses.
#include "physics/world_joint.h"

// ---------------------------------------------------------------------------------------- anchors

/// K = 1/m - [r] I^-1 [r]: displacement of the point at r per unit of correction there. (The
/// columns of -[r] are r x e_i, so K_ij = (r x e_i) I^-1 (r x e_j).)
static lmbi_sym3 point_inverse_mass(const lmbi_rigid_body *b, lmbi_v3 r)
{
    const lmbi_sym3 m = b->inv_inertia_world;
    const lmbi_v3 u0 = {m.xy * r.z - m.xz * r.y, m.yy * r.z - m.yz * r.y, m.yz * r.z - m.zz * r.y},
                  u1 = {m.xz * r.x - m.xx * r.z, m.yz * r.x - m.xy * r.z, m.zz * r.x - m.xz * r.z},
                  u2 = {m.xx * r.y - m.xy * r.x, m.xy * r.y - m.yy * r.x, m.xz * r.y - m.yz * r.x};
    return (lmbi_sym3){b->inv_mass + r.z * u0.y - r.y * u0.z,
                       b->inv_mass + r.x * u1.z - r.z * u1.x,
                       b->inv_mass + r.y * u2.x - r.x * u2.y,
                       r.z * u1.y - r.y * u1.z,
                       r.z * u2.y - r.y * u2.z,
                       r.x * u2.z - r.z * u2.x};
}

lmbi_joint_state lmbi_joint_state_of(lmb_world *world, const lmbi_joint *joint, double h)
{
    lmbi_joint_state s = {.a = &world->bodies[joint->a], .b = &world->bodies[joint->b]};
    s.ra = lmbi_q4_rotate(s.a->q, joint->anchors[0]);
    s.rb = lmbi_q4_rotate(s.b->q, joint->anchors[1]);
    const double soft = joint->compliance / (h * h);
    s.gap = lmbi_v3_sub(lmbi_v3_add(s.b->x, s.rb), lmbi_v3_add(s.a->x, s.ra));
    s.gap = lmbi_v3_mad(lmbi_v3_mad(s.gap, joint->anchor_lambda, -soft), joint->deferred_gap,
                        -world->deferred_fraction);
    s.inverse = lmbi_sym3_inverse(lmbi_sym3_affine(
        lmbi_sym3_add(point_inverse_mass(s.a, s.ra), point_inverse_mass(s.b, s.rb)), 1.0, soft));
    return s;
}

void lmbi_joint_apply(lmbi_joint *joint, const lmbi_joint_state *s, lmbi_v3 gap, lmbi_v3 t)
{
    const lmbi_v3 p = lmbi_sym3_mul(s->inverse, gap);
    lmbi_rigid_body *a = s->a, *b = s->b;
    joint->anchor_lambda = lmbi_v3_add(joint->anchor_lambda, p);
    a->x = lmbi_v3_mad(a->x, p, a->inv_mass);
    b->x = lmbi_v3_mad(b->x, p, -b->inv_mass);
    a->q = lmbi_q4_integrate(
        a->q, lmbi_sym3_mul(a->inv_inertia_world, lmbi_v3_sub(lmbi_v3_cross(s->ra, p), t)));
    b->q = lmbi_q4_integrate(
        b->q, lmbi_sym3_mul(b->inv_inertia_world, lmbi_v3_sub(t, lmbi_v3_cross(s->rb, p))));
}

// ---------------------------------------------------------------------------------------- torques
//
// With G = Ia^-1 [ra] + Ib^-1 [rb] and W = Ia^-1 + Ib^-1, a torque t on b (-t on a) opens the anchors'
// gap by G^T t. With the anchors held together it rotates b relative to a by (W - G K^-1 G^T) t, and
// closing an existing gap rotates b by -G K^-1 gap.

lmbi_q4 lmbi_joint_frame(const lmbi_rigid_body *b, const lmbi_joint *joint, int side)
{
    return lmbi_q4_mul(b->q, joint->frames[side]);
}

/// G^T t
lmbi_v3 lmbi_joint_gap_by_torque(const lmbi_joint_state *s, lmbi_v3 t)
{
    return lmbi_v3_add(lmbi_v3_cross(lmbi_sym3_mul(s->a->inv_inertia_world, t), s->ra),
                       lmbi_v3_cross(lmbi_sym3_mul(s->b->inv_inertia_world, t), s->rb));
}

/// W - G K^-1 G^T
lmbi_sym3 lmbi_joint_inverse_inertia(const lmbi_joint_state *s)
{
    const lmbi_sym3 w = lmbi_sym3_add(s->a->inv_inertia_world, s->b->inv_inertia_world);
    const lmbi_v3 x = lmbi_joint_gap_by_torque(s, lmbi_v3_make(1, 0, 0)),
                  y = lmbi_joint_gap_by_torque(s, lmbi_v3_make(0, 1, 0)),
                  z = lmbi_joint_gap_by_torque(s, lmbi_v3_make(0, 0, 1));
    const lmbi_v3 kx = lmbi_sym3_mul(s->inverse, x), ky = lmbi_sym3_mul(s->inverse, y),
                  kz = lmbi_sym3_mul(s->inverse, z);
    return (lmbi_sym3){w.xx - lmbi_v3_dot(x, kx), w.yy - lmbi_v3_dot(y, ky),
                       w.zz - lmbi_v3_dot(z, kz), w.xy - lmbi_v3_dot(x, ky),
                       w.xz - lmbi_v3_dot(x, kz), w.yz - lmbi_v3_dot(y, kz)};
}

/// -G K^-1 gap
lmbi_v3 lmbi_joint_rotation_by_gap(const lmbi_joint_state *s)
{
    const lmbi_v3 p = lmbi_sym3_mul(s->inverse, s->gap);
    const lmbi_v3 back =
        lmbi_v3_add(lmbi_sym3_mul(s->a->inv_inertia_world, lmbi_v3_cross(s->ra, p)),
                    lmbi_sym3_mul(s->b->inv_inertia_world, lmbi_v3_cross(s->rb, p)));
    return lmbi_v3_neg(back);
}

// --------------------------------------------------------------------------- distances and motors
