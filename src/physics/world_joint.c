/// Joints of rigid bodies: anchors, distances and motors. Limits are in world_limit.c.
#include "physics/world_joint.h"

// ---------------------------------------------------------------------------------------- anchors

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
    const lmbi_v3 ra = lmbi_q4_rotate(a->q, joint->anchors[0]),
                  rb = lmbi_q4_rotate(b->q, joint->anchors[1]);
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
    since = lmbi_v3_mad(
        since, lmbi_q4_rotate(lmbi_joint_frame(s->a, joint, 0), lmbi_v3_of(m->angular_velocity)),
        -h);
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
