#include <math.h>
#include <string.h>

#include "limber/asset.h"

static bool is_zero(const lmb_mat4 *a)
{
    for (int i = 0; i < 16; ++i) {
        if (a->m[i] < 0 || a->m[i] > 0) {
            return false;
        }
    }
    return true;
}

void lmb_pose_to_model(const lmb_pose_to_model_job *job)
{
    const lmb_skeleton *skeleton = job->skeleton;
    const lmb_transform *local = job->local ? job->local : skeleton->rest;
    const bool has_root = !is_zero(&job->root);
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const lmb_mat4 parent_from_joint = lmb_mat4_from_transform(local[j]);
        const int32_t parent = skeleton->parents[j];
        if (parent != LMB_NONE) {
            job->model_from_joint[j] = lmb_mat4_mul(job->model_from_joint[parent], parent_from_joint);
        } else {
            job->model_from_joint[j] = has_root ? lmb_mat4_mul(job->root, parent_from_joint) : parent_from_joint;
        }
    }
}

static float clamp(float x, float low, float high)
{
    return x < low ? low : (x > high ? high : x);
}

/// The rotation of `twist` about `axis`, in (-pi, pi].
static float twist_angle(lmb_quat twist, lmb_vec3 axis)
{
    const float along = twist.x * axis.x + twist.y * axis.y + twist.z * axis.z;
    const float angle = 2.0f * lmb_atan2(along, twist.w);
    return angle > LMB_PI ? angle - 2.0f * LMB_PI : (angle <= -LMB_PI ? angle + 2.0f * LMB_PI : angle);
}

static lmb_quat limit_swing(lmb_quat swing, float limit_rad)
{
    const lmb_quat q = swing.w < 0 ? lmb_quat_make(-swing.x, -swing.y, -swing.z, -swing.w) : swing;
    const lmb_vec3 v = lmb_vec3_make(q.x, q.y, q.z);
    const float angle = 2.0f * lmb_atan2(lmb_vec3_length(v), q.w);
    if (angle <= limit_rad) {
        return q;
    }
    return lmb_quat_axis_angle(lmb_vec3_normalize_or(v, lmb_vec3_make(1, 0, 0)), limit_rad);
}

lmb_transform lmb_joint_limit_apply(const lmb_joint_limit *limit, lmb_transform rest, lmb_transform local)
{
    if (limit->kind == LMB_JOINT_FREE) {
        return local;
    }
    if (limit->kind == LMB_JOINT_FIXED) {
        return rest;
    }
    const lmb_quat moved = lmb_quat_mul(lmb_quat_conjugate(rest.rotation), local.rotation);
    lmb_quat swing, twist;
    lmb_quat_swing_twist(moved, limit->axis, &swing, &twist);
    const float angle = clamp(twist_angle(twist, limit->axis), limit->twist_min_rad, limit->twist_max_rad);
    twist = lmb_quat_axis_angle(limit->axis, angle);
    swing = limit->kind == LMB_JOINT_HINGE ? lmb_quat_identity() : limit_swing(swing, limit->swing_rad);
    local.rotation = lmb_quat_normalize(lmb_quat_mul(rest.rotation, lmb_quat_mul(swing, twist)));
    return local;
}

void lmb_pose_limit(const lmb_skeleton *skeleton, lmb_transform *local)
{
    for (uint32_t j = 0; skeleton->limits && j < skeleton->joint_count; ++j) {
        local[j] = lmb_joint_limit_apply(&skeleton->limits[j], skeleton->rest[j], local[j]);
    }
}
