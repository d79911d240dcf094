/// Damped least squares: dtheta = J^T (J J^T + lambda^2 I)^-1 e (Wampler 1986; Buss 2004, eq. 11).
/// The damping adapts as in Marquardt's method; limits are active constraints, removed from J.
#include "ik/damped_system.h"
#include "math/math.h"

#include <string.h>

#include "ik/chain.h"

// ------------------------------------------------------------------------------- normals of limits

#define MIN_CLAMP 1e-6f ///< radians that a limit has to remove to count
#define AT_LIMIT 1e-3f  ///< radians from the limit within which a joint is at it

/// Rotation vector of the swing, and the angle of the twist about unit `axis`.
static lmb_vec3 split_swing_twist(lmb_quat q, lmb_vec3 axis, float *twist_rad)
{
    lmb_quat swing, twist;
    lmbi_quat_swing_twist(q, axis, &swing, &twist);
    *twist_rad = lmb_vec3_dot(lmbi_quat_rotation_vector(twist), axis);
    return lmbi_quat_rotation_vector(swing);
}

/// The rate of the swing vector s = p u (u unit, perpendicular to the axis a) under a rotation w,
/// with the bone at d, is ds = u (u . w) + (a x u) (p / sin p) ((d x u) . w). Its transpose maps a
/// normal of the cone to a normal in rotation space.
static lmb_vec3 swing_normal(lmb_vec3 axis, lmb_vec3 swing, lmb_vec3 outward)
{
    const float angle = sqrtf(lmb_vec3_dot(swing, swing));
    if (angle < 1e-4f) {
        return outward;
    }
    const lmb_vec3 u = lmb_vec3_scale(swing, 1.0f / angle), across = lmb_vec3_cross(axis, u);
    const lmb_vec3 bone = lmb_quat_rotate(lmb_quat_axis_angle(u, angle), axis);
    const float sine = lmb_sin(angle), ratio = angle / (sine > 0.01f ? sine : 0.01f);
    return lmb_vec3_add(
        lmb_vec3_scale(u, lmb_vec3_dot(u, outward)),
        lmb_vec3_scale(lmb_vec3_cross(bone, u), ratio * lmb_vec3_dot(across, outward)));
}

/// True when a swing is on the rim of the cone and `outward` of it was removed; `normal` receives
/// the rim's normal.
static bool is_on_rim(const lmb_joint_limit *limit, lmb_vec3 swing, lmb_vec3 outward,
                      lmb_vec3 *normal)
{
    if (!(lmb_vec3_dot(limit->side, limit->side) > 0.0f)) {
        *normal = limit->swing_rad < AT_LIMIT ? outward : swing;
        return limit->swing_rad - sqrtf(lmb_vec3_dot(swing, swing)) < AT_LIMIT;
    }
    const lmb_vec3 across = lmb_vec3_cross(limit->axis, limit->side);
    const float u = lmb_vec3_dot(swing, limit->side), v = lmb_vec3_dot(swing, across);
    const float a = limit->swing_side_rad[u > 0.0f], b = limit->swing_across_rad[v > 0.0f];
    if (a < AT_LIMIT || b < AT_LIMIT) {
        // Zero extent in one axis: every point is on the flat side's rim, the ends also on the
        // other.
        const float flat = lmb_vec3_dot(outward, a < b ? limit->side : across),
                    along = a < b ? v : u, most = a < b ? b : a;
        const lmb_vec3 edge = a < b ? across : limit->side;
        *normal = fabsf(flat) > MIN_CLAMP ? (a < b ? limit->side : across) : edge;
        return fabsf(flat) > MIN_CLAMP || most - fabsf(along) < AT_LIMIT;
    }
    *normal =
        lmb_vec3_add(lmb_vec3_scale(limit->side, u / (a * a)), lmb_vec3_scale(across, v / (b * b)));
    return (u / a) * (u / a) + (v / b) * (v / b) > 1.0f - 2.0f * AT_LIMIT / (a < b ? a : b);
}

/// Outward normals, in the rest frame, of a ball's limit where it clamped `wanted` to `got`,
/// starting at `now`; all three relative to rest. Returns how many, at most 2.
static uint32_t find_limit_normals(const lmb_joint_limit *limit, lmb_quat now, lmb_quat wanted,
                                   lmb_quat got, lmb_vec3 normals[2])
{
    float now_twist, wanted_twist, twist;
    uint32_t count = 0;
    const lmb_vec3 swing = split_swing_twist(now, limit->axis, &now_twist),
                   wanted_swing = split_swing_twist(wanted, limit->axis, &wanted_twist);
    const lmb_vec3 outward =
        lmb_vec3_sub(wanted_swing, split_swing_twist(got, limit->axis, &twist));
    if (fabsf(wanted_twist - twist) > MIN_CLAMP && fabsf(now_twist - twist) < AT_LIMIT) {
        // The twist's rate is w . (a + d) / (1 + a . d).
        const lmb_vec3 bone = lmb_quat_rotate(now, limit->axis);
        normals[count++] = lmb_vec3_normalize_or(lmb_vec3_add(limit->axis, bone), limit->axis);
    }
    lmb_vec3 normal;
    if (lmb_vec3_dot(outward, outward) > MIN_CLAMP * MIN_CLAMP &&
        is_on_rim(limit, swing, outward, &normal)) {
        const lmb_vec3 unit = lmb_vec3_normalize_or(normal, limit->side);
        normals[count++] =
            lmb_vec3_normalize_or(swing_normal(limit->axis, swing, unit), limit->axis);
    }
    return count;
}

// ------------------------------------------------------------------------------------------- steps

#define MAX_ROTATION 1.0f ///< largest rotation of a joint in one step, radians

static void clamp_step(const lmbi_ik_chain *chain)
{
    float most = 0.0f;
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        const float square = lmb_vec3_dot(chain->rotations[k], chain->rotations[k]);
        most = square > most ? square : most;
    }
    if (most > MAX_ROTATION * MAX_ROTATION) {
        const float s = MAX_ROTATION / sqrtf(most);
        for (uint32_t k = 0; k < chain->link_count; ++k) {
            chain->rotations[k] = lmb_vec3_scale(chain->rotations[k], s);
            chain->moves[k] = lmb_vec3_scale(chain->moves[k], s);
        }
    }
}

void lmbi_damped_unfreeze(const lmbi_damped *d)
{
    const lmbi_ik_chain *chain = d->chain;
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        const lmbi_link *link = &chain->links[k];
        d->freedoms[k] = (lmbi_damped_freedom){
            link->rotates ? LMBI_FREEDOM_ALL : LMBI_FREEDOM_NONE, link->slides, {0, 0, 0}};
        if (lmbi_is_hinge(link)) {
            d->freedoms[k] = (lmbi_damped_freedom){LMBI_FREEDOM_ABOUT_AXIS, link->slides,
                                                   lmbi_hinge_axis(chain, chain->now, k)};
        }
    }
}

static bool remove_direction(lmbi_damped_freedom *f, lmb_vec3 normal)
{
    const lmb_vec3 left = lmbi_damped_project(f, normal);
    const float length = sqrtf(lmb_vec3_dot(left, left));
    if (f->kind == LMBI_FREEDOM_NONE || !(length > 1e-3f)) {
        return false;
    }
    const lmb_vec3 axis = lmb_vec3_scale(left, 1.0f / length);
    f->axis = f->kind == LMBI_FREEDOM_ACROSS_AXIS ? lmb_vec3_cross(axis, f->axis) : axis;
    f->kind =
        f->kind == LMBI_FREEDOM_ALL
            ? LMBI_FREEDOM_ACROSS_AXIS
            : (f->kind == LMBI_FREEDOM_ACROSS_AXIS ? LMBI_FREEDOM_ABOUT_AXIS : LMBI_FREEDOM_NONE);
    return true;
}

/// Removes from J the rotations of a link that its limit clamped. True when there were any.
static bool freeze_rotations(const lmbi_damped *d, uint32_t k)
{
    const lmbi_ik_chain *chain = d->chain;
    const lmbi_link *link = &chain->links[k];
    lmbi_damped_freedom *f = &d->freedoms[k];
    if (!link->rotates || link->limit->kind == LMB_JOINT_FREE || f->kind == LMBI_FREEDOM_NONE) {
        return false;
    }
    if (lmbi_is_hinge(link)) { // at its end only if it did not move
        const bool stays = lmb_quat_angle(chain->now[k].local, chain->trial[k].local) < 1e-3f;
        f->kind = stays ? LMBI_FREEDOM_NONE : f->kind;
        return stays;
    }
    const lmb_quat rest =
        lmbi_quat_mul(lmbi_parent_rotation(chain, chain->now, k), link->rest.rotation);
    const lmb_quat rotated =
        lmbi_quat_mul(lmbi_quat_from_step(chain->rotations[k]), chain->now[k].rotation);
    const lmb_quat wanted = lmbi_quat_mul(lmb_quat_conjugate(rest), rotated);
    const lmb_quat back = lmb_quat_conjugate(link->rest.rotation);
    const lmb_quat now = lmbi_quat_mul(back, chain->now[k].local);
    const lmb_quat got = lmbi_quat_mul(back, chain->trial[k].local);
    lmb_vec3 normals[2];
    const uint32_t count = find_limit_normals(link->limit, now, wanted, got, normals);
    bool froze = false;
    for (uint32_t i = 0; i < count; ++i) {
        froze |= remove_direction(f, lmbi_quat_rotate(rest, normals[i]));
    }
    return froze;
}

static bool freeze_slides(const lmbi_damped *d, uint32_t k)
{
    const lmbi_ik_chain *chain = d->chain;
    const lmb_quat frame = lmbi_parent_rotation(chain, chain->now, k);
    const lmb_quat back = lmb_quat_conjugate(lmbi_quat_mul(frame, chain->links[k].rest.rotation));
    const lmb_vec3 offset = lmb_vec3_sub(chain->trial[k].offset, chain->now[k].offset);
    const lmb_vec3 wanted = lmbi_quat_rotate(back, chain->moves[k]);
    const lmb_vec3 got = lmbi_quat_rotate(back, lmbi_quat_rotate(frame, offset));
    const float wants[3] = {wanted.x, wanted.y, wanted.z}, moved[3] = {got.x, got.y, got.z};
    const float least = 1e-6f * chain->reach;
    lmbi_damped_freedom *f = &d->freedoms[k];
    bool froze = false;
    for (int i = 0; i < 3; ++i) {
        if (f->slides >> i & 1 && fabsf(wants[i] - moved[i]) > least && fabsf(moved[i]) <= least) {
            f->slides = (uint8_t)(f->slides & ~(1u << i));
            froze = true;
        }
    }
    return froze;
}

void lmbi_damped_step(lmbi_damped *d, double damping, bool pulls)
{
    lmbi_ik_chain *chain = d->chain;
    lmbi_damped_unfreeze(d);
    lmbi_damped_assemble(d);
    for (int round = 0; round < 4; ++round) {
        bool again = false;
        lmbi_damped_set_error(d, pulls);
        if (!lmbi_damped_solve(d, damping * d->trace / d->rows + 1e-12)) {
            memset(d->solution, 0, d->rows * sizeof(double));
        }
        for (uint32_t k = 0; k < chain->link_count; ++k) {
            lmbi_damped_gather(d, k);
            if (pulls) {
                chain->rotations[k] = lmb_vec3_add(
                    chain->rotations[k], lmbi_damped_project(&d->freedoms[k], d->pull[k]));
            }
        }
        clamp_step(chain);
        lmbi_chain_step(chain, chain->now, chain->trial);
        for (uint32_t k = 0; chain->has_limits && round < 3 && k < chain->link_count; ++k) {
            if (chain->trial[k].clamped) {
                again |= freeze_rotations(d, k);
                again |= freeze_slides(d, k);
            }
        }
        if (!again) {
            return;
        }
        lmbi_damped_assemble(d);
    }
}

void lmbi_solve_damped(lmbi_ik_chain *chain)
{
    lmbi_damped d = lmbi_damped_set_up(chain);
    double damping = 1e-3;
    float cost = lmbi_chain_measure_errors(chain, chain->now);
    int stalled = 0;
    bool over = d.block_count == 0 || lmbi_chain_is_met(chain);
    if (over) {
        lmbi_chain_count_iteration(chain, cost);
    }
    while (!over && stalled < 8) {
        lmbi_damped_step(&d, damping, false);
        const float after = lmbi_chain_measure_errors(chain, chain->trial);
        stalled = after < 0.98f * cost ? 0 : stalled + 1;
        if (after < cost) {
            lmbi_chain_swap(chain);
            cost = after;
            damping = damping * 0.2 > 1e-6 ? damping * 0.2 : 1e-6;
        } else {
            lmbi_chain_measure_errors(chain, chain->now);
            damping = damping * 8 < 1e6 ? damping * 8 : 1e6;
        }
        over = lmbi_chain_count_iteration(chain, cost);
    }
}
