/// Quaternion arithmetic for inner loops, where a call a product costs as much as the product.
#ifndef IK_TURN_H
#define IK_TURN_H

#include <math.h>

#include "limber/math.h"

static inline lmb_quat lmbi_turn_mul(lmb_quat a, lmb_quat b)
{
    return lmb_quat_make(a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                         a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                         a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                         a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
}

static inline lmb_vec3 lmbi_turn_vector(lmb_quat q, lmb_vec3 v)
{
    const lmb_vec3 u = lmb_vec3_make(q.x, q.y, q.z);
    const lmb_vec3 t = lmb_vec3_scale(lmb_vec3_cross(u, v), 2.0f);
    return lmb_vec3_add(lmb_vec3_mad(v, t, q.w), lmb_vec3_cross(u, t));
}

static inline lmb_quat lmbi_turn_scale(lmb_quat q, float s)
{
    return lmb_quat_make(q.x * s, q.y * s, q.z * s, q.w * s);
}

/// Of a quaternion whose length is near 1 already: one step of Newton's for 1 / sqrt.
static inline lmb_quat lmbi_turn_refine(lmb_quat q)
{
    return lmbi_turn_scale(q, 1.5f - 0.5f * lmb_quat_dot(q, q));
}

/// A turn by about the angle |v| about v, exact to third order for small ones and never past half a turn: 2 atan(|v| / 2).
static inline lmb_quat lmbi_turn_by(lmb_vec3 v)
{
    const float s = 1.0f / sqrtf(1.0f + 0.25f * lmb_vec3_dot(v, v));
    return lmb_quat_make(0.5f * s * v.x, 0.5f * s * v.y, 0.5f * s * v.z, s);
}

/// The rotation vector (axis times angle in [0, pi]) of a unit quaternion.
static inline lmb_vec3 lmbi_turn_log(lmb_quat q)
{
    const float sign = q.w < 0.0f ? -1.0f : 1.0f;
    const lmb_vec3 v = lmb_vec3_make(sign * q.x, sign * q.y, sign * q.z);
    const float length = sqrtf(lmb_vec3_dot(v, v));
    return lmb_vec3_scale(v, length > 1e-6f ? 2.0f * lmb_atan2(length, sign * q.w) / length : 2.0f);
}

#endif
