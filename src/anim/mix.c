#include "anim/mix.h"

#include <math.h>

float lmbi_nlerp_weight(float t, float m)
{
    const float x = t - 0.5f, y = x * x, edge = x * (y - 0.25f);
    float sum = 0;
    for (int k = LMBI_NLERP_ROWS; k-- > 0;) {
        const float *c = lmbi_nlerp_terms[k];
        sum = sum * m + (c[0] + y * (c[1] + y * (c[2] + y * c[3]))) * edge;
    }
    return t + m * sum;
}

lmb_quat lmbi_quat_power(lmb_quat d, float t)
{
    const float sign = d.w < 0 ? -1.0f : 1.0f, c = d.w * sign, m = c < 1 ? 1 - c : 0;
    const float u = lmbi_nlerp_weight(t, m), at_d = u * sign;
    const lmb_quat part = lmb_quat_make(d.x * at_d, d.y * at_d, d.z * at_d, (1 - u) + d.w * at_d);
    return lmbi_quat_unit(part, lmb_quat_identity());
}

/// weight in [-1, 1]: a negative weight divides by the factor of the positive one.
static float scale_by(float s, float d, float weight)
{
    const float factor = 1 + fabsf(weight) * (d - 1);
    return weight < 0 ? (fabsf(factor) > 1e-12f ? s / factor : s) : s * factor;
}

lmb_transform lmbi_transform_add(lmb_transform base, lmb_transform d, float weight)
{
    lmb_transform out;
    lmb_quat part = lmbi_quat_power(d.rotation, fabsf(weight));
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
    const float scale = half > 1e-6f ? 0.5f * lmb_sin(half) / half : 0.5f;
    const lmb_vec3 v = lmb_vec3_scale(rotation_vector, scale);
    return lmb_quat_normalize(lmb_quat_make(v.x, v.y, v.z, lmb_cos(half)));
}
