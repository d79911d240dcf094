/// Dual quaternion skinning (Kavan et al. 2008) of loose vertices, one at a time, as dual_body.inl
/// does lanes.
#include <string.h>

#include "simd/four.h"
#include "skin/loose.h"

typedef struct dual {
    lmbi_four real, dual; ///< x y z w
} dual;

/// b = sum of s_k w_k (q_k + eps t_k q_k / 2), s_k so that q_k is on the side of the strongest.
static dual blend(const lmbi_linear_pass *pass, const lmbi_loose_run *run, uint32_t i)
{
    const lmb_binding *b = pass->binding;
    const size_t at = run->influence_first + (size_t)i * run->width;
    const lmbi_four pivot = lmbi_four_load(&pass->rotations[b->loose_strongest[run->first + i]]);
    dual sum = {{0}, {0}};
    for (uint32_t k = 0; k < run->width; ++k) {
        const uint16_t joint = b->loose_joints[at + k];
        const float weight = b->loose_weights[at + k];
        const lmbi_four q = lmbi_four_load(&pass->rotations[joint]),
                        t = lmbi_four_load(pass->palette[joint].m + 12);
        const float w = lmbi_four_dot4(q, pivot) < 0 ? -weight : weight, half = 0.5f * w;
        lmbi_four moved = t * q[3] + lmbi_four_cross(t, q);
        moved[3] = -lmbi_four_dot3(t, q);
        sum.real += w * q;
        sum.dual += half * moved;
    }
    return sum;
}

/// v + s (r x (r x v + w v + d)), s being 2 over the squared length of (r, w); d is left out of a
/// rotation.
static lmbi_four rotate(const dual *b, float s, lmbi_four v, lmbi_four d)
{
    const lmbi_four u = lmbi_four_cross(b->real, v) + b->real[3] * v + d;
    return v + s * lmbi_four_cross(b->real, u);
}

/// Makes the first three of v unit, with the fourth given.
static lmbi_four unit(lmbi_four v, float fourth)
{
    lmbi_four u = lmbi_four_of(lmbi_unit(lmbi_four_vec3(v)));
    u[3] = fourth;
    return u;
}

static void put_directions(const lmbi_linear_pass *pass, const dual *b, float s, uint32_t at,
                           size_t v)
{
    static const lmbi_four none = {0};
    if (pass->out_normals != NULL) {
        const lmb_vec3 given = lmbi_loose_vec3(pass->normals, pass->binding->loose_normals, at, v);
        const lmbi_four n = unit(rotate(b, s, lmbi_four_of(given), none), 0);
        memcpy(pass->out_normals + v * pass->normal_stride, &n, sizeof(lmb_vec3));
    }
    if (pass->out_tangents != NULL) {
        const lmb_vec4 given = lmbi_loose_tangent(pass, at, v);
        const lmbi_four along = {given.x, given.y, given.z, 0};
        const lmbi_four t = unit(rotate(b, s, along, none), given.w);
        memcpy(pass->out_tangents + v * pass->tangent_stride, &t, sizeof(t));
    }
}

void lmbi_dual_loose(const lmbi_linear_pass *pass, const lmbi_loose_run *run)
{
    for (uint32_t i = 0; i < run->count; ++i) {
        const uint32_t at = run->first + i;
        const size_t v = pass->binding->loose_index[at];
        const dual b = blend(pass, run, i);
        const float s = 2.0f / lmbi_four_dot4(b.real, b.real);
        put_directions(pass, &b, s, at, v);
        if (pass->out_positions != NULL) {
            const lmb_vec3 p =
                lmbi_loose_vec3(pass->positions, pass->binding->loose_positions, at, v);
            const lmbi_four out = rotate(&b, s, lmbi_four_of(p), b.dual) +
                                  s * (b.real[3] * b.dual - b.dual[3] * b.real);
            memcpy(pass->out_positions + v * pass->position_stride, &out, sizeof(lmb_vec3));
        }
    }
}
