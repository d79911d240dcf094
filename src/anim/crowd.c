/// Many characters of one skeleton: samples and blends each, then converts a piece of them to model
/// space together, one character per lane.
#include <assert.h>
#include <string.h>

#include "limber/anim.h"

enum {
    GRAIN = 16,               ///< characters per piece, the lanes of the widest instruction set
    MAX_LAYER_POSES = 1024,   ///< layer transforms on the stack, 40 KiB
    MAX_SCRATCH_JOINTS = 2048 ///< 80 KiB of poses, 256 KiB of matrices
};

static void sample_clip(const lmb_crowd_job *job, size_t at, lmb_transform *pose)
{
    lmb_packed_sample(&(lmb_packed_sample_job){.clip = job->clips[at],
                                               .time_s = job->times_s[at],
                                               .mode = job->mode,
                                               .pose = pose,
                                               .simd = job->simd});
}

static void blend_layers(const lmb_crowd_job *job, const lmb_blend_layer *layers, uint32_t count,
                         lmb_transform *out)
{
    lmb_blend(&(lmb_blend_job){.joint_count = job->skeleton->joint_count,
                               .layers = layers,
                               .layer_count = count,
                               .out = out,
                               .simd = job->simd});
}

/// Blends all layers at once.
static void blend_at_once(const lmb_crowd_job *job, size_t first, lmb_transform *layer_poses,
                          lmb_transform *local)
{
    lmb_blend_layer layers[LMB_BLEND_LAYERS];
    uint32_t used = 0;
    for (uint32_t k = 0; k < job->layer_count; ++k) {
        if (job->weights[first + k] > 0) {
            lmb_transform *pose = layer_poses + (size_t)used * job->skeleton->joint_count;
            sample_clip(job, first + k, pose);
            layers[used++] = (lmb_blend_layer){pose, job->weights[first + k], NULL};
        }
    }
    blend_layers(job, layers, used, local);
}

/// Blends layer by layer. `spare` is the memory of the matrices, which are not computed yet.
static void blend_sequentially(const lmb_crowd_job *job, size_t first, lmb_transform *spare,
                               lmb_transform *local)
{
    float sum = 0;
    for (uint32_t k = 0; k < job->layer_count; ++k) {
        const float weight = job->weights[first + k];
        if (!(weight > 0)) {
            continue;
        }
        sample_clip(job, first + k, sum > 0 ? spare : local);
        if (sum > 0) {
            const lmb_blend_layer layers[2] = {{local, sum, NULL}, {spare, weight, NULL}};
            blend_layers(job, layers, 2, local);
        }
        sum += weight;
    }
}

/// Outputs of the characters from `first` on: the caller's arrays, or scratch.
typedef struct outputs {
    size_t first;
    lmb_transform *local;
    lmb_mat4 *model_from_joint, *model_from_bind;
} outputs;

static void pose_character(const lmb_crowd_job *job, size_t character, lmb_transform *layer_poses,
                           lmb_transform *local, lmb_mat4 *spare)
{
    const size_t joints = job->skeleton->joint_count, first = character * job->layer_count;
    uint32_t used = 0, last = 0;
    for (uint32_t k = 0; k < job->layer_count; ++k) {
        const bool is_used = job->weights == NULL ? k == 0 : job->weights[first + k] > 0;
        used += is_used;
        last = is_used ? k : last;
    }
    if (used == 0) {
        memcpy(local, job->skeleton->rest, joints * sizeof(lmb_transform));
    } else if (used == 1) {
        sample_clip(job, first + last, local);
    } else if (used <= LMB_BLEND_LAYERS && used * joints <= MAX_LAYER_POSES) {
        blend_at_once(job, first, layer_poses, local);
    } else {
        blend_sequentially(job, first, (lmb_transform *)(void *)spare, local);
    }
}

static void pose_characters(const lmb_crowd_job *job, const outputs *out, size_t count)
{
    const size_t joints = job->skeleton->joint_count;
    lmb_transform layer_poses[MAX_LAYER_POSES];
    for (size_t c = 0; c < count; ++c) {
        pose_character(job, out->first + c, layer_poses, out->local + c * joints,
                       out->model_from_joint + c * joints);
    }
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = job->skeleton,
                                 .local = out->local,
                                 .model_from_joint = out->model_from_joint,
                                 .pose_count = (uint32_t)count,
                                 .roots = job->roots != NULL ? job->roots + out->first : NULL,
                                 .joint_from_bind = job->joint_from_bind,
                                 .model_from_bind = out->model_from_bind,
                                 .simd = job->simd});
    if (job->each != NULL) {
        const lmb_crowd_piece piece = {(uint32_t)out->first, (uint32_t)count, out->local,
                                       out->model_from_joint, out->model_from_bind};
        job->each(job->context, &piece);
    }
}

/// Whether the caller provides every output array.
static bool has_all_outputs(const lmb_crowd_job *job)
{
    return job->local != NULL && job->model_from_joint != NULL &&
           (job->model_from_bind != NULL || job->joint_from_bind == NULL);
}

/// Uses scratch for the outputs that the caller does not ask for, as many characters at a time as
/// fit. Not inlined, so that callers with all outputs need no stack for it.
static __attribute__((noinline)) void pose_with_scratch(const lmb_crowd_job *job, size_t begin,
                                                        size_t end)
{
    const size_t joints = job->skeleton->joint_count;
    const size_t capacity = joints == 0 ? end - begin : MAX_SCRATCH_JOINTS / joints;
    lmb_transform local[MAX_SCRATCH_JOINTS];
    lmb_mat4 model[MAX_SCRATCH_JOINTS], bind[MAX_SCRATCH_JOINTS];
    for (size_t c = begin; c < end; c += capacity) {
        const size_t at = c * joints;
        const outputs out = {c, job->local != NULL ? job->local + at : local,
                             job->model_from_joint != NULL ? job->model_from_joint + at : model,
                             job->joint_from_bind == NULL   ? NULL
                             : job->model_from_bind != NULL ? job->model_from_bind + at
                                                            : bind};
        pose_characters(job, &out, end - c < capacity ? end - c : capacity);
    }
}

static void pose_piece(void *context, size_t begin, size_t end)
{
    const lmb_crowd_job *job = context;
    const size_t at = begin * job->skeleton->joint_count;
    if (!has_all_outputs(job)) {
        pose_with_scratch(job, begin, end);
        return;
    }
    const outputs out = {begin, job->local + at, job->model_from_joint + at,
                         job->joint_from_bind != NULL ? job->model_from_bind + at : NULL};
    pose_characters(job, &out, end - begin);
}

void lmb_crowd(const lmb_crowd_job *job)
{
    lmb_crowd_job copy = *job;
    assert(has_all_outputs(job) || job->skeleton->joint_count <= MAX_SCRATCH_JOINTS);
    lmb_parallel_for(job->jobs, job->count, GRAIN, pose_piece, &copy);
}
