/// Outward normals of a ball joint's limit.
#include "ik/chain.h"

#define MIN_CLAMP 1e-6f ///< radians that a limit has to remove to count
#define AT_LIMIT 1e-3f  ///< radians from the limit within which a joint is at it

/// Rotation vector of the swing, and the angle of the twist about unit `axis`.
static lmb_vec3 split_swing_twist(lmb_quat q, lmb_vec3 axis, float *twist_rad)
{
    lmb_quat swing, twist;
    lmb_quat_swing_twist(q, axis, &swing, &twist);
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
    if (a < AT_LIMIT ||
        b < AT_LIMIT) { // zero extent in one axis: every point is on the flat side's rim, the ends also on the other
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

uint32_t lmbi_limit_normals(const lmb_joint_limit *limit, lmb_quat now, lmb_quat wanted,
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
