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

void lmb_pose_limit(const lmb_skeleton *skeleton, lmb_transform *local)
{
    for (uint32_t j = 0; skeleton->limits && j < skeleton->joint_count; ++j) {
        local[j] = lmb_joint_limit_apply(&skeleton->limits[j], skeleton->rest[j], local[j]);
    }
}
