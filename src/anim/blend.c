#include <assert.h>
#include <math.h>

#include "anim/mix.h"
#include "limber/anim.h"

static float weight_of(const lmb_blend_layer *layer, uint32_t joint)
{
    return layer->mask != NULL ? layer->weight * layer->mask[joint] : layer->weight;
}

/// A running average: x += (next - x) * w / sum. Equal poses leave it as it is, to the bit.
static void average(lmb_transform *x, lmb_quat first, lmb_transform next, float share)
{
    x->translation = lmb_vec3_lerp(x->translation, next.translation, share);
    x->rotation = lmbi_quat_lerp(x->rotation, lmbi_quat_near(first, next.rotation), share);
    x->scale = lmb_vec3_lerp(x->scale, next.scale, share);
}

static lmb_transform blend_joint(const lmb_blend_job *job, uint32_t joint, float threshold)
{
    lmb_transform x = job->layer_count > 0 ? job->layers[0].pose[joint] : job->rest[joint];
    const lmb_quat first = x.rotation;
    float sum = job->layer_count > 0 ? weight_of(&job->layers[0], joint) : threshold;
    for (uint32_t i = 1; i < job->layer_count; ++i) {
        const float weight = weight_of(&job->layers[i], joint);
        sum += weight;
        if (weight > 0) {
            average(&x, first, job->layers[i].pose[joint], weight / sum);
        }
    }
    if (sum < threshold && job->rest != NULL) {
        average(&x, first, job->rest[joint], (threshold - sum) / threshold);
    }
    x.rotation = lmbi_quat_unit(x.rotation, first);
    for (uint32_t i = 0; i < job->additive_count; ++i) {
        const float weight = weight_of(&job->additives[i], joint);
        if (weight < 0 || weight > 0) {
            x = lmbi_transform_add(x, job->additives[i].pose[joint], fmaxf(-1, fminf(weight, 1)));
        }
    }
    return x;
}

void lmb_blend(const lmb_blend_job *job)
{
    assert(job->layer_count > 0 || job->rest != NULL);
    const float threshold = job->threshold > 0 ? job->threshold : 0.1f;
    for (uint32_t j = 0; j < job->joint_count; ++j) {
        job->out[j] = blend_joint(job, j, threshold);
    }
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
