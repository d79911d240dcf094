/// Many characters of one skeleton: clips sampled, blended and taken to model space, character by
/// character over a jobs runner.
#include <math.h>
#include <string.h>

#include "limber/anim.h"

/// acc += weight * pose, rotations on the side of `first`, which is acc itself for the first layer.
static void add_pose(const lmb_transform *pose, uint32_t count, float weight, lmb_transform *acc)
{
    for (uint32_t j = 0; j < count; ++j) {
        const lmb_transform *p = &pose[j];
        lmb_transform *a = &acc[j];
        const float w = lmb_quat_dot(a->rotation, p->rotation) < 0 ? -weight : weight;
        a->translation = lmb_vec3_mad(a->translation, p->translation, weight);
        a->scale = lmb_vec3_mad(a->scale, p->scale, weight);
        a->rotation.x += p->rotation.x * w;
        a->rotation.y += p->rotation.y * w;
        a->rotation.z += p->rotation.z * w;
        a->rotation.w += p->rotation.w * w;
    }
}

static void scale_pose(uint32_t count, float weight, lmb_transform *acc)
{
    for (uint32_t j = 0; j < count; ++j) {
        lmb_transform *a = &acc[j];
        a->translation = lmb_vec3_scale(a->translation, weight);
        a->scale = lmb_vec3_scale(a->scale, weight);
        a->rotation = lmb_quat_make(a->rotation.x * weight, a->rotation.y * weight,
                                    a->rotation.z * weight, a->rotation.w * weight);
    }
}

/// Opposed rotations can sum to nothing; identity is as good as any other then.
static void unit_rotations(uint32_t count, lmb_transform *acc)
{
    for (uint32_t j = 0; j < count; ++j) {
        lmb_quat *q = &acc[j].rotation;
        const float square = lmb_quat_dot(*q, *q);
        const float inverse = square > 1e-20f ? 1 / sqrtf(square) : 0;
        q->x *= inverse;
        q->y *= inverse;
        q->z *= inverse;
        q->w = square > 1e-20f ? q->w * inverse : 1;
    }
}

static float sum_of(const float *weights, uint32_t count)
{
    float sum = 0;
    for (uint32_t k = 0; k < count; ++k) {
        sum += weights[k] > 0 ? weights[k] : 0;
    }
    return sum;
}

static void sample(const lmb_crowd_job *job, size_t at, lmb_transform *pose)
{
    lmb_packed_sample(&(lmb_packed_sample_job){.clip = job->clips[at],
                                               .time_s = job->times_s[at],
                                               .mode = job->mode,
                                               .pose = pose,
                                               .simd = job->simd});
}

/// Until the matrices are made, their memory holds the pose of one layer.
static void blend_layers(const lmb_crowd_job *job, size_t first, lmb_transform *spare,
                         lmb_transform *local)
{
    const uint32_t joints = job->skeleton->joint_count;
    const float *weights = job->weights + first;
    const float sum = sum_of(weights, job->layer_count);
    uint32_t used = 0;
    for (uint32_t k = 0; k < job->layer_count; ++k) {
        const float weight = sum > 0 ? weights[k] / sum : 0;
        if (!(weight > 0)) {
            continue;
        }
        if (used++ == 0) {
            sample(job, first + k, local);
            if (weight < 1) {
                scale_pose(joints, weight, local);
            }
        } else {
            sample(job, first + k, spare);
            add_pose(spare, joints, weight, local);
        }
    }
    if (used == 0) {
        memcpy(local, job->skeleton->rest, joints * sizeof(lmb_transform));
    } else if (used > 1) {
        unit_rotations(joints, local);
    }
}

static void animate_piece(void *context, size_t begin, size_t end)
{
    const lmb_crowd_job *job = context;
    const size_t joints = job->skeleton->joint_count;
    for (size_t c = begin; c < end; ++c) {
        lmb_mat4 *model = job->model_from_joint + c * joints;
        lmb_transform *local = job->local + c * joints;
        if (job->weights == NULL) {
            sample(job, c * job->layer_count, local);
        } else {
            blend_layers(job, c * job->layer_count, (lmb_transform *)(void *)model, local);
        }
        lmb_pose_to_model_job to_model = {
            .skeleton = job->skeleton, .local = local, .model_from_joint = model};
        if (job->roots != NULL) {
            to_model.root = job->roots[c];
        }
        lmb_pose_to_model(&to_model);
    }
}

void lmb_crowd(const lmb_crowd_job *job)
{
    enum { GRAIN = 16 };
    lmb_crowd_job copy = *job;
    lmb_parallel_for(job->jobs, job->count, GRAIN, animate_piece, &copy);
}
