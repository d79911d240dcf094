/// Joints of rigid bodies: the anchors' three equations at once, limits and motors as torques.
#include "physics/world.h"

// ---------------------------------------------------------------------------------------- anchors

/// K = 1/m - [r] I^-1 [r], by which a push at r moves the point r. (The columns of -[r] are
/// r x e_i, so K_ij = (r x e_i) I^-1 (r x e_j).)
static lmbi_sym3 point_give(const lmbi_body *b, lmbi_v3 r)
{
    const lmbi_sym3 m = b->inv_world;
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

/// A joint as it stands: what its torques and the push between its anchors do to each other.
typedef struct stand {
    lmbi_body *a, *b;
    lmbi_v3 ra, rb;
    lmbi_v3 gap;       ///< from a's anchor to b's, less what a compliant anchor may keep
    lmbi_sym3 inverse; ///< of K: the push that closes a gap
} stand;

static stand stand_of(lmb_world *world, const lmbi_joint *joint, double h)
{
    stand s = {.a = &world->bodies[joint->a], .b = &world->bodies[joint->b]};
    s.ra = lmbi_rotate(s.a->q, joint->anchors[0]);
    s.rb = lmbi_rotate(s.b->q, joint->anchors[1]);
    const double soft = joint->compliance / (h * h);
    s.gap = lmbi_v3_sub(lmbi_v3_add(s.b->x, s.rb), lmbi_v3_add(s.a->x, s.ra));
    s.gap = lmbi_v3_mad(s.gap, joint->given, -soft);
    s.inverse = lmbi_sym3_inverse(
        lmbi_sym3_affine(lmbi_sym3_add(point_give(s.a, s.ra), point_give(s.b, s.rb)), 1.0, soft));
    return s;
}

/// A torque t that turns b against a, and the push that closes the gap with it.
static void apply(lmbi_joint *joint, const stand *s, lmbi_v3 gap, lmbi_v3 t)
{
    const lmbi_v3 p = lmbi_sym3_mul(s->inverse, gap);
    lmbi_body *a = s->a, *b = s->b;
    joint->given = lmbi_v3_add(joint->given, p);
    a->x = lmbi_v3_mad(a->x, p, a->inv_mass);
    b->x = lmbi_v3_mad(b->x, p, -b->inv_mass);
    a->q = lmbi_turn(a->q, lmbi_sym3_mul(a->inv_world, lmbi_v3_sub(lmbi_v3_cross(s->ra, p), t)));
    b->q = lmbi_turn(b->q, lmbi_sym3_mul(b->inv_world, lmbi_v3_sub(t, lmbi_v3_cross(s->rb, p))));
}

/// How much too long (above 0) or too short (below) the way between the anchors is.
static double stretch(const lmbi_joint *joint, double distance)
{
    return distance > joint->most    ? distance - joint->most
           : distance < joint->least ? distance - joint->least
                                     : 0.0;
}

static double solve_distance(lmb_world *world, lmbi_joint *joint, double h)
{
    lmbi_body *a = &world->bodies[joint->a], *b = &world->bodies[joint->b];
    const lmbi_v3 ra = lmbi_rotate(a->q, joint->anchors[0]),
                  rb = lmbi_rotate(b->q, joint->anchors[1]);
    const lmbi_v3 gap = lmbi_v3_sub(lmbi_v3_add(b->x, rb), lmbi_v3_add(a->x, ra));
    const double distance = lmbi_v3_length(gap), c = stretch(joint, distance);
    if (!(c > 0.0 || c < 0.0)) {
        joint->given.x = 0.0;
        return 0.0;
    }
    const lmbi_v3 n = distance > 1e-9 ? lmbi_v3_scale(gap, 1.0 / distance) : lmbi_v3_make(0, 1, 0);
    const double soft = joint->compliance / (h * h);
    const double give = lmbi_body_give(a, ra, n) + lmbi_body_give(b, rb, n) + soft;
    const double lambda = give > 0.0 ? (c - soft * joint->given.x) / give : 0.0;
    joint->given.x += lambda;
    lmbi_body_shift(a, ra, lmbi_v3_scale(n, lambda), 1.0);
    lmbi_body_shift(b, rb, lmbi_v3_scale(n, lambda), -1.0);
    return fabs(c - soft * joint->given.x) / joint->size;
}

// ----------------------------------------------------------------------------------------- torques
//
// A torque t opens the gap by G^T t, and the push that closes it again turns the bodies back: with
// G = Ia^-1 [ra] + Ib^-1 [rb] and W = Ia^-1 + Ib^-1, a torque turns b against a by
// (W - G K^-1 G^T) t while the anchors stay together, and closing the gap there is turns it by
// -G K^-1 gap.

static lmbi_q4 frame_of(const lmbi_body *b, const lmbi_joint *joint, int side)
{
    return lmbi_mul(b->q, joint->frames[side]);
}

/// G^T t
static lmbi_v3 opened(const stand *s, lmbi_v3 t)
{
    return lmbi_v3_add(lmbi_v3_cross(lmbi_sym3_mul(s->a->inv_world, t), s->ra),
                       lmbi_v3_cross(lmbi_sym3_mul(s->b->inv_world, t), s->rb));
}

/// W - G K^-1 G^T
static lmbi_sym3 turn_give(const stand *s)
{
    const lmbi_sym3 w = lmbi_sym3_add(s->a->inv_world, s->b->inv_world);
    const lmbi_v3 x = opened(s, lmbi_v3_make(1, 0, 0)), y = opened(s, lmbi_v3_make(0, 1, 0)),
                  z = opened(s, lmbi_v3_make(0, 0, 1));
    const lmbi_v3 kx = lmbi_sym3_mul(s->inverse, x), ky = lmbi_sym3_mul(s->inverse, y),
                  kz = lmbi_sym3_mul(s->inverse, z);
    return (lmbi_sym3){w.xx - lmbi_v3_dot(x, kx), w.yy - lmbi_v3_dot(y, ky),
                       w.zz - lmbi_v3_dot(z, kz), w.xy - lmbi_v3_dot(x, ky),
                       w.xz - lmbi_v3_dot(x, kz), w.yz - lmbi_v3_dot(y, kz)};
}

/// How closing the gap turns b against a: -G K^-1 gap.
static lmbi_v3 turned_by_gap(const stand *s)
{
    const lmbi_v3 p = lmbi_sym3_mul(s->inverse, s->gap);
    const lmbi_v3 back = lmbi_v3_add(lmbi_sym3_mul(s->a->inv_world, lmbi_v3_cross(s->ra, p)),
                                     lmbi_sym3_mul(s->b->inv_world, lmbi_v3_cross(s->rb, p)));
    return lmbi_v3_neg(back);
}

static lmbi_v3 turn_since(const lmbi_body *b)
{
    return lmbi_rotation_vector(lmbi_mul(b->q, lmbi_q4_conjugate(b->q0)));
}

/// An implicit spring and damper. Corrections are torques times h^2. With T given so far in this
/// sub-step, the turn c left to the target, d since the sub-step began (less the target's) and We
/// the give above, the torque at the end is  T + t = h^2 k (c - We t - g) - h kd (d + We t + g), g
/// by the gap; so (1 + s We) t = h^2 k c - h kd d - s g - T,  s = h^2 k + h kd.
static void solve_motor(lmbi_joint *joint, const stand *s, double h)
{
    const lmb_rigid_motor *m = &joint->motor;
    const double k = h * h * (double)m->stiffness, damp = h * (double)m->damping;
    lmbi_v3 since = lmbi_v3_sub(turn_since(s->b), turn_since(s->a));
    since = lmbi_v3_mad(since, lmbi_rotate(frame_of(s->a, joint, 0), lmbi_v3_of(m->turning)), -h);
    lmbi_v3 right = lmbi_v3_mad(lmbi_v3_neg(joint->turned), since, -damp);
    right = lmbi_v3_mad(right, turned_by_gap(s), -(k + damp));
    if (k > 0.0) {
        const lmbi_q4 goal = lmbi_mul(frame_of(s->a, joint, 0), lmbi_q4_of(m->target));
        const lmbi_q4 by = lmbi_mul(goal, lmbi_q4_conjugate(frame_of(s->b, joint, 1)));
        right = lmbi_v3_mad(right, lmbi_rotation_vector(by), k);
    }
    const lmbi_sym3 inverse = lmbi_sym3_inverse(lmbi_sym3_affine(turn_give(s), k + damp, 1.0));
    lmbi_v3 all = lmbi_v3_add(joint->turned, lmbi_sym3_mul(inverse, right));
    const double most = h * h * (double)m->most_torque, size = lmbi_v3_length(all);
    if (most > 0.0 && size > most) {
        all = lmbi_v3_scale(all, most / size);
    }
    const lmbi_v3 t = lmbi_v3_sub(all, joint->turned);
    joint->turned = all;
    apply(joint, s, lmbi_v3_add(s->gap, opened(s, t)), t);
}

/// Whether a rotation is inside, told without an angle; false when that cannot tell.
static bool is_plainly_inside(const lmbi_joint *joint, lmbi_q4 q)
{
    const lmbi_v3 axis = lmbi_v3_of(joint->limit.axis);
    const double t = q.x * axis.x + q.y * axis.y + q.z * axis.z;
    const double cos2 = t * t + q.w * q.w; // of half the swing
    if (!joint->is_quick || cos2 < joint->inside_cos2) {
        return false;
    }
    const double size = sqrt(cos2), sine = q.w < 0.0 ? -t : t;
    return sine >= joint->low_sin * size && sine <= joint->high_sin * size;
}

/// The turn, in the frame of a, from where b is to the nearest that the limit allows.
static lmbi_v3 way_inside(const lmbi_joint *joint, lmbi_q4 q)
{
    if (joint->limit.kind == LMB_JOINT_FIXED) {
        return lmbi_v3_neg(lmbi_rotation_vector(q));
    }
    const lmb_quat held = lmb_joint_limit_turn(&joint->limit, lmbi_q4_single(q));
    return lmbi_rotation_vector(lmbi_mul(lmbi_q4_of(held), lmbi_q4_conjugate(q)));
}

/// The same of a hinge inside its range: what of q is not a turn about the axis.
static lmbi_v3 way_to_axis(const lmbi_joint *joint, lmbi_q4 q)
{
    const lmbi_v3 axis = lmbi_v3_of(joint->limit.axis);
    const double t = q.x * axis.x + q.y * axis.y + q.z * axis.z;
    const lmbi_v3 v = lmbi_v3_scale(axis, t);
    const lmbi_q4 twist = lmbi_unit(lmbi_q4_make(v.x, v.y, v.z, q.w));
    return lmbi_rotation_vector(lmbi_mul(twist, lmbi_q4_conjugate(q)));
}

/// P m P + n n^T, where P takes away what lies along the unit n.
static lmbi_sym3 across(lmbi_sym3 m, lmbi_v3 n)
{
    const lmbi_v3 u = lmbi_sym3_mul(m, n);
    const double k = lmbi_v3_dot(u, n) + 1.0;
    return (lmbi_sym3){
        m.xx - 2.0 * u.x * n.x + k * n.x * n.x,       m.yy - 2.0 * u.y * n.y + k * n.y * n.y,
        m.zz - 2.0 * u.z * n.z + k * n.z * n.z,       m.xy - u.x * n.y - n.x * u.y + k * n.x * n.y,
        m.xz - u.x * n.z - n.x * u.z + k * n.x * n.z, m.yz - u.y * n.z - n.y * u.z + k * n.y * n.z};
}

/// Turns b by c against a, about all axes at once; `free`, when not NULL, is an axis (of the world)
/// that no torque is about.
static void turn_by(lmbi_joint *joint, const stand *s, lmbi_v3 c, const lmbi_v3 *free)
{
    lmbi_v3 right = lmbi_v3_sub(c, turned_by_gap(s));
    lmbi_sym3 give = turn_give(s);
    if (free) {
        right = lmbi_v3_mad(right, *free, -lmbi_v3_dot(right, *free));
        give = across(give, *free);
    }
    const lmbi_v3 t = lmbi_sym3_mul(lmbi_sym3_inverse(give), right);
    apply(joint, s, lmbi_v3_add(s->gap, opened(s, t)), t);
}

/// Turns b by at least `by` about n against a. False where it need not.
static bool push_by(lmbi_joint *joint, const stand *s, lmbi_v3 n, double by)
{
    const lmbi_v3 g = opened(s, n);
    const lmbi_sym3 w = lmbi_sym3_add(s->a->inv_world, s->b->inv_world);
    const double free = lmbi_v3_dot(n, lmbi_sym3_mul(w, n)),
                 give = free - lmbi_v3_dot(g, lmbi_sym3_mul(s->inverse, g));
    const double need = by - lmbi_v3_dot(n, turned_by_gap(s));
    if (!(give > 1e-4 * free) || !(need > 0.0)) {
        return false;
    }
    const double size = need / give;
    apply(joint, s, lmbi_v3_mad(s->gap, g, size), lmbi_v3_scale(n, size));
    return true;
}

/// False where the limit has nothing to say.
static bool solve_limit(lmbi_joint *joint, const stand *s)
{
    const lmbi_q4 frame = frame_of(s->a, joint, 0);
    const lmbi_q4 q = lmbi_mul(lmbi_q4_conjugate(frame), frame_of(s->b, joint, 1));
    const bool inside = is_plainly_inside(joint, q), is_ball = joint->limit.kind == LMB_JOINT_BALL;
    if (inside && is_ball) {
        joint->left_rad = 0.0;
        return false;
    }
    const lmbi_v3 c = lmbi_rotate(frame, inside ? way_to_axis(joint, q) : way_inside(joint, q));
    const double size = lmbi_v3_length(c);
    // What was out before this sub-step comes back at its own speed, the rest at once.
    const double kept = lmbi_min(size, joint->left_rad);
    joint->left_rad = kept;
    if (is_ball) {
        return size > 1e-7 && push_by(joint, s, lmbi_v3_scale(c, 1.0 / size), size - kept);
    }
    const lmbi_v3 axis = lmbi_rotate(frame_of(s->b, joint, 1), lmbi_v3_of(joint->limit.axis));
    turn_by(joint, s, size > 0.0 ? lmbi_v3_scale(c, (size - kept) / size) : c,
            inside ? &axis : NULL);
    return true;
}

double lmbi_joint_solve(lmb_world *world, lmbi_joint *joint, double h)
{
    if (joint->kind == LMB_RIGID_DISTANCE) {
        return solve_distance(world, joint, h);
    }
    stand s = stand_of(world, joint, h);
    const double gap = lmbi_v3_length(s.gap);
    bool closed = false;
    if (joint->motor.stiffness > 0.0f || joint->motor.damping > 0.0f) {
        solve_motor(joint, &s, h);
        closed = true;
    }
    if (joint->limit.kind != LMB_JOINT_FREE) {
        s = closed ? stand_of(world, joint, h) : s;
        closed = solve_limit(joint, &s) || closed;
    }
    if (!closed) {
        apply(joint, &s, s.gap, lmbi_v3_make(0, 0, 0));
    }
    return joint->compliance > 0.0 ? 0.0 : gap / joint->size;
}

double lmbi_joint_close(lmb_world *world, lmbi_joint *joint, double h)
{
    if (joint->kind == LMB_RIGID_DISTANCE) {
        return solve_distance(world, joint, h);
    }
    const stand s = stand_of(world, joint, h);
    apply(joint, &s, s.gap, lmbi_v3_make(0, 0, 0));
    return joint->compliance > 0.0 ? 0.0 : lmbi_v3_length(s.gap) / joint->size;
}

// -------------------------------------------------------------------------------------- preparing

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
    joint->is_quick = l->kind == LMB_JOINT_BALL || l->kind == LMB_JOINT_HINGE;
    joint->inside_cos2 = 1e-3; // of a hinge: any swing that leaves it a twist
    if (l->kind == LMB_JOINT_BALL) {
        const float swing = lmb_cos(0.5f * fminf(fmaxf(least_swing(l), 0.0f), LMB_PI));
        joint->inside_cos2 = (double)(swing * swing);
    }
    joint->low_sin = -2.0;
    joint->high_sin = 2.0;
    if (l->twist_max_rad - l->twist_min_rad < 2.0f * LMB_PI) {
        joint->is_quick =
            joint->is_quick && l->twist_min_rad >= -LMB_PI && l->twist_max_rad <= LMB_PI;
        joint->low_sin = (double)lmb_sin(0.5f * l->twist_min_rad);
        joint->high_sin = (double)lmb_sin(0.5f * l->twist_max_rad);
    }
}

double lmbi_joint_separation(const lmb_world *world, const lmbi_joint *joint)
{
    const double gap =
        lmbi_v3_length(lmbi_v3_sub(lmbi_body_point(&world->bodies[joint->a], joint->anchors[0]),
                                   lmbi_body_point(&world->bodies[joint->b], joint->anchors[1])));
    if (joint->compliance > 0.0) {
        return 0.0; // gives on purpose
    }
    return joint->kind == LMB_RIGID_DISTANCE ? fabs(stretch(joint, gap)) : gap;
}

/// How far it is out of its limit, as lmbi_rotation_vector measures.
static double way_out(const lmb_world *world, const lmbi_joint *joint)
{
    if (joint->limit.kind == LMB_JOINT_FREE) {
        return 0.0;
    }
    const lmbi_q4 q = lmbi_mul(lmbi_q4_conjugate(frame_of(&world->bodies[joint->a], joint, 0)),
                               frame_of(&world->bodies[joint->b], joint, 1));
    return lmbi_v3_length(way_inside(joint, q));
}

double lmbi_joint_excess(const lmb_world *world, const lmbi_joint *joint)
{
    return 2.0 * (double)lmb_atan2((float)(0.5 * way_out(world, joint)), 1.0f);
}

void lmbi_joint_reset(const lmb_world *world, lmbi_joint *joint)
{
    joint->left_rad = way_out(world, joint);
}

void lmbi_joint_begin(lmbi_joint *joint, double h)
{
    joint->given = joint->turned = lmbi_v3_make(0, 0, 0);
    joint->left_rad = lmbi_max(0.0, joint->left_rad - h * LMBI_RECOVERY_RAD_S);
}
