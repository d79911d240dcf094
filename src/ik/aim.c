/// Aiming one joint at a point.
#include "ik/frame.h"
#include "limber/ik.h"

/// The point of the ray offset + s * forward that lies as far from the joint as the target does, in joint space: that point
/// has to be turned onto the target. s = -(o.f) + sqrt((o.f)^2 - |o|^2 + r^2). False when the ray never is that near.
static bool ray_point(lmb_vec3 offset, lmb_vec3 forward, float square, lmb_vec3 *out)
{
    const float along = lmb_vec3_dot(offset, forward);
    const float under = along * along - lmb_vec3_dot(offset, offset) + square;
    const float s = -along + (under > 0.0f ? sqrtf(under) : 0.0f);
    *out = lmb_vec3_mad(offset, forward, s);
    return under >= 0.0f;
}

/// Unit, or `fallback` for what is zero or too long to square.
static lmb_vec3 unit_or(lmb_vec3 v, lmb_vec3 fallback)
{
    const float square = lmb_vec3_dot(v, v);
    return square > 1e-30f && square < INFINITY ? lmb_vec3_scale(v, 1.0f / sqrtf(square))
                                                : fallback;
}

/// The rotation of the joint in its parent's frame, where it stands at `joint.translation` and shall aim at `target`.
static bool aim(lmb_transform joint, lmb_vec3 target, const lmb_ik_aim_job *job, lmb_vec3 pole,
                lmb_quat *out)
{
    const lmb_vec3 forward = unit_or(job->forward, lmb_vec3_make(0, 0, 1));
    const lmb_vec3 to_target = lmb_vec3_sub(target, joint.translation);
    const float square = lmb_vec3_dot(to_target, to_target);
    if (!(square > 0.0f) || !(square < INFINITY)) {
        return false;
    }
    lmb_vec3 point;
    const bool reached = ray_point(lmb_vec3_mul(job->offset, joint.scale), forward, square, &point);
    const lmb_vec3 from = lmbi_turn_vector(joint.rotation, unit_or(point, forward));
    const lmb_vec3 toward = lmb_vec3_scale(to_target, 1.0f / sqrtf(square));
    lmb_quat turned = lmbi_turn_mul(lmbi_turn_between(from, toward), joint.rotation);
    if (lmb_vec3_dot(job->up, job->up) > 0.0f && lmb_vec3_dot(pole, pole) > 0.0f) {
        turned =
            lmbi_turn_mul(lmbi_turn_about(toward, lmbi_turn_vector(turned, job->up), pole), turned);
    }
    *out = lmb_quat_normalize(turned);
    return reached;
}

bool lmb_ik_aim(const lmb_ik_aim_job *job)
{
    const lmbi_frame parent = lmbi_frame_of(job->skeleton, job->model_from_joint, job->joint);
    lmb_transform joint = job->local[job->joint];
    joint.translation =
        lmbi_frame_point(&parent, lmb_mat4_translation(job->model_from_joint[job->joint]));
    lmb_quat local = joint.rotation;
    const bool reached = aim(joint, lmbi_frame_point(&parent, job->target), job,
                             lmbi_frame_vector(&parent, job->pole), &local);
    const float weight = job->weight < 0.0f ? 0.0f : (job->weight > 1.0f ? 1.0f : job->weight);
    job->local[job->joint].rotation =
        weight >= 1.0f ? local : lmb_quat_nlerp(joint.rotation, local, weight);
    return reached;
}
