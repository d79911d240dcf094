#include <assert.h>
#include <math.h>

#include "anim/anim.h"
#include "anim/blend_kernels.h"
#include "anim/mix.h"
#include "limber/anim.h"

void lmb_blend(const lmb_blend_job *job)
{
    assert(job->layer_count > 0 || job->rest != NULL);
    assert(job->layer_count <= LMB_BLEND_LAYERS && job->additive_count <= LMB_BLEND_LAYERS);
    lmbi_blend_pick(job->simd)->blend(job, job->threshold > 0 ? job->threshold : 0.1f);
}

static float ratio_or_one(float a, float b)
{
    return fabsf(b) > 1e-12f ? a / b : 1.0f;
}

static void subtract_transform(lmb_transform base, lmb_transform pose, lmb_transform *out)
{
    out->translation = lmb_vec3_sub(pose.translation, base.translation);
    out->rotation =
        lmb_quat_normalize(lmb_quat_mul(lmb_quat_conjugate(base.rotation), pose.rotation));
    out->scale = lmb_vec3_make(ratio_or_one(pose.scale.x, base.scale.x),
                               ratio_or_one(pose.scale.y, base.scale.y),
                               ratio_or_one(pose.scale.z, base.scale.z));
}

// ---------------------------------------------------------------------------------------- overlays

static void model_rotations(const lmb_skeleton *skeleton, const lmb_transform *pose, lmb_quat *out)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        out[j] =
            parent == LMB_NONE ? pose[j].rotation : lmb_quat_mul(out[parent], pose[j].rotation);
    }
}

/// Blends rotations in model space. Joints outside the mask follow their parents and keep their
/// local rotations.
static void overlay_model(const lmb_overlay_job *job)
{
    const lmb_skeleton *skeleton = job->skeleton;
    const uint32_t count = skeleton->joint_count;
    lmb_quat *under = job->scratch, *over = under + count, *mixed = over + count;
    model_rotations(skeleton, job->pose, under);
    if (!job->additive) {
        model_rotations(skeleton, job->over, over);
    }
    for (uint32_t j = 0; j < count; ++j) {
        const float weight = job->mask != NULL ? job->weight * job->mask[j] : job->weight;
        const int32_t parent = skeleton->parents[j];
        const lmb_quat above = parent == LMB_NONE ? lmb_quat_identity() : mixed[parent];
        const lmb_quat local = job->pose[j].rotation;
        if (!(weight > 0)) {
            mixed[j] = lmb_quat_mul(above, local);
            continue;
        }
        const lmb_quat was = under[j];
        lmb_transform *pose = &job->pose[j];
        if (job->additive) {
            *pose = lmbi_transform_add(*pose, job->over[j], weight);
            mixed[j] = lmb_quat_mul(lmbi_quat_power(job->over[j].rotation, weight), was);
        } else {
            *pose = lmbi_transform_mix(*pose, job->over[j], weight);
            mixed[j] =
                lmbi_quat_unit(lmbi_quat_lerp(was, lmbi_quat_align(was, over[j]), weight), was);
        }
        mixed[j] = lmb_quat_normalize(mixed[j]);
        pose->rotation = lmbi_quat_align(
            local, lmb_quat_normalize(lmb_quat_mul(lmb_quat_conjugate(above), mixed[j])));
    }
}

void lmb_overlay(const lmb_overlay_job *job)
{
    assert(job->weight >= 0 && job->weight <= 1);
    if (job->model_space) {
        overlay_model(job);
        return;
    }
    for (uint32_t j = 0; j < job->skeleton->joint_count; ++j) {
        const float weight = job->mask != NULL ? job->weight * job->mask[j] : job->weight;
        if (weight > 0) {
            job->pose[j] = job->additive ? lmbi_transform_add(job->pose[j], job->over[j], weight)
                                         : lmbi_transform_mix(job->pose[j], job->over[j], weight);
        }
    }
}

void lmb_pose_difference(const lmb_pose_difference_job *job)
{
    lmb_quat *base = NULL, *pose = NULL;
    if (job->skeleton != NULL) {
        base = job->scratch;
        pose = base + job->joint_count;
        model_rotations(job->skeleton, job->base, base);
        model_rotations(job->skeleton, job->pose, pose);
    }
    for (uint32_t j = 0; j < job->joint_count; ++j) {
        subtract_transform(job->base[j], job->pose[j], &job->out[j]);
        if (job->skeleton != NULL) {
            job->out[j].rotation =
                lmb_quat_normalize(lmb_quat_mul(pose[j], lmb_quat_conjugate(base[j])));
        }
    }
}

void lmb_mask_branch(const lmb_skeleton *skeleton, uint32_t joint, float weight, uint32_t feather,
                     float *mask)
{
    assert(joint < skeleton->joint_count);
    for (uint32_t j = joint; j < skeleton->joint_count; ++j) {
        uint32_t depth = 0, at = j;
        while (at > joint && skeleton->parents[at] != LMB_NONE) {
            at = (uint32_t)skeleton->parents[at];
            ++depth;
        }
        if (at == joint) {
            const uint32_t steps = depth < feather ? depth + 1 : feather + 1;
            mask[j] = weight * ((float)steps / (float)(feather + 1));
        }
    }
}
