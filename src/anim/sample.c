#include <string.h>

#include "anim/anim.h"
#include "anim/channel.h"
#include "limber/anim.h"

static void sample_transform(const lmb_channel *channel, lmbi_key_position position,
                             lmb_transform *out)
{
    float v[4];
    lmbi_channel_value(channel, position, v);
    if (channel->path == LMB_PATH_ROTATION) {
        out->rotation = lmb_quat_make(v[0], v[1], v[2], v[3]);
    } else if (channel->path == LMB_PATH_TRANSLATION) {
        out->translation = lmb_vec3_make(v[0], v[1], v[2]);
    } else {
        out->scale = lmb_vec3_make(v[0], v[1], v[2]);
    }
}

/// Ignores a channel whose width differs from the joint's weight count: it animates another mesh.
static void sample_weights(const lmb_sample_job *job, const lmb_channel *channel,
                           lmbi_key_position position)
{
    if (job->weights == NULL || job->weight_first == NULL) {
        return;
    }
    const uint32_t first = job->weight_first[channel->joint];
    if (channel->width == job->weight_first[channel->joint + 1] - first) {
        lmbi_channel_value(channel, position, job->weights + first);
    }
}

void lmb_sample(const lmb_sample_job *job)
{
    if (job->rest != NULL) {
        memcpy(job->pose, job->rest, job->joint_count * sizeof(lmb_transform));
    }
    if (job->rest_weights != NULL && job->weights != NULL && job->weight_first != NULL) {
        memcpy(job->weights, job->rest_weights,
               job->weight_first[job->joint_count] * sizeof(float));
    }
    const double tick = lmbi_clip_tick(job->clip, job->time_s, job->mode);
    for (uint32_t c = 0; c < job->clip->channel_count; ++c) {
        const lmb_channel *channel = &job->clip->channels[c];
        if (channel->joint >= job->joint_count) {
            continue;
        }
        const lmbi_key_position position =
            lmbi_channel_find(channel, tick, job->cursors != NULL ? &job->cursors[c] : NULL);
        if (channel->path == LMB_PATH_WEIGHTS) {
            sample_weights(job, channel, position);
        } else {
            sample_transform(channel, position, &job->pose[channel->joint]);
        }
    }
}

void lmb_clip_to_model(const lmb_clip *clip, const lmb_skeleton *skeleton, double time_s,
                       lmb_transform *pose, lmb_mat4 *model)
{
    lmb_sample(&(lmb_sample_job){.clip = clip,
                                 .time_s = time_s,
                                 .joint_count = skeleton->joint_count,
                                 .rest = skeleton->rest,
                                 .pose = pose});
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = skeleton, .local = pose, .model_from_joint = model});
}
