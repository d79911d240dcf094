/// Limits of joints, as unilateral constraints on the rotation of b relative to a.
///
/// Like contacts, a limit accumulates its correction over the sub-step and may undo overshoot of
/// others. A limit that only pushes would add energy with every round where several conflict.
#include "asset/asset.h"
#include "physics/world_joint.h"

// -------------------------------------------------------------------------------- state of a joint
// Common to a joint's constraints: anchors, gap, inverse effective masses.

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
// With G = Ia^-1 [ra] + Ib^-1 [rb] and W = Ia^-1 + Ib^-1, a torque t on b (-t on a) opens the
// anchors' gap by G^T t. With the anchors coincident it rotates b relative to a by
// (W - G K^-1 G^T) t, and closing an existing gap rotates b by -G K^-1 gap.

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

// ------------------------------------------------------------------------------------------ limits

/// Excess below this is ignored: limits are evaluated in single precision.
#define MIN_RAD 1e-7

/// Whether a rotation is certainly within the limit, without computing an angle.
static bool is_plainly_inside(const lmbi_joint *joint, lmbi_q4 q)
{
    const lmbi_v3 axis = lmbi_v3_of(joint->limit.axis);
    const double t = q.x * axis.x + q.y * axis.y + q.z * axis.z;
    const double cos2 = t * t + q.w * q.w; // cosine squared of half the swing
    if (!joint->has_fast_test || cos2 < joint->inside_cos2) {
        return false;
    }
    const double size = sqrt(cos2), sine = q.w < 0.0 ? -t : t;
    return sine >= joint->low_sin * size && sine <= joint->high_sin * size;
}

/// The nearest allowed rotation.
static lmbi_q4 clamped_rotation(const lmbi_joint *joint, lmbi_q4 q)
{
    return joint->limit.kind == LMB_JOINT_FIXED
               ? lmbi_q4_make(0, 0, 0, 1)
               : lmbi_q4_of(lmbi_joint_limit_clamp(&joint->limit, lmbi_q4_single(q)));
}

/// Rotation vector, in the frame of a, from the current rotation to `clamped`.
static lmbi_v3 rotation_to(lmbi_q4 clamped, lmbi_q4 q)
{
    return lmbi_rotation_vector(lmbi_q4_mul(clamped, lmbi_q4_conjugate(q)));
}

/// Rotation vector that removes the swing from q, leaving the twist about the hinge axis.
static lmbi_v3 rotation_to_axis(const lmbi_joint *joint, lmbi_q4 q)
{
    const lmbi_v3 axis = lmbi_v3_of(joint->limit.axis);
    const double t = q.x * axis.x + q.y * axis.y + q.z * axis.z;
    const lmbi_v3 v = lmbi_v3_scale(axis, t);
    const lmbi_q4 twist = lmbi_q4_normalize(lmbi_q4_make(v.x, v.y, v.z, q.w));
    return lmbi_rotation_vector(lmbi_q4_mul(twist, lmbi_q4_conjugate(q)));
}

/// P m P + n n^T, with P = 1 - n n^T: the matrix restricted to directions across n, kept
/// invertible.
static lmbi_sym3 project_out_axis(lmbi_sym3 m, lmbi_v3 n)
{
    const lmbi_v3 u = lmbi_sym3_mul(m, n);
    const double k = lmbi_v3_dot(u, n) + 1.0;
    return (lmbi_sym3){
        m.xx - 2.0 * u.x * n.x + k * n.x * n.x,       m.yy - 2.0 * u.y * n.y + k * n.y * n.y,
        m.zz - 2.0 * u.z * n.z + k * n.z * n.z,       m.xy - u.x * n.y - n.x * u.y + k * n.x * n.y,
        m.xz - u.x * n.z - n.x * u.z + k * n.x * n.z, m.yz - u.y * n.z - n.y * u.z + k * n.y * n.z};
}

/// Torque that rotates b by c relative to a. `free`, if not NULL, is a world axis about which it
/// has no component.
static lmbi_v3 torque_for_rotation(const lmbi_joint_state *s, lmbi_v3 c, const lmbi_v3 *free)
{
    lmbi_v3 rhs = lmbi_v3_sub(c, lmbi_joint_rotation_by_gap(s));
    lmbi_sym3 inverse_inertia = lmbi_joint_inverse_inertia(s);
    if (free) {
        rhs = lmbi_v3_mad(rhs, *free, -lmbi_v3_dot(rhs, *free));
        inverse_inertia = project_out_axis(inverse_inertia, *free);
    }
    return lmbi_sym3_mul(lmbi_sym3_inverse(inverse_inertia), rhs);
}

static void apply_torque(lmbi_joint *joint, const lmbi_joint_state *s, lmbi_v3 t)
{
    lmbi_joint_apply(joint, s, lmbi_v3_add(s->gap, lmbi_joint_gap_by_torque(s, t)), t);
}

/// Excess that may remain in this sub-step: unresolved from placement, or deferred to later parts.
static double allowed_excess(const lmb_world *world, lmbi_joint *joint, double size)
{
    joint->unresolved_rad = lmbi_min(size, joint->unresolved_rad);
    return lmbi_max(joint->unresolved_rad,
                    lmbi_min(size, world->deferred_fraction * joint->deferred_rad));
}

static void solve_fixed(const lmb_world *world, lmbi_joint *joint, const lmbi_joint_state *s,
                        lmbi_q4 frame, lmbi_q4 q)
{
    const lmbi_v3 c = lmbi_q4_rotate(frame, rotation_to(clamped_rotation(joint, q), q));
    const double size = lmbi_v3_length(c), allowed = allowed_excess(world, joint, size);
    const double fraction = size > 0.0 ? (size - allowed) / size : 0.0;
    apply_torque(joint, s, torque_for_rotation(s, lmbi_v3_scale(c, fraction), NULL));
}

/// Updates the limit's nearest rotation and normal. Returns the excess, below 0 once b has moved
/// away from the limit.
static double update_limit_normal(const lmb_world *world, lmbi_joint *joint, lmbi_q4 q, bool inside)
{
    const lmbi_q4 clamped = inside ? q : clamped_rotation(joint, q);
    const lmbi_v3 correction = inside ? lmbi_v3_make(0, 0, 0) : rotation_to(clamped, q);
    const double size = lmbi_v3_length(correction);
    if (size > MIN_RAD) {
        joint->limit_rotation = clamped;
        joint->limit_normal = lmbi_v3_scale(correction, 1.0 / size);
        return size - allowed_excess(world, joint, size);
    }
    joint->unresolved_rad = 0.0;
    return joint->limit_lambda > 0.0
               ? lmbi_v3_dot(joint->limit_normal, rotation_to(joint->limit_rotation, q))
               : 0.0;
}

static bool solve_ball(const lmb_world *world, lmbi_joint *joint, const lmbi_joint_state *s,
                       lmbi_q4 frame, lmbi_q4 q)
{
    const double excess = update_limit_normal(world, joint, q, is_plainly_inside(joint, q));
    if (!(excess > 0.0 || joint->limit_lambda > 0.0)) {
        return false;
    }
    const lmbi_v3 n = lmbi_q4_rotate(frame, joint->limit_normal),
                  g = lmbi_joint_gap_by_torque(s, n);
    const lmbi_sym3 w = lmbi_sym3_add(s->a->inv_inertia_world, s->b->inv_inertia_world);
    const double free = lmbi_v3_dot(n, lmbi_sym3_mul(w, n)),
                 inverse_inertia = free - lmbi_v3_dot(g, lmbi_sym3_mul(s->inverse, g));
    if (!(inverse_inertia > 1e-4 * free)) {
        return false;
    }
    const double total = joint->limit_lambda +
                         (excess - lmbi_v3_dot(n, lmbi_joint_rotation_by_gap(s))) / inverse_inertia;
    const double size = lmbi_max(0.0, total) - joint->limit_lambda;
    joint->limit_lambda += size;
    lmbi_joint_apply(joint, s, lmbi_v3_mad(s->gap, g, size), lmbi_v3_scale(n, size));
    return true;
}

/// A hinge is bilateral across its axis and has two unilateral limits about it.
static void solve_hinge(const lmb_world *world, lmbi_joint *joint, const lmbi_joint_state *s,
                        lmbi_q4 frame, lmbi_q4 q)
{
    const bool inside = is_plainly_inside(joint, q);
    const lmbi_v3 axis =
        lmbi_q4_rotate(lmbi_joint_frame(s->b, joint, 1), lmbi_v3_of(joint->limit.axis));
    const lmbi_v3 swing_correction = rotation_to_axis(joint, q);
    lmbi_v3 c = lmbi_q4_rotate(frame, swing_correction);
    double side = 0.0;
    if (!inside) {
        const lmbi_q4 clamped = clamped_rotation(joint, q);
        const lmbi_v3 correction = rotation_to(clamped, q);
        const double size = lmbi_v3_length(correction),
                     allowed = allowed_excess(world, joint, size);
        const double about = lmbi_v3_dot(lmbi_q4_rotate(frame, correction), axis);
        if (fabs(about) > MIN_RAD) {
            side = about > 0.0 ? 1.0 : -1.0;
            joint->limit_lambda = side * joint->limit_side < 0.0 ? 0.0 : joint->limit_lambda;
            joint->limit_rotation = clamped;
            joint->limit_side = side;
        }
        c = lmbi_v3_scale(lmbi_q4_rotate(frame, correction),
                          size > 0.0 ? (size - allowed) / size : 0.0);
    }
    if (!(fabs(side) > 0.0) && joint->limit_lambda > 0.0) {
        side = joint->limit_side;
        const double about =
            lmbi_v3_dot(lmbi_q4_rotate(frame, rotation_to(joint->limit_rotation, q)), axis);
        c = lmbi_v3_mad(c, axis, about - lmbi_v3_dot(c, axis));
    }
    lmbi_v3 t = torque_for_rotation(s, c, fabs(side) > 0.0 ? NULL : &axis);
    const double about = side * lmbi_v3_dot(t, axis);
    if (joint->limit_lambda + about < 0.0) { // the limit cannot pull
        t = lmbi_v3_mad(torque_for_rotation(s, c, &axis), axis, -side * joint->limit_lambda);
        joint->limit_lambda = 0.0;
    } else {
        joint->limit_lambda += about;
    }
    apply_torque(joint, s, t);
}

bool lmbi_joint_solve_limit(const lmb_world *world, lmbi_joint *joint, const lmbi_joint_state *s)
{
    const lmbi_q4 frame = lmbi_joint_frame(s->a, joint, 0);
    const lmbi_q4 q = lmbi_q4_mul(lmbi_q4_conjugate(frame), lmbi_joint_frame(s->b, joint, 1));
    switch (joint->limit.kind) {
    case LMB_JOINT_BALL:
        return solve_ball(world, joint, s, frame, q);
    case LMB_JOINT_HINGE:
        solve_hinge(world, joint, s, frame, q);
        return true;
    default:
        solve_fixed(world, joint, s, frame, q);
        return true;
    }
}

// ---------------------------------------------------------------------------------------- queries

static float least_swing(const lmb_joint_limit *l)
{
    if (!(lmb_vec3_dot(l->side, l->side) > 0.0f)) {
        return l->swing_rad;
    }
    return fminf(fminf(l->swing_side_rad[0], l->swing_side_rad[1]),
                 fminf(l->swing_across_rad[0], l->swing_across_rad[1]));
}

void lmbi_joint_prepare(lmbi_joint *joint)
{
    const lmb_joint_limit *l = &joint->limit;
    joint->has_fast_test = l->kind == LMB_JOINT_BALL || l->kind == LMB_JOINT_HINGE;
    joint->inside_cos2 = 1e-3; // of a hinge: any swing for which its twist is defined
    if (l->kind == LMB_JOINT_BALL) {
        const float swing = lmb_cos(0.5f * fminf(fmaxf(least_swing(l), 0.0f), LMB_PI));
        joint->inside_cos2 = (double)(swing * swing);
    }
    joint->low_sin = -2.0;
    joint->high_sin = 2.0;
    if (l->twist_max_rad - l->twist_min_rad < 2.0f * LMB_PI) {
        joint->has_fast_test =
            joint->has_fast_test && l->twist_min_rad >= -LMB_PI && l->twist_max_rad <= LMB_PI;
        joint->low_sin = (double)lmb_sin(0.5f * l->twist_min_rad);
        joint->high_sin = (double)lmb_sin(0.5f * l->twist_max_rad);
    }
}

double lmbi_joint_raw_excess(const lmb_world *world, const lmbi_joint *joint)
{
    if (joint->limit.kind == LMB_JOINT_FREE) {
        return 0.0;
    }
    const lmbi_q4 q =
        lmbi_q4_mul(lmbi_q4_conjugate(lmbi_joint_frame(&world->bodies[joint->a], joint, 0)),
                    lmbi_joint_frame(&world->bodies[joint->b], joint, 1));
    return lmbi_v3_length(rotation_to(clamped_rotation(joint, q), q));
}

double lmbi_joint_excess(const lmb_world *world, const lmbi_joint *joint)
{
    return 2.0 * (double)lmb_atan2((float)(0.5 * lmbi_joint_raw_excess(world, joint)), 1.0f);
}

void lmbi_joint_reset(const lmb_world *world, lmbi_joint *joint)
{
    joint->unresolved_rad = lmbi_joint_raw_excess(world, joint);
}

void lmbi_joint_begin_substep(lmbi_joint *joint)
{
    joint->anchor_lambda = joint->motor_lambda = lmbi_v3_make(0, 0, 0);
    joint->limit_lambda = 0.0;
    joint->unresolved0_rad = joint->unresolved_rad;
}
