/// In which directions of rotation a joint stands at its limit.
#include "ik/chain.h"

#define LEAST 1e-6f ///< radians that a limit has to take off before it counts
#define CLOSE 1e-3f ///< radians from its limit within which a joint stands at it

/// The axis times angle of the swing and the angle of the twist about unit `axis`.
static lmb_vec3 split(lmb_quat q, lmb_vec3 axis, float *twist_rad)
{
    lmb_quat swing, twist;
    lmb_quat_swing_twist(q, axis, &swing, &twist);
    *twist_rad = lmb_vec3_dot(lmbi_turn_log(twist), axis);
    return lmbi_turn_log(swing);
}

/// The rate of the swing vector s = p u (u unit, square to the axis a) under a rotation w, with the
/// bone at d:
/// ds = u (u . w) + (a x u) (p / sin p) ((d x u) . w). Its transpose takes a normal of the cone to
/// one of rotations.
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

/// Whether a swing stands on the rim of the cone, where `outward` of it was taken off; the rim's
/// normal, unit.
static bool is_on_rim(const lmb_joint_limit *limit, lmb_vec3 swing, lmb_vec3 outward,
                      lmb_vec3 *normal)
{
    if (!(lmb_vec3_dot(limit->side, limit->side) > 0.0f)) {
        *normal = limit->swing_rad < CLOSE ? outward : swing;
        return limit->swing_rad - sqrtf(lmb_vec3_dot(swing, swing)) < CLOSE;
    }
    const lmb_vec3 across = lmb_vec3_cross(limit->axis, limit->side);
    const float u = lmb_vec3_dot(swing, limit->side), v = lmb_vec3_dot(swing, across);
    const float a = limit->swing_side_rad[u > 0.0f], b = limit->swing_across_rad[v > 0.0f];
    if (a < CLOSE || b < CLOSE) { // a blade: its flat side is rim everywhere, its edge at both ends
        const float flat = lmb_vec3_dot(outward, a < b ? limit->side : across),
                    along = a < b ? v : u, most = a < b ? b : a;
        const lmb_vec3 edge = a < b ? across : limit->side;
        *normal = fabsf(flat) > LEAST ? (a < b ? limit->side : across) : edge;
        return fabsf(flat) > LEAST || most - fabsf(along) < CLOSE;
    }
    *normal =
        lmb_vec3_add(lmb_vec3_scale(limit->side, u / (a * a)), lmb_vec3_scale(across, v / (b * b)));
    return (u / a) * (u / a) + (v / b) * (v / b) > 1.0f - 2.0f * CLOSE / (a < b ? a : b);
}

uint32_t lmbi_limit_normals(const lmb_joint_limit *limit, lmb_quat now, lmb_quat wanted,
                            lmb_quat got, lmb_vec3 normals[2])
{
    float now_twist, wanted_twist, twist;
    uint32_t count = 0;
    const lmb_vec3 swing = split(now, limit->axis, &now_twist),
                   wanted_swing = split(wanted, limit->axis, &wanted_twist);
    const lmb_vec3 outward = lmb_vec3_sub(wanted_swing, split(got, limit->axis, &twist));
    if (fabsf(wanted_twist - twist) > LEAST && fabsf(now_twist - twist) < CLOSE) {
        // The twist's rate is w . (a + d) / (1 + a . d).
        const lmb_vec3 bone = lmb_quat_rotate(now, limit->axis);
        normals[count++] = lmb_vec3_normalize_or(lmb_vec3_add(limit->axis, bone), limit->axis);
    }
    lmb_vec3 normal;
    if (lmb_vec3_dot(outward, outward) > LEAST * LEAST &&
        is_on_rim(limit, swing, outward, &normal)) {
        const lmb_vec3 unit = lmb_vec3_normalize_or(normal, limit->side);
        normals[count++] =
            lmb_vec3_normalize_or(swing_normal(limit->axis, swing, unit), limit->axis);
    }
    return count;
}
