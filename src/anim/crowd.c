/// Many characters of one skeleton over a jobs runner: clips sampled and blended character by
/// character, then taken to model space together, a lane each.
#include <assert.h>
#include <string.h>

#include "limber/anim.h"

enum {
    GRAIN = 16,       ///< characters of a piece, as many as the widest set has lanes
    ROOM = 1024,      ///< transforms of layers that lie on the stack, 40 KiB
    LOCAL_ROOM = 2048 ///< and of local poses that nobody asked for, 80 KiB
};

static void sample(const lmb_crowd_job *job, size_t at, lmb_transform *pose)
{
    lmb_packed_sample(&(lmb_packed_sample_job){.clip = job->clips[at],
                                               .time_s = job->times_s[at],
                                               .mode = job->mode,
                                               .pose = pose,
                                               .simd = job->simd});
}

static void blend(const lmb_crowd_job *job, const lmb_blend_layer *layers, uint32_t count,
                  lmb_transform *out)
{
    lmb_blend(&(lmb_blend_job){.joint_count = job->skeleton->joint_count,
                               .layers = layers,
                               .layer_count = count,
                               .out = out,
                               .simd = job->simd});
}

/// All layers at once, in the room that there is.
static void blend_together(const lmb_crowd_job *job, size_t first, lmb_transform *room,
                           lmb_transform *local)
{
    lmb_blend_layer layers[LMB_BLEND_LAYERS];
    uint32_t used = 0;
    for (uint32_t k = 0; k < job->layer_count; ++k) {
        if (job->weights[first + k] > 0) {
            lmb_transform *pose = room + (size_t)used * job->skeleton->joint_count;
            sample(job, first + k, pose);
            layers[used++] = (lmb_blend_layer){pose, job->weights[first + k], NULL};
        }
    }
    blend(job, layers, used, local);
}

/// One layer after the other onto what is there. Until the matrices are made, their memory holds
/// the pose of a layer.
static void blend_in_turn(const lmb_crowd_job *job, size_t first, lmb_transform *spare,
                          lmb_transform *local)
{
    float sum = 0;
    for (uint32_t k = 0; k < job->layer_count; ++k) {
        const float weight = job->weights[first + k];
        if (!(weight > 0)) {
            continue;
        }
        sample(job, first + k, sum > 0 ? spare : local);
        if (sum > 0) {
            const lmb_blend_layer layers[2] = {{local, sum, NULL}, {spare, weight, NULL}};
            blend(job, layers, 2, local);
        }
        sum += weight;
    }
}

static void pose_character(const lmb_crowd_job *job, size_t character, lmb_transform *room,
                           lmb_transform *local)
{
    const size_t joints = job->skeleton->joint_count, first = character * job->layer_count;
    uint32_t used = 0, last = 0;
    for (uint32_t k = 0; k < job->layer_count; ++k) {
        const bool counts = job->weights == NULL ? k == 0 : job->weights[first + k] > 0;
        used += counts;
        last = counts ? k : last;
    }
    if (used == 0) {
        memcpy(local, job->skeleton->rest, joints * sizeof(lmb_transform));
    } else if (used == 1) {
        sample(job, first + last, local);
    } else if (used <= LMB_BLEND_LAYERS && used * joints <= ROOM) {
        blend_together(job, first, room, local);
    } else {
        lmb_mat4 *model = job->model_from_joint + character * joints;
        blend_in_turn(job, first, (lmb_transform *)(void *)model, local);
    }
}

/// Some characters, whose local poses go to local[end - begin][joint_count].
static void animate(const lmb_crowd_job *job, size_t begin, size_t end, lmb_transform *local)
{
    const size_t joints = job->skeleton->joint_count;
    lmb_transform room[ROOM];
    for (size_t c = begin; c < end; ++c) {
        pose_character(job, c, room, local + (c - begin) * joints);
    }
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = job->skeleton,
                                 .local = local,
                                 .model_from_joint = job->model_from_joint + begin * joints,
                                 .pose_count = (uint32_t)(end - begin),
                                 .roots = job->roots != NULL ? job->roots + begin : NULL,
                                 .simd = job->simd});
}

/// Local poses that are not wanted stay in the nearest caches.
static void animate_unseen(const lmb_crowd_job *job, size_t begin, size_t end)
{
    lmb_transform local[LOCAL_ROOM];
    const size_t joints = job->skeleton->joint_count,
                 fits = joints > 0 ? LOCAL_ROOM / joints : end - begin;
    for (size_t c = begin; c < end; c += fits) {
        animate(job, c, end - c < fits ? end : c + fits, local);
    }
}

static void animate_piece(void *context, size_t begin, size_t end)
{
    const lmb_crowd_job *job = context;
    if (job->local == NULL) {
        animate_unseen(job, begin, end);
    } else {
        animate(job, begin, end, job->local + begin * job->skeleton->joint_count);
    }
}

void lmb_crowd(const lmb_crowd_job *job)
{
    lmb_crowd_job copy = *job;
    assert(job->local != NULL || job->skeleton->joint_count <= LOCAL_ROOM);
    lmb_parallel_for(job->jobs, job->count, GRAIN, animate_piece, &copy);
}
