/// Arithmetic on single transforms that the blending jobs share.
#ifndef ANIM_MIX_H
#define ANIM_MIX_H

#include "limber/math.h"

/// Squared lengths this near to 1 are those of unit quaternions rounded to float: they stay to the
/// bit.
#define LMBI_UNIT_SLACK 5e-7f

static inline lmb_quat lmbi_quat_flip(lmb_quat q, float sign)
{
    return lmb_quat_make(q.x * sign, q.y * sign, q.z * sign, q.w * sign);
}

/// b or -b, whichever is in the hemisphere of a.
static inline lmb_quat lmbi_quat_near(lmb_quat a, lmb_quat b)
{
    return lmbi_quat_flip(b, lmb_quat_dot(a, b) < 0 ? -1.0f : 1.0f);
}

static inline lmb_quat lmbi_quat_lerp(lmb_quat a, lmb_quat b, float t)
{
    return lmb_quat_make(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t,
                         a.w + (b.w - a.w) * t);
}

/// Unit length. Where nothing is left, `fallback`.
static inline lmb_quat lmbi_quat_unit(lmb_quat q, lmb_quat fallback)
{
    const float n2 = lmb_quat_dot(q, q);
    if (n2 >= 1 - LMBI_UNIT_SLACK && n2 <= 1 + LMBI_UNIT_SLACK) {
        return q;
    }
    return n2 > 1e-12f ? lmbi_quat_flip(q, 1 / lmb_sqrt(n2)) : fallback;
}

/// a at 0, b at 1; rotations by normalised lerp along the shorter arc.
static inline lmb_transform lmbi_transform_mix(lmb_transform a, lmb_transform b, float t)
{
    const lmb_quat q = lmbi_quat_lerp(a.rotation, lmbi_quat_near(a.rotation, b.rotation), t);
    lmb_transform out;
    out.translation = lmb_vec3_lerp(a.translation, b.translation, t);
    out.rotation = lmbi_quat_unit(q, a.rotation);
    out.scale = lmb_vec3_lerp(a.scale, b.scale, t);
    return out;
}

/// The factors of a series for sin(t w) / sin(w), m = 1 - cos(w) (Eberly, A Fast and Accurate
/// Algorithm for Computing SLERP, 2011, eq. 11): the i-th is 1 + (i / (2 i + 1) - t^2 / (i (2 i +
/// 1))) m * the next. The last one is stretched by 1.86 to make up for those left out.
enum { LMBI_SINE_FACTORS = 8 };
static const float lmbi_sine_factors[LMBI_SINE_FACTORS][2] = {
    {1 / 3.0f, 1 / 3.0f},    {2 / 5.0f, 1 / 10.0f},
    {3 / 7.0f, 1 / 21.0f},   {4 / 9.0f, 1 / 36.0f},
    {5 / 11.0f, 1 / 55.0f},  {6 / 13.0f, 1 / 78.0f},
    {7 / 15.0f, 1 / 105.0f}, {1.86f * 8 / 17.0f, 1.86f / 136.0f},
};

/// sin(t w) / sin(w) for w in [0, pi / 2] and t in [0, 1]: exact at both ends, within 2e-5, within
/// 2e-7 for w to pi / 4.
float lmbi_sine_share(float t, float m);

/// slerp(identity, d, t) for t in [0, 1] along the shorter arc.
lmb_quat lmbi_quat_part(lmb_quat d, float t);
/// The additive difference d on top of base, for weight in [-1, 1].
lmb_transform lmbi_transform_add(lmb_transform base, lmb_transform d, float weight);

/// The rotation vector (axis times angle in [0, pi]) of a unit quaternion, and back.
lmb_vec3 lmbi_quat_log(lmb_quat q);
lmb_quat lmbi_quat_exp(lmb_vec3 rotation_vector);

#endif
