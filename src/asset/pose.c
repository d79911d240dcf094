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

/// The job with its arrays advanced to pose `pose`.
static lmb_pose_to_model_job from_pose(const lmb_pose_to_model_job *job, size_t pose)
{
    lmb_pose_to_model_job rest = *job;
    const size_t at = pose * job->skeleton->joint_count;
    rest.local = local_of(job, pose);
    rest.roots = job->roots != NULL ? job->roots + pose : NULL;
    rest.model_from_joint = job->model_from_joint + at;
    rest.model_from_bind = job->model_from_bind != NULL ? job->model_from_bind + at : NULL;
    return rest;
}

static void pose_alone(const lmb_pose_to_model_job *job)
{
    const lmb_mat4 *root = is_zero(&job->root) ? NULL : &job->root;
    lmbi_model_one_pick(job->simd)->one(
        job->skeleton, job->local, job->roots != NULL ? job->roots : root, job->model_from_joint);
    for (uint32_t j = 0; job->model_from_bind != NULL && j < job->skeleton->joint_count; ++j) {
        job->model_from_bind[j] = lmb_mat4_mul(job->model_from_joint[j], job->joint_from_bind[j]);
    }
}

void lmb_pose_to_model(const lmb_pose_to_model_job *job)
{
    const lmbi_model_kernels *kernels = lmbi_model_pick(job->simd);
    const size_t count = job->pose_count;
    const bool alone = kernels->lanes < 2 || job->local == NULL ||
                       (job->roots == NULL && !is_zero(&job->root)) ||
                       (job->model_from_bind != NULL &&
                        !are_affine(job->joint_from_bind, job->skeleton->joint_count));
    for (size_t pose = 0; pose < count || pose == 0;) {
        const lmb_pose_to_model_job rest = from_pose(job, pose);
        if (!alone && pose + kernels->lanes <= count && are_affine(rest.roots, kernels->lanes)) {
            kernels->many(&rest);
            pose += kernels->lanes;
        } else {
            pose_alone(&rest);
            ++pose;
        }
    }
}
