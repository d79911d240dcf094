/// Aiming one joint at a point.
#include "limber/ik.h"

#include <math.h>

/// The point of the ray offset + s * forward that lies as far from the joint as the target does, in joint space: that point
/// has to be turned onto the target. s = -(o.f) + sqrt((o.f)^2 - |o|^2 + r^2). False when the ray never is that near.
static bool ray_point(lmb_vec3 offset, lmb_vec3 forward, float distance, lmb_vec3 *out)
{
    const float along = lmb_vec3_dot(offset, forward);
    const float under = along * along - lmb_vec3_dot(offset, offset) + distance * distance;
    const float s = -along + (under > 0.0f ? lmb_sqrt(under) : 0.0f);
    *out = lmb_vec3_mad(offset, forward, s);
    return under >= 0.0f;
}

static lmb_quat roll_to_pole(lmb_vec3 axis, lmb_vec3 up, lmb_vec3 pole)
{
    const lmb_vec3 a = lmb_vec3_mad(up, axis, -lmb_vec3_dot(up, axis));
    const lmb_vec3 b = lmb_vec3_mad(pole, axis, -lmb_vec3_dot(pole, axis));
    const float sine = lmb_vec3_dot(axis, lmb_vec3_cross(a, b)), cosine = lmb_vec3_dot(a, b);
    return sine * sine + cosine * cosine > 1e-20f
               ? lmb_quat_axis_angle(axis, lmb_atan2(sine, cosine))
               : lmb_quat_identity();
}

bool lmb_ik_aim(const lmb_ik_aim_job *job)
{
    lmb_transform model;
    lmb_mat4_decompose(job->model_from_joint[job->joint], &model);
    const lmb_vec3 forward = lmb_vec3_normalize_or(job->forward, lmb_vec3_make(0, 0, 1));
    const lmb_vec3 offset = lmb_vec3_mul(job->offset, model.scale);
    const lmb_vec3 to_target = lmb_vec3_sub(job->target, model.translation);
    const float distance = lmb_vec3_length(to_target);
    if (!(distance > 0.0f) || !lmb_vec3_is_finite(to_target)) {
        return false;
    }
    lmb_vec3 point;
    const bool reached = ray_point(offset, forward, distance, &point);
    const lmb_vec3 from = lmb_quat_rotate(model.rotation, lmb_vec3_normalize_or(point, forward));
    const lmb_vec3 toward = lmb_vec3_scale(to_target, 1.0f / distance);
    lmb_quat turned = lmb_quat_mul(lmb_quat_between(from, toward), model.rotation);
    if (lmb_vec3_dot(job->up, job->up) > 0.0f && lmb_vec3_dot(job->pole, job->pole) > 0.0f) {
        turned =
            lmb_quat_mul(roll_to_pole(toward, lmb_quat_rotate(turned, job->up), job->pole), turned);
    }
    lmb_transform parent = lmb_transform_identity();
    if (job->skeleton->parents[job->joint] >= 0) {
        lmb_mat4_decompose(job->model_from_joint[job->skeleton->parents[job->joint]], &parent);
    }
    const lmb_quat local =
        lmb_quat_normalize(lmb_quat_mul(lmb_quat_conjugate(parent.rotation), turned));
    const float weight = job->weight < 0.0f ? 0.0f : (job->weight > 1.0f ? 1.0f : job->weight);
    lmb_quat *rotation = &job->local[job->joint].rotation;
    *rotation = weight >= 1.0f ? local : lmb_quat_nlerp(*rotation, local, weight);
    return reached;
}
