#include <assert.h>
#include <math.h>

#include "anim/blend_kernels.h"
#include "limber/anim.h"

void lmb_blend(const lmb_blend_job *job)
{
    assert(job->layer_count > 0 || job->rest != NULL);
    assert(job->layer_count <= LMB_BLEND_LAYERS && job->additive_count <= LMB_BLEND_LAYERS);
    lmbi_blend_pick(job->simd)->blend(job, job->threshold > 0 ? job->threshold : 0.1f);
}

static float ratio(float a, float b)
{
    return fabsf(b) > 1e-12f ? a / b : 1.0f;
}

static void subtract(lmb_transform base, lmb_transform pose, lmb_transform *out)
{
    out->translation = lmb_vec3_sub(pose.translation, base.translation);
    out->rotation =
        lmb_quat_normalize(lmb_quat_mul(lmb_quat_conjugate(base.rotation), pose.rotation));
    out->scale = lmb_vec3_make(ratio(pose.scale.x, base.scale.x), ratio(pose.scale.y, base.scale.y),
                               ratio(pose.scale.z, base.scale.z));
}

void lmb_pose_difference(const lmb_transform *base, const lmb_transform *pose, uint32_t joint_count,
                         lmb_transform *out)
{
    for (uint32_t j = 0; j < joint_count; ++j) {
        subtract(base[j], pose[j], &out[j]);
    }
}
