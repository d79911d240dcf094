/// Quaternion arithmetic inlined for inner loops, where a call costs as much as a product.
#ifndef MATH_QUAT_INLINE_H
#define MATH_QUAT_INLINE_H

#include <math.h>

#include "limber/math.h"

static inline lmb_quat lmbi_quat_mul(lmb_quat a, lmb_quat b)
{
    return lmb_quat_make(a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                         a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                         a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                         a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
}

static inline lmb_vec3 lmbi_quat_rotate(lmb_quat q, lmb_vec3 v)
{
    // v' = v + 2 w (u x v) + 2 u x (u x v)
    const lmb_vec3 u = lmb_vec3_make(q.x, q.y, q.z);
    const lmb_vec3 t = lmb_vec3_scale(lmb_vec3_cross(u, v), 2.0f);
    return lmb_vec3_add(lmb_vec3_mad(v, t, q.w), lmb_vec3_cross(u, t));
}

static inline lmb_quat lmbi_quat_scale(lmb_quat q, float s)
{
    return lmb_quat_make(q.x * s, q.y * s, q.z * s, q.w * s);
}

/// Renormalises a quaternion of length near 1: one Newton step for 1 / sqrt.
static inline lmb_quat lmbi_quat_renormalize(lmb_quat q)
{
    return lmbi_quat_scale(q, 1.5f - 0.5f * lmb_quat_dot(q, q));
}

/// Rotation about v by 2 atan(|v| / 2): the angle |v| to third order, always below half a turn.
static inline lmb_quat lmbi_quat_from_step(lmb_vec3 v)
{
    const float s = 1.0f / sqrtf(1.0f + 0.25f * lmb_vec3_dot(v, v));
    return lmb_quat_make(0.5f * s * v.x, 0.5f * s * v.y, 0.5f * s * v.z, s);
}

/// Unit length; identity for a zero or overflowing quaternion.
static inline lmb_quat lmbi_quat_unit_or_identity(lmb_quat q)
{
    const float square = lmb_quat_dot(q, q);
    const bool can = square > 1e-30f && square < INFINITY;
    return can ? lmbi_quat_scale(q, 1.0f / sqrtf(square)) : lmb_quat_identity();
}

static inline float lmbi_vec3_length(lmb_vec3 v)
{
    return sqrtf(lmb_vec3_dot(v, v));
}

static inline lmb_vec3 lmbi_perpendicular(lmb_vec3 a)
{
    // Perpendicular to the coordinate axis that is farthest from a.
    const float x = fabsf(a.x), y = fabsf(a.y), z = fabsf(a.z);
    const bool is_x = x <= y && x <= z, is_y = !is_x && y <= z;
    const lmb_vec3 c = is_x ? lmb_vec3_make(0, a.z, -a.y)
                            : (is_y ? lmb_vec3_make(-a.z, 0, a.x) : lmb_vec3_make(a.y, -a.x, 0));
    const float square = lmb_vec3_dot(c, c);
    return square > 0.0f ? lmb_vec3_scale(c, 1.0f / sqrtf(square)) : lmb_vec3_make(1, 0, 0);
}

/// Shortest rotation from unit `from` to unit `to`: (from x h, from . h) with h = from + to. Near
/// half a turn this keeps the digits that from x to and 1 + from . to lose.
static inline lmb_quat lmbi_quat_between(lmb_vec3 from, lmb_vec3 to)
{
    const lmb_vec3 h = lmb_vec3_add(from, to);
    const float w = 0.5f * lmb_vec3_dot(h, h);
    if (w < 1e-10f) {
        const lmb_vec3 axis = lmbi_perpendicular(from);
        return lmb_quat_make(axis.x, axis.y, axis.z, 0);
    }
    const lmb_vec3 c = lmb_vec3_cross(from, h);
    return lmbi_quat_scale(lmb_quat_make(c.x, c.y, c.z, w),
                           1.0f / sqrtf(lmb_vec3_dot(c, c) + w * w));
}

/// Rotation about unit `axis` that brings the perpendicular part of `from` to that of `to`, by
/// half-angles.
static inline lmb_quat lmbi_quat_about(lmb_vec3 axis, lmb_vec3 from, lmb_vec3 to)
{
    const lmb_vec3 a = lmb_vec3_mad(from, axis, -lmb_vec3_dot(from, axis));
    const lmb_vec3 b = lmb_vec3_mad(to, axis, -lmb_vec3_dot(to, axis));
    const float sine = lmb_vec3_dot(axis, lmb_vec3_cross(a, b)), cosine = lmb_vec3_dot(a, b);
    const float whole = sqrtf(sine * sine + cosine * cosine), w = whole + cosine;
    if (!(whole > 1e-20f)) {
        return lmb_quat_identity();
    }
    if (w < 1e-6f * whole) {
        return lmb_quat_make(axis.x, axis.y, axis.z, 0);
    }
    const float s = 1.0f / sqrtf(sine * sine + w * w);
    return lmb_quat_make(axis.x * sine * s, axis.y * sine * s, axis.z * sine * s, w * s);
}

static inline lmb_quat lmbi_mat4_rotation(lmb_mat4 m)
{
    lmb_transform t;
    (void)lmb_mat4_decompose(m, &t);
    return t.rotation;
}

/// Rotation vector (axis times angle in [0, pi]) of a unit quaternion.
static inline lmb_vec3 lmbi_quat_rotation_vector(lmb_quat q)
{
    const float sign = q.w < 0.0f ? -1.0f : 1.0f;
    const lmb_vec3 v = lmb_vec3_make(sign * q.x, sign * q.y, sign * q.z);
    const float length = sqrtf(lmb_vec3_dot(v, v));
    return lmb_vec3_scale(v, length > 1e-6f ? 2.0f * lmb_atan2(length, sign * q.w) / length : 2.0f);
}

#endif
