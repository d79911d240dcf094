/// Blending of single transforms.
#ifndef ANIM_MIX_H
#define ANIM_MIX_H

#include "limber/math.h"

/// Quaternions whose squared length is this close to 1 count as unit and are left unchanged.
#define LMBI_UNIT_SLACK 5e-7f

static inline lmb_quat lmbi_quat_flip(lmb_quat q, float sign)
{
    return lmb_quat_make(q.x * sign, q.y * sign, q.z * sign, q.w * sign);
}

/// b or -b, whichever is in the hemisphere of a.
static inline lmb_quat lmbi_quat_align(lmb_quat a, lmb_quat b)
{
    return lmbi_quat_flip(b, lmb_quat_dot(a, b) < 0 ? -1.0f : 1.0f);
}

static inline lmb_quat lmbi_quat_lerp(lmb_quat a, lmb_quat b, float t)
{
    return lmb_quat_make(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t,
                         a.w + (b.w - a.w) * t);
}

/// Normalised; `fallback` for a length of about 0.
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
    const lmb_quat q = lmbi_quat_lerp(a.rotation, lmbi_quat_align(a.rotation, b.rotation), t);
    lmb_transform out;
    out.translation = lmb_vec3_lerp(a.translation, b.translation, t);
    out.rotation = lmbi_quat_unit(q, a.rotation);
    out.scale = lmb_vec3_lerp(a.scale, b.scale, t);
    return out;
}

/// Coefficients of the nlerp weight that gives the rotation of slerp at t. With x = t - 1/2, w the
/// angle between the two quaternions and m = 1 - cos(w), the weight is
/// 1/2 + tan(x w) / (2 tan(w / 2)) = t + x (x^2 - 1/4) m h(m, x^2). Row k of the table is for m^k,
/// its columns for powers of x^2, interpolated at Chebyshev nodes for w up to pi / 2. Exact at both
/// ends, within 7e-6 radians between.
enum { LMBI_NLERP_ROWS = 5, LMBI_NLERP_TERMS = 4 };
static const float lmbi_nlerp_terms[LMBI_NLERP_ROWS][LMBI_NLERP_TERMS] = {
    {0.666678329f, 0.00010754144f, -0.000235173498f, 0.00421145608f},
    {0.132755027f, 0.52800808f, 0.0115486949f, -0.208161909f},
    {0.0425226132f, 0.237276545f, 0.348029155f, 1.56537139f},
    {0.00145278562f, -0.028317926f, 0.418022283f, -3.46849911f},
    {0.0149335269f, 0.118217304f, -0.0373865641f, 3.57577062f},
};

/// For w in [0, pi / 2] and t in [0, 1]; m = 1 - cos(w).
float lmbi_nlerp_weight(float t, float m);

/// slerp(identity, d, t) for t in [0, 1] along the shorter arc.
lmb_quat lmbi_quat_power(lmb_quat d, float t);
/// Adds the difference d to base, for weight in [-1, 1].
lmb_transform lmbi_transform_add(lmb_transform base, lmb_transform d, float weight);

/// The rotation vector (axis times angle in [0, pi]) of a unit quaternion, and back.
lmb_vec3 lmbi_quat_log(lmb_quat q);
lmb_quat lmbi_quat_exp(lmb_vec3 rotation_vector);

#endif
