/// Aiming one joint at a point.
#include "ik/ik.h"
#include "ik/limb_kernels.h"
#include "ik/limb_limit.h"
#include "limber/ik.h"
#include "math/math.h"

/// The point of the ray offset + s * forward at the target's distance from the joint, in joint
/// space; rotating it onto the target aims the ray. s = -(o.f) + sqrt((o.f)^2 - |o|^2 + r^2). False
/// when every point of the ray is farther from the joint than the target.
static bool ray_point(lmb_vec3 offset, lmb_vec3 forward, float square, lmb_vec3 *out)
{
    const float along = lmb_vec3_dot(offset, forward);
    const float under = along * along - lmb_vec3_dot(offset, offset) + square;
    const float s = -along + (under > 0.0f ? sqrtf(under) : 0.0f);
    *out = lmb_vec3_mad(offset, forward, s);
    return under >= 0.0f;
}

/// Unit vector, or `fallback` for a vector that is zero or whose square overflows.
static lmb_vec3 unit_or(lmb_vec3 v, lmb_vec3 fallback)
{
    const float square = lmb_vec3_dot(v, v);
    return square > 1e-30f && square < INFINITY ? lmb_vec3_scale(v, 1.0f / sqrtf(square))
                                                : fallback;
}

/// Shortest rotation from `from` (unit up to rounding) to unit `toward`, as a quaternion of any
/// length.
static lmb_quat swing_of(lmb_vec3 from, lmb_vec3 toward)
{
    const lmb_vec3 h = lmb_vec3_add(from, toward);
    const float w = 0.5f * lmb_vec3_dot(h, h);
    if (w < 1e-10f) {
        return lmbi_quat_between(from, toward);
    }
    const lmb_vec3 c = lmb_vec3_cross(from, h);
    return lmb_quat_make(c.x, c.y, c.z, w);
}

/// q v q* for a q of any length: only the direction of the result is meaningful.
static lmb_vec3 rotate_direction(lmb_quat q, lmb_vec3 v)
{
    const lmb_vec3 u = lmb_vec3_make(q.x, q.y, q.z);
    const lmb_vec3 along = lmb_vec3_scale(u, 2.0f * lmb_vec3_dot(u, v));
    const lmb_vec3 across = lmb_vec3_mad(along, lmb_vec3_cross(u, v), 2.0f * q.w);
    return lmb_vec3_mad(across, v, q.w * q.w - lmb_vec3_dot(u, u));
}

/// Roll about unit `axis` that leans `up` toward `pole`, as a quaternion of any length: (axis sine,
/// 1 + cosine), scaled.
static lmb_quat roll_of(lmb_vec3 axis, lmb_vec3 up, lmb_vec3 pole)
{
    const float u = lmb_vec3_dot(up, axis), p = lmb_vec3_dot(pole, axis);
    const float sine = lmb_vec3_dot(axis, lmb_vec3_cross(up, pole)),
                cosine = lmb_vec3_dot(up, pole) - u * p;
    const float whole = sqrtf(sine * sine + cosine * cosine), w = whole + cosine;
    if (!(whole > 1e-20f)) {
        return lmb_quat_identity();
    }
    if (w < 1e-6f * whole) {
        return lmb_quat_make(axis.x, axis.y, axis.z, 0);
    }
    return lmb_quat_make(axis.x * sine, axis.y * sine, axis.z * sine, w);
}

/// Local rotation that aims a joint at `joint.translation` at `target`, both in the parent's frame.
/// Intermediate quaternions keep any length; one square root at the end normalises them.
static bool aim(lmb_transform joint, lmb_vec3 target, const lmb_ik_aim_job *job, lmb_vec3 pole,
                const lmb_joint_limit *limit, lmb_quat *out)
{
    const float given = lmb_vec3_dot(job->forward, job->forward);
    const bool is_unit = given > 0.9999999f && given < 1.0000001f;
    const lmb_vec3 forward = is_unit ? job->forward : unit_or(job->forward, lmb_vec3_make(0, 0, 1));
    const lmb_vec3 to_target = lmb_vec3_sub(target, joint.translation);
    const float square = lmb_vec3_dot(to_target, to_target);
    if (!(square > 0.0f) || !(square < INFINITY)) {
        return false;
    }
    lmb_vec3 point;
    const bool reached = ray_point(lmb_vec3_mul(job->offset, joint.scale), forward, square, &point);
    const float inverse = 1.0f / sqrtf(square); // the point is at the target's distance
    const lmb_vec3 unit = reached ? lmb_vec3_scale(point, inverse) : unit_or(point, forward);
    const lmb_vec3 toward = lmb_vec3_scale(to_target, inverse);
    lmb_quat rotated =
        lmbi_quat_mul(swing_of(lmbi_quat_rotate(joint.rotation, unit), toward), joint.rotation);
    if (lmb_vec3_dot(job->up, job->up) > 0.0f && lmb_vec3_dot(pole, pole) > 0.0f) {
        rotated = lmbi_quat_mul(roll_of(toward, rotate_direction(rotated, job->up), pole), rotated);
    }
    *out = lmbi_quat_unit_or_identity(rotated);
    if (limit != NULL) {
        const float error = lmbi_roll_within(limit, job->skeleton->rest[job->joint],
                                             lmb_vec3_normalize_or(unit, forward), toward, out);
        return reached && error < 1e-4f;
    }
    return reached;
}

bool lmb_ik_aim(const lmb_ik_aim_job *job)
{
    const lmbi_parent_frame parent =
        lmbi_frame_of(job->skeleton, job->model_from_joint, job->joint);
    lmb_transform joint = job->local[job->joint];
    joint.translation =
        lmbi_frame_point(&parent, lmb_mat4_translation(job->model_from_joint[job->joint]));
    lmb_quat local = joint.rotation;
    const lmb_joint_limit *limits =
        job->free ? NULL : (job->limits != NULL ? job->limits : job->skeleton->limits);
    const lmb_joint_limit *limit = limits != NULL ? &limits[job->joint] : NULL;
    const bool reached = aim(joint, lmbi_frame_point(&parent, job->target), job,
                             lmbi_frame_vector(&parent, job->pole), limit, &local);
    const float weight = job->weight < 0.0f ? 0.0f : (job->weight > 1.0f ? 1.0f : job->weight);
    job->local[job->joint].rotation =
        weight >= 1.0f ? local : lmbi_quat_nlerp(joint.rotation, local, weight);
    if (limit != NULL && weight > 0.0f) {
        job->local[job->joint].rotation = lmbi_clamp_rotation(
            limit, job->skeleton->rest[job->joint], job->local[job->joint].rotation);
    }
    return reached;
}

void lmb_aim_batch(const lmb_aim_batch_job *job)
{
    lmbi_limb_pick(job->simd)->aim(job);
}
