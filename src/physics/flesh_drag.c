/// Stateless soft tissue: each joint's contribution to a vertex lags along the arc on which the
/// joint moves (after Rohmer et al., Velocity Skinning for Real-time Stylized Skeletal Animation,
/// 2021).
#include <math.h>

#include "limber/physics.h"

/// Angular and linear velocity that take `before` to `now` in dt.
static lmb_soft_tissue_motion velocity_between(const lmb_mat4 *now, const lmb_mat4 *before,
                                               float dt)
{
    lmb_transform a, b;
    lmb_mat4_decompose(*now, &a);
    lmb_mat4_decompose(*before, &b);
    lmb_quat q = lmb_quat_mul(a.rotation, lmb_quat_conjugate(b.rotation));
    if (q.w < 0.0f) {
        q = lmb_quat_make(-q.x, -q.y, -q.z, -q.w);
    }
    const lmb_vec3 vector = {q.x, q.y, q.z};
    const float sine = lmb_vec3_length(vector);
    const float rate = sine > 0.0f ? 2.0f * lmb_atan2(sine, q.w) / (sine * dt) : 0.0f;
    const lmb_soft_tissue_motion m = {
        lmb_vec3_scale(vector, rate), a.translation,
        lmb_vec3_scale(lmb_vec3_sub(a.translation, b.translation), 1.0f / dt)};
    return m;
}

/// Position `lag` ago of a point that moves with the joint, at constant velocity. The rotation
/// angle is 2 atan(angle / 2), about the angle itself for visible lags.
static lmb_vec3 position_before(const lmb_soft_tissue_motion *m, lmb_vec3 p, float lag)
{
    const lmb_vec3 half = lmb_vec3_scale(m->axis, -0.5f * lag);
    const float inverse = 1.0f / lmb_sqrt(1.0f + lmb_vec3_dot(half, half));
    const lmb_quat back =
        lmb_quat_make(half.x * inverse, half.y * inverse, half.z * inverse, inverse);
    const lmb_vec3 rotated = lmb_quat_rotate(back, lmb_vec3_sub(p, m->at));
    return lmb_vec3_mad(lmb_vec3_add(m->at, rotated), m->speed, -lag);
}

static bool is_moving(const lmb_soft_tissue_motion *m)
{
    return lmb_vec3_dot(m->axis, m->axis) > 0.0f || lmb_vec3_dot(m->speed, m->speed) > 0.0f;
}

void lmb_soft_tissue_drag(const lmb_soft_tissue_drag_job *job)
{
    for (uint32_t j = 0; j < job->joint_count; ++j) {
        job->motions[j] = velocity_between(&job->palette[j], &job->before[j], job->dt_s);
    }
    for (uint32_t v = 0; v < job->vertex_count; ++v) {
        const float lag = job->lag_s * (job->soft != NULL ? job->soft[v] : 1.0f);
        lmb_vec3 sum = {0, 0, 0};
        for (uint32_t i = job->influences->first[v]; i < job->influences->first[v + 1]; ++i) {
            const lmb_influence in = job->influences->items[i];
            const lmb_soft_tissue_motion m = job->motions[in.joint];
            lmb_vec3 at = lmb_mat4_point(job->palette[in.joint], job->bind[v]);
            if (lag > 0.0f && is_moving(&m)) {
                at = position_before(&m, at, lag);
            }
            sum = lmb_vec3_mad(sum, at, in.weight);
        }
        job->positions[v] = sum;
    }
}
