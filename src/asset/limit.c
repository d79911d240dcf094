/// Joint limits: the nearest rotation within a hinge's range or a ball's cone and twist, and the
/// nearest translation within a box.
#include <math.h>

#include "asset/asset.h"
#include "limber/asset.h"
#include "math/math.h"
#include "math/scalar.h"

#define TURN (2.0f * LMB_PI)

/// Clamps `angle`, in [-pi, pi], to a range on the circle: outside it, to the nearer end.
static float clamp_angle(float angle, float low, float high)
{
    if (high - low >= TURN || (angle >= low && angle <= high)) {
        return angle;
    }
    // The smallest equivalent angle at or above `low`. If it is above `high`, compare the distance
    // past the high end with that up to the low end one revolution later.
    const float above = angle + TURN * ceilf((low - angle) / TURN);
    if (above <= high) {
        return above;
    }
    return above - high < low + TURN - above ? high : low;
}

/// The angle about `axis` of the twist in a rotation, in [-pi, pi].
static float twist_angle(lmb_quat q, lmb_vec3 axis)
{
    const float sign = q.w < 0.0f ? -1.0f : 1.0f;
    return 2.0f * lmb_atan2(sign * (q.x * axis.x + q.y * axis.y + q.z * axis.z), sign * q.w);
}

/// The point of the ellipse (x / a)^2 + (y / b)^2 = 1 nearest to (x, y) outside of it, all in the
/// first quadrant:
/// x' = a^2 x / (t + a^2), y' likewise, with t >= 0 the root of (a x / (t + a^2))^2 + (b y / (t +
/// b^2))^2 = 1. The left side falls and is convex, so Newton's steps from below come up to the root
/// and never pass it.
static void ellipse_nearest(float a, float b, float *x, float *y)
{
    const float least = 1e-4f;
    if (a < least || b < least) {
        *x = a < least ? 0.0f : lmbi_clampf(*x, 0.0f, a);
        *y = b < least ? 0.0f : lmbi_clampf(*y, 0.0f, b);
        return;
    }
    float t = fmaxf(0.0f, fmaxf(a * *x - a * a, b * *y - b * b)); // where one term alone is 1
    for (int i = 0; i < 24; ++i) {
        const float p = a * *x / (t + a * a), q = b * *y / (t + b * b);
        const float over = p * p + q * q - 1.0f,
                    slope = 2.0f * (p * p / (t + a * a) + q * q / (t + b * b));
        if (over <= 1e-6f) {
            break;
        }
        t += over / slope;
    }
    *x = a * a * *x / (t + a * a);
    *y = b * b * *y / (t + b * b);
}

/// The rotation vector of a swing, clamped to the elliptic cone.
static lmb_quat limit_elliptic(const lmb_joint_limit *limit, lmb_vec3 vector)
{
    const lmb_vec3 across = lmb_vec3_cross(limit->axis, limit->side);
    const float u = lmb_vec3_dot(vector, limit->side), v = lmb_vec3_dot(vector, across);
    float x = fabsf(u), y = fabsf(v);
    ellipse_nearest(limit->swing_side_rad[u > 0.0f], limit->swing_across_rad[v > 0.0f], &x, &y);
    const float angle = sqrtf(x * x + y * y);
    const lmb_vec3 clamped = lmb_vec3_add(lmb_vec3_scale(limit->side, u < 0.0f ? -x : x),
                                          lmb_vec3_scale(across, v < 0.0f ? -y : y));
    return lmb_quat_axis_angle(lmb_vec3_normalize_or(clamped, limit->side), angle);
}

static bool is_inside_ellipse(const lmb_joint_limit *limit, lmb_vec3 vector)
{
    const float u = lmb_vec3_dot(vector, limit->side),
                v = lmb_vec3_dot(vector, lmb_vec3_cross(limit->axis, limit->side));
    const float a = limit->swing_side_rad[u > 0.0f], b = limit->swing_across_rad[v > 0.0f];
    return u * u * b * b + v * v * a * a <= a * a * b * b;
}

/// `swing` must have w >= 0, so that its angle is at most pi.
static lmb_quat limit_swing(const lmb_joint_limit *limit, lmb_quat swing)
{
    const lmb_quat q =
        swing.w < 0.0f ? lmb_quat_make(-swing.x, -swing.y, -swing.z, -swing.w) : swing;
    const lmb_vec3 v = lmb_vec3_make(q.x, q.y, q.z);
    const float angle = 2.0f * lmb_atan2(lmb_vec3_length(v), q.w);
    const bool is_round = !(lmb_vec3_dot(limit->side, limit->side) > 0.0f);
    const lmb_vec3 about = lmb_vec3_normalize_or(v, lmb_vec3_any_perpendicular(limit->axis));
    if (is_round) {
        return angle <= limit->swing_rad ? q : lmb_quat_axis_angle(about, limit->swing_rad);
    }
    const lmb_vec3 vector = lmb_vec3_scale(about, angle);
    return is_inside_ellipse(limit, vector) ? q : limit_elliptic(limit, vector);
}

lmb_quat lmbi_joint_limit_clamp(const lmb_joint_limit *limit, lmb_quat rest_from_joint)
{
    if (limit->kind == LMB_JOINT_FREE) {
        return rest_from_joint;
    }
    if (limit->kind == LMB_JOINT_FIXED) {
        return lmb_quat_identity();
    }
    lmb_quat swing, twist;
    lmbi_quat_swing_twist(rest_from_joint, limit->axis, &swing, &twist);
    const float twist_rad = twist_angle(twist, limit->axis);
    const float clamped = clamp_angle(twist_rad, limit->twist_min_rad, limit->twist_max_rad);
    if (clamped < twist_rad || clamped > twist_rad) {
        twist = lmb_quat_axis_angle(limit->axis, clamped);
    }
    if (limit->kind == LMB_JOINT_HINGE) {
        return twist;
    }
    return lmb_quat_normalize(lmb_quat_mul(limit_swing(limit, swing), twist));
}

bool lmb_joint_limit_is_at(const lmb_joint_limit *limit, lmb_quat rest_from_joint, float slack_rad)
{
    if (limit->kind == LMB_JOINT_FREE || limit->kind == LMB_JOINT_FIXED) {
        return false;
    }
    lmb_quat swing, twist;
    lmbi_quat_swing_twist(rest_from_joint, limit->axis, &swing, &twist);
    const float low = limit->twist_min_rad + slack_rad, high = limit->twist_max_rad - slack_rad;
    const float angle = twist_angle(twist, limit->axis), clamped = clamp_angle(angle, low, high);
    if (low < high && (clamped < angle || clamped > angle)) {
        return true;
    }
    if (limit->kind == LMB_JOINT_HINGE) {
        return false;
    }
    // A cone narrower than the slack is widened to it: otherwise every swing would count as at the
    // limit.
    lmb_joint_limit inner = *limit;
    inner.swing_rad = fmaxf(limit->swing_rad - slack_rad, slack_rad);
    for (int i = 0; i < 2; ++i) {
        inner.swing_side_rad[i] = fmaxf(limit->swing_side_rad[i] - slack_rad, slack_rad);
        inner.swing_across_rad[i] = fmaxf(limit->swing_across_rad[i] - slack_rad, slack_rad);
    }
    return lmb_quat_angle(swing, limit_swing(&inner, swing)) > 0.01f * slack_rad;
}

/// Clamps a joint's translation to its box, which is given in the rest frame.
static lmb_vec3 clamp_translation(const lmb_joint_limit *limit, lmb_transform rest,
                                  lmb_vec3 translation)
{
    const lmb_vec3 moved = lmb_quat_rotate(lmb_quat_conjugate(rest.rotation),
                                           lmb_vec3_sub(translation, rest.translation));
    const lmb_vec3 low = limit->box.low, high = limit->box.high;
    const lmb_vec3 clamped =
        lmb_vec3_make(lmbi_clampf(moved.x, low.x, high.x), lmbi_clampf(moved.y, low.y, high.y),
                      lmbi_clampf(moved.z, low.z, high.z));
    const lmb_vec3 back = lmb_vec3_sub(clamped, moved);
    if (!(lmb_vec3_dot(back, back) > 0.0f)) {
        return translation;
    }
    return lmb_vec3_add(rest.translation, lmb_quat_rotate(rest.rotation, clamped));
}

lmb_transform lmbi_joint_limit_apply(const lmb_joint_limit *limit, lmb_transform rest,
                                     lmb_transform local)
{
    if (limit->kind == LMB_JOINT_FIXED) {
        return rest;
    }
    if (limit->has_box) {
        local.translation = clamp_translation(limit, rest, local.translation);
    }
    if (limit->kind != LMB_JOINT_FREE) {
        const lmb_quat rotation = lmb_quat_mul(lmb_quat_conjugate(rest.rotation), local.rotation);
        local.rotation = lmb_quat_normalize(
            lmb_quat_mul(rest.rotation, lmbi_joint_limit_clamp(limit, rotation)));
    }
    return local;
}

float lmbi_joint_limit_excess(const lmb_joint_limit *limit, lmb_transform rest, lmb_transform local,
                              float *distance)
{
    const lmb_transform inside = lmbi_joint_limit_apply(limit, rest, local);
    if (distance) {
        *distance = lmb_vec3_distance(inside.translation, local.translation);
    }
    return lmb_quat_angle(inside.rotation, local.rotation);
}
