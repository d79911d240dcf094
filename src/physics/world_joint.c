/// Joints of rigid bodies: anchors, distances and motors. Limits are in world_limit.c.
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
    s.ra = lmbi_rotate(s.a->q, joint->anchors[0]);
    s.rb = lmbi_rotate(s.b->q, joint->anchors[1]);
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

/// Excess of the distance between the anchors: above 0 too long, below 0 too short.
static double stretch(const lmbi_joint *joint, double distance)
{
    return distance > joint->max_distance   ? distance - joint->max_distance
           : distance < joint->min_distance ? distance - joint->min_distance
                                            : 0.0;
}

/// Rods (min = max) push and pull. Ropes only pull: their accumulated correction never changes
/// sign.
static double solve_distance(lmb_world *world, lmbi_joint *joint, double h)
{
    lmbi_rigid_body *a = &world->bodies[joint->a], *b = &world->bodies[joint->b];
    const lmbi_v3 ra = lmbi_rotate(a->q, joint->anchors[0]),
                  rb = lmbi_rotate(b->q, joint->anchors[1]);
    const lmbi_v3 gap = lmbi_v3_sub(lmbi_v3_add(b->x, rb), lmbi_v3_add(a->x, ra));
    const double distance = lmbi_v3_length(gap), lambda_before = joint->anchor_lambda.x;
    const bool is_long = distance > joint->max_distance || lambda_before > 0.0,
               is_short = distance < joint->min_distance || lambda_before < 0.0;
    if (!is_long && !is_short) {
        return 0.0;
    }
    const lmbi_v3 n = distance > 1e-9 ? lmbi_v3_scale(gap, 1.0 / distance) : lmbi_v3_make(0, 1, 0);
    const double soft = joint->compliance / (h * h),
                 c = distance - (is_long ? joint->max_distance : joint->min_distance);
    const double inverse_mass =
        lmbi_body_inverse_mass(a, ra, n) + lmbi_body_inverse_mass(b, rb, n) + soft;
    const double total =
        inverse_mass > 0.0 ? lambda_before + (c - soft * lambda_before) / inverse_mass : 0.0;
    joint->anchor_lambda.x = !(joint->min_distance < joint->max_distance) ? total
                             : is_long                                    ? lmbi_max(0.0, total)
                                                                          : lmbi_min(0.0, total);
    const double lambda = joint->anchor_lambda.x - lambda_before;
    lmbi_body_correct(a, ra, lmbi_v3_scale(n, lambda), 1.0);
    lmbi_body_correct(b, rb, lmbi_v3_scale(n, lambda), -1.0);
    return joint->compliance > 0.0 ? 0.0 : fabs(stretch(joint, distance)) / joint->size;
}

static lmbi_v3 rotation_since_start(const lmbi_rigid_body *b)
{
    return lmbi_rotation_vector(lmbi_q4_mul(b->q, lmbi_q4_conjugate(b->q0)));
}

/// Implicit spring and damper. Corrections are torques times h^2. With T accumulated so far in this
/// sub-step, rotation c left to the target, rotation d since the start of the sub-step (less the
/// target's own), We = W - G K^-1 G^T and g the rotation that closing the gap causes, the final
/// torque is T + t = h^2 k (c - We t - g) - h kd (d + We t + g), so (1 + s We) t = h^2 k c - h kd d
/// - s g - T, s = h^2 k + h kd.
static void solve_motor(lmbi_joint *joint, const lmbi_joint_state *s, double h)
{
    const lmb_rigid_motor *m = &joint->motor;
    const double k = h * h * (double)m->stiffness, damp = h * (double)m->damping;
    lmbi_v3 since = lmbi_v3_sub(rotation_since_start(s->b), rotation_since_start(s->a));
    since = lmbi_v3_mad(since,
                        lmbi_rotate(lmbi_joint_frame(s->a, joint, 0), lmbi_v3_of(m->turning)), -h);
    lmbi_v3 rhs = lmbi_v3_mad(lmbi_v3_neg(joint->motor_lambda), since, -damp);
    rhs = lmbi_v3_mad(rhs, lmbi_joint_rotation_by_gap(s), -(k + damp));
    if (k > 0.0) {
        const lmbi_q4 target = lmbi_q4_mul(lmbi_joint_frame(s->a, joint, 0), lmbi_q4_of(m->target));
        const lmbi_q4 by = lmbi_q4_mul(target, lmbi_q4_conjugate(lmbi_joint_frame(s->b, joint, 1)));
        rhs = lmbi_v3_mad(rhs, lmbi_rotation_vector(by), k);
    }
    const lmbi_sym3 inverse =
        lmbi_sym3_inverse(lmbi_sym3_affine(lmbi_joint_inverse_inertia(s), k + damp, 1.0));
    lmbi_v3 total = lmbi_v3_add(joint->motor_lambda, lmbi_sym3_mul(inverse, rhs));
    const double most = h * h * (double)m->most_torque, size = lmbi_v3_length(total);
    if (most > 0.0 && size > most) {
        total = lmbi_v3_scale(total, most / size);
    }
    const lmbi_v3 t = lmbi_v3_sub(total, joint->motor_lambda);
    joint->motor_lambda = total;
    lmbi_joint_apply(joint, s, lmbi_v3_add(s->gap, lmbi_joint_gap_by_torque(s, t)), t);
}

double lmbi_joint_work(const lmb_world *world, const lmbi_joint *joint, double h)
{
    const lmbi_v3 rotation = lmbi_v3_sub(rotation_since_start(&world->bodies[joint->b]),
                                         rotation_since_start(&world->bodies[joint->a]));
    return lmbi_v3_dot(joint->motor_lambda, rotation) / (h * h);
}

double lmbi_joint_solve(lmb_world *world, lmbi_joint *joint, double h)
{
    if (joint->kind == LMB_RIGID_DISTANCE) {
        return solve_distance(world, joint, h);
    }
    lmbi_joint_state s = lmbi_joint_state_of(world, joint, h);
    const double gap = lmbi_v3_length(s.gap);
    bool closed = false;
    const bool driven = joint->motor.stiffness > 0.0f || joint->motor.damping > 0.0f;
    if (driven && !world->is_recovering) {
        solve_motor(joint, &s, h);
        closed = true;
    }
    if (joint->limit.kind != LMB_JOINT_FREE) {
        s = closed ? lmbi_joint_state_of(world, joint, h) : s;
        closed = lmbi_joint_solve_limit(world, joint, &s) || closed;
    }
    if (!closed) {
        lmbi_joint_apply(joint, &s, s.gap, lmbi_v3_make(0, 0, 0));
    }
    return joint->compliance > 0.0 ? 0.0 : gap / joint->size;
}

double lmbi_joint_solve_anchors(lmb_world *world, lmbi_joint *joint, double h)
{
    if (joint->kind == LMB_RIGID_DISTANCE) {
        return solve_distance(world, joint, h);
    }
    const lmbi_joint_state s = lmbi_joint_state_of(world, joint, h);
    lmbi_joint_apply(joint, &s, s.gap, lmbi_v3_make(0, 0, 0));
    return joint->compliance > 0.0 ? 0.0 : lmbi_v3_length(s.gap) / joint->size;
}

void lmbi_joint_store_error(const lmb_world *world, lmbi_joint *joint)
{
    const lmbi_rigid_body *a = &world->bodies[joint->a], *b = &world->bodies[joint->b];
    const lmbi_v3 gap =
        lmbi_v3_sub(lmbi_body_point(b, joint->anchors[1]), lmbi_body_point(a, joint->anchors[0]));
    const bool is_soft = joint->compliance > 0.0 || joint->kind != LMB_RIGID_POINT;
    joint->deferred_gap = is_soft ? lmbi_v3_make(0, 0, 0) : gap;
    joint->deferred_rad = lmbi_joint_raw_excess(world, joint);
}

double lmbi_joint_separation(const lmb_world *world, const lmbi_joint *joint)
{
    const double gap =
        lmbi_v3_length(lmbi_v3_sub(lmbi_body_point(&world->bodies[joint->a], joint->anchors[0]),
                                   lmbi_body_point(&world->bodies[joint->b], joint->anchors[1])));
    if (joint->compliance > 0.0) {
        return 0.0; // compliant: a gap is no error
    }
    return joint->kind == LMB_RIGID_DISTANCE ? fabs(stretch(joint, gap)) : gap;
}

// ------------------------------------------------------------------------------------- all joints

static bool is_resting(const lmb_world *world, uint32_t a, uint32_t b)
{
    const lmbi_rigid_body *p = &world->bodies[a], *q = &world->bodies[b];
    return (p->asleep || !(p->inv_mass > 0.0)) && (q->asleep || !(q->inv_mass > 0.0));
}

double lmbi_world_sweep_joints(lmb_world *world, double h, bool outward,
                               double (*solve)(lmb_world *, lmbi_joint *, double))
{
    double worst = 0.0;
    for (uint32_t k = 0; k < world->joint_count; ++k) {
        lmbi_joint *joint = &world->joints[outward ? k : world->joint_count - 1 - k];
        if (!is_resting(world, joint->a, joint->b)) {
            worst = lmbi_max(worst, solve(world, joint, h));
        }
    }
    return worst;
}
