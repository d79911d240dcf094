/// Dual quaternion skinning (Kavan et al. 2008) of loose vertices, one at a time, as dual_body.inl
/// does lanes.
#include <string.h>

#include "skin/loose.h"

typedef struct dual {
    lmb_quat real, dual;
} dual;

/// b = sum of s_k w_k (q_k + eps t_k q_k / 2), s_k so that q_k is on the side of the strongest.
static dual blend(const lmbi_linear_pass *pass, const lmbi_loose_run *run, uint32_t i)
{
    const uint16_t *joints =
        pass->binding->loose_joints + run->influence_first + (size_t)i * run->width;
    const float *weights =
        pass->binding->loose_weights + run->influence_first + (size_t)i * run->width;
    const lmb_quat pivot = pass->rotations[pass->binding->loose_strongest[run->first + i]];
    dual sum = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    for (uint32_t k = 0; k < run->width; ++k) {
        const lmb_quat q = pass->rotations[joints[k]];
        const lmb_vec3 t = lmb_mat4_translation(pass->palette[joints[k]]);
        const float w = lmb_quat_dot(q, pivot) < 0 ? -weights[k] : weights[k], h = 0.5f * w;
        sum.real = lmb_quat_make(sum.real.x + w * q.x, sum.real.y + w * q.y, sum.real.z + w * q.z,
                                 sum.real.w + w * q.w);
        sum.dual = lmb_quat_make(sum.dual.x + h * (t.x * q.w + (t.y * q.z - t.z * q.y)),
                                 sum.dual.y + h * (t.y * q.w + (t.z * q.x - t.x * q.z)),
                                 sum.dual.z + h * (t.z * q.w + (t.x * q.y - t.y * q.x)),
                                 sum.dual.w - h * (t.x * q.x + t.y * q.y + t.z * q.z));
    }
    return sum;
}

static lmb_vec3 rotate(const dual *b, float s, lmb_vec3 v)
{
    const lmb_vec3 r = lmb_vec3_make(b->real.x, b->real.y, b->real.z);
    const lmb_vec3 u = lmb_vec3_mad(lmb_vec3_cross(r, v), v, b->real.w);
    return lmb_vec3_mad(v, lmb_vec3_cross(r, u), s);
}

static lmb_vec3 shift(const dual *b, float s)
{
    const lmb_vec3 r = lmb_vec3_make(b->real.x, b->real.y, b->real.z);
    const lmb_vec3 d = lmb_vec3_make(b->dual.x, b->dual.y, b->dual.z);
    const lmb_vec3 u = lmb_vec3_mad(lmb_vec3_cross(r, d), d, b->real.w);
    return lmb_vec3_scale(lmb_vec3_mad(u, r, -b->dual.w), s);
}

static void put_directions(const lmbi_linear_pass *pass, const dual *b, float s, uint32_t at,
                           size_t v)
{
    if (pass->out_normals != NULL) {
        const lmb_vec3 n = lmbi_unit(
            rotate(b, s, lmbi_loose_vec3(pass->normals, pass->binding->loose_normals, at, v)));
        memcpy(pass->out_normals + v * pass->normal_stride, &n, sizeof(n));
    }
    if (pass->out_tangents != NULL) {
        const lmb_vec4 t = lmbi_loose_tangent(pass, at, v);
        const lmb_vec3 turned = lmbi_unit(rotate(b, s, lmb_vec3_make(t.x, t.y, t.z)));
        const lmb_vec4 out = {turned.x, turned.y, turned.z, t.w};
        memcpy(pass->out_tangents + v * pass->tangent_stride, &out, sizeof(out));
    }
}

void lmbi_dual_loose(const lmbi_linear_pass *pass, const lmbi_loose_run *run)
{
    for (uint32_t i = 0; i < run->count; ++i) {
        const uint32_t at = run->first + i;
        const size_t v = pass->binding->loose_index[at];
        const dual b = blend(pass, run, i);
        const float s = 2.0f / lmb_quat_dot(b.real, b.real);
        put_directions(pass, &b, s, at, v);
        if (pass->out_positions != NULL) {
            const lmb_vec3 p =
                lmbi_loose_vec3(pass->positions, pass->binding->loose_positions, at, v);
            const lmb_vec3 out = lmb_vec3_add(rotate(&b, s, p), shift(&b, s));
            memcpy(pass->out_positions + v * pass->position_stride, &out, sizeof(out));
        }
    }
}
