#include "anim/mix.h"

#include <math.h>

float lmbi_sine_share(float t, float m)
{
    const float square = t * t;
    float f = 1;
    for (int i = LMBI_SINE_FACTORS - 1; i >= 0; --i) {
        f = 1 + (lmbi_sine_factors[i][0] - lmbi_sine_factors[i][1] * square) * m * f;
    }
    return t * f;
}

lmb_quat lmbi_quat_part(lmb_quat d, float t)
{
    const float sign = d.w < 0 ? -1.0f : 1.0f, c = d.w * sign, m = c < 1 ? 1 - c : 0;
    const float at_d = lmbi_sine_share(t, m) * sign, at_one = lmbi_sine_share(1 - t, m);
    return lmb_quat_make(d.x * at_d, d.y * at_d, d.z * at_d, at_one + d.w * at_d);
}

/// weight in [-1, 1]: a negative one divides by what the same positive one multiplies with.
static float scale_by(float s, float d, float weight)
{
    const float factor = 1 + fabsf(weight) * (d - 1);
    return weight < 0 ? (fabsf(factor) > 1e-12f ? s / factor : s) : s * factor;
}

lmb_transform lmbi_transform_add(lmb_transform base, lmb_transform d, float weight)
{
    lmb_transform out;
    lmb_quat part = lmbi_quat_part(d.rotation, fabsf(weight));
    part = weight < 0 ? lmb_quat_conjugate(part) : part;
    out.translation = lmb_vec3_mad(base.translation, d.translation, weight);
    out.rotation = lmbi_quat_unit(lmb_quat_mul(base.rotation, part), base.rotation);
    out.scale = lmb_vec3_make(scale_by(base.scale.x, d.scale.x, weight),
                              scale_by(base.scale.y, d.scale.y, weight),
                              scale_by(base.scale.z, d.scale.z, weight));
    return out;
}

lmb_vec3 lmbi_quat_log(lmb_quat q)
{
    const lmb_quat p = lmbi_quat_flip(q, q.w < 0 ? -1.0f : 1.0f);
    const lmb_vec3 v = lmb_vec3_make(p.x, p.y, p.z);
    const float sine = lmb_vec3_length(v);
    // 2 asin(s) / s tends to 2.
    return lmb_vec3_scale(v, sine > 1e-6f ? 2 * lmb_atan2(sine, p.w) / sine : 2.0f);
}

lmb_quat lmbi_quat_exp(lmb_vec3 rotation_vector)
{
    const float half = 0.5f * lmb_vec3_length(rotation_vector);
    const float share = half > 1e-6f ? 0.5f * lmb_sin(half) / half : 0.5f;
    const lmb_vec3 v = lmb_vec3_scale(rotation_vector, share);
    return lmb_quat_normalize(lmb_quat_make(v.x, v.y, v.z, lmb_cos(half)));
}
