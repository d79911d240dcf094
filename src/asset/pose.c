#include <math.h>
#include <string.h>

#include "asset/model_kernels.h"
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

static bool is_affine(const lmb_mat4 *a)
{
    return memcmp((float[4]){a->m[3], a->m[7], a->m[11], a->m[15]}, (float[4]){0, 0, 0, 1},
                  4 * sizeof(float)) == 0;
}

static bool are_affine(const lmb_mat4 *roots, size_t count)
{
    bool all = true;
    for (size_t i = 0; roots != NULL && i < count; ++i) {
        all = all && is_affine(&roots[i]);
    }
    return all;
}

static const lmb_transform *local_of(const lmb_pose_to_model_job *job, size_t pose)
{
    return job->local != NULL ? job->local + pose * job->skeleton->joint_count
                              : job->skeleton->rest;
}

void lmb_pose_to_model(const lmb_pose_to_model_job *job)
{
    const lmbi_model_kernels *kernels = lmbi_model_pick(job->simd);
    const lmbi_model_one_kernels *alone = lmbi_model_one_pick(job->simd);
    const size_t joints = job->skeleton->joint_count, count = job->pose_count;
    const lmb_mat4 *root = is_zero(&job->root) ? NULL : &job->root;
    size_t pose = 0;
    while (pose < count || pose == 0) {
        const lmb_mat4 *roots = job->roots != NULL ? job->roots + pose : NULL;
        lmb_mat4 *out = job->model_from_joint + pose * joints;
        if (kernels->lanes > 1 && pose + kernels->lanes <= count && job->local != NULL &&
            (roots != NULL || root == NULL) && are_affine(roots, kernels->lanes)) {
            kernels->many(job->skeleton, local_of(job, pose), roots, out);
            pose += kernels->lanes;
        } else {
            alone->one(job->skeleton, local_of(job, pose), roots != NULL ? roots : root, out);
            ++pose;
        }
    }
}

void lmb_pose_limit(const lmb_skeleton *skeleton, lmb_transform *local)
{
    for (uint32_t j = 0; skeleton->limits && j < skeleton->joint_count; ++j) {
        local[j] = lmb_joint_limit_apply(&skeleton->limits[j], skeleton->rest[j], local[j]);
    }
}
