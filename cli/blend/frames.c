/// Frames of a blend, and the clip made of them.
#include "cli/blend/blend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Mean sine of a knee's bend from which its bend direction is reliable.
#define LEAST_BEND 0.02f

void blend_frames_start(const blend_stage *stage, const blend_options *opts, double seconds,
                        blend_frames *out)
{
    const size_t joints = stage->character->skeleton->joint_count;
    out->count = (uint32_t)floor(seconds * opts->rate + 1e-6) + 1;
    out->poses = cli_resize(NULL, (size_t)out->count * joints, sizeof(*out->poses));
    out->weights =
        cli_resize(NULL, (size_t)out->count * stage->weight_count + 1, sizeof(*out->weights));
    out->stances = cli_resize(NULL, out->count, sizeof(*out->stances));
    memset(out->stances, 0, out->count * sizeof(*out->stances));
}

void blend_frames_end(blend_frames *frames)
{
    free(frames->poses);
    free(frames->weights);
    free(frames->stances);
}

// ------------------------------------------------------------------------------------------- feet

/// A model-space direction in the axes of a joint.
static lmb_vec3 in_frame(const lmb_mat4 *model, lmb_vec3 direction)
{
    const float *m = model->m;
    const lmb_vec3 none = {0, 0, 0};
    return lmb_vec3_make(
        lmb_vec3_dot(direction, lmb_vec3_normalize_or(lmb_vec3_make(m[0], m[1], m[2]), none)),
        lmb_vec3_dot(direction, lmb_vec3_normalize_or(lmb_vec3_make(m[4], m[5], m[6]), none)),
        lmb_vec3_dot(direction, lmb_vec3_normalize_or(lmb_vec3_make(m[8], m[9], m[10]), none)));
}

/// Hinge axis of a knee in its own frame, from the bends of all frames: it depends on the facing and
/// on the kind of leg.
static void learn_hinge(const blend_stage *stage, const blend_frames *frames, lmb_mat4 *model,
                        lmb_foot_lock_leg *leg)
{
    const lmb_skeleton *skeleton = stage->character->skeleton;
    lmb_vec3 sum = {0, 0, 0};
    float most = 0;
    for (uint32_t f = 0; f < frames->count; ++f) {
        lmb_pose_to_model(
            &(lmb_pose_to_model_job){.skeleton = skeleton,
                                     .local = frames->poses + (size_t)f * skeleton->joint_count,
                                     .model_from_joint = model});
        const lmb_vec3 knee = lmb_mat4_translation(model[leg->lower]);
        const lmb_vec3 upper = lmb_vec3_sub(knee, lmb_mat4_translation(model[leg->upper])),
                       lower = lmb_vec3_sub(lmb_mat4_translation(model[leg->foot]), knee);
        sum = lmb_vec3_add(sum, in_frame(&model[leg->lower], lmb_vec3_cross(upper, lower)));
        most += lmb_vec3_length(upper) * lmb_vec3_length(lower);
    }
    if (lmb_vec3_length(sum) > LEAST_BEND * most) {
        leg->hinge = lmb_vec3_normalize_or(sum, leg->hinge);
    }
}

uint32_t blend_frames_hold(const blend_stage *stage, const blend_options *opts,
                           blend_frames *frames)
{
    const lmb_skeleton *skeleton = stage->character->skeleton;
    lmb_mat4 *model = cli_resize(NULL, skeleton->joint_count, sizeof(*model));
    lmb_foot_lock_state state = {0};
    lmb_foot_lock_leg legs[LMB_PLANT_FEET];
    uint32_t pinned = 0;
    for (uint32_t k = 0; k < stage->leg_count; ++k) {
        legs[k] = stage->legs[k];
        learn_hinge(stage, frames, model, &legs[k]);
    }
    for (uint32_t f = 0; f < frames->count; ++f) {
        lmb_transform *pose = frames->poses + (size_t)f * skeleton->joint_count;
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = skeleton, .local = pose, .model_from_joint = model});
        pinned +=
            lmb_ik_foot_lock(&(lmb_ik_foot_lock_job){.skeleton = skeleton,
                                                     .local = pose,
                                                     .model_from_joint = model,
                                                     .hips = stage->hips,
                                                     .leg_count = stage->leg_count,
                                                     .legs = legs,
                                                     .planted = frames->stances[f].planted,
                                                     .floors = frames->stances[f].floors[0],
                                                     .dt_s = f > 0 ? (float)(1 / opts->rate) : 0,
                                                     .state = &state}) > 0
                ? 1
                : 0;
    }
    free(model);
    return pinned;
}

// ------------------------------------------------------------------------------------------- clip

/// The keys of one joint's morph weights. False where they equal the rest weights.
static bool weight_channel(const blend_stage *stage, const blend_frames *frames, uint32_t joint,
                           const float *ticks, float *values, lmb_channel *out)
{
    const uint32_t first = stage->weight_first[joint],
                   width = stage->weight_first[joint + 1] - first;
    bool moves = false;
    for (uint32_t f = 0; f < frames->count; ++f) {
        const float *from = frames->weights + (size_t)f * stage->weight_count + first;
        memcpy(values + (size_t)f * width, from, width * sizeof(float));
        moves = moves || memcmp(from, stage->rest_weights + first, width * sizeof(float)) != 0;
    }
    *out = (lmb_channel){.joint = joint,
                         .path = LMB_PATH_WEIGHTS,
                         .width = width,
                         .key_count = frames->count,
                         .ticks = (float *)(uintptr_t)ticks,
                         .values = values};
    return moves;
}

/// The clip with channels of morph weights added.
static lmb_result add_weights(const blend_stage *stage, const blend_frames *frames, lmb_clip **clip,
                              lmb_error *error)
{
    const uint32_t joints = stage->character->skeleton->joint_count;
    lmb_clip def = **clip, *made = NULL;
    def.channels = cli_resize(NULL, (size_t)def.channel_count + joints, sizeof(*def.channels));
    if (def.channel_count > 0) {
        memcpy(def.channels, (*clip)->channels, def.channel_count * sizeof(*def.channels));
    }
    float *ticks = cli_resize(NULL, frames->count, sizeof(*ticks));
    float *values = cli_resize(NULL, (size_t)frames->count * stage->weight_count, sizeof(*values));
    for (uint32_t f = 0; f < frames->count; ++f) {
        ticks[f] = (float)f;
    }
    for (uint32_t j = 0; j < joints; ++j) {
        float *own = values + (size_t)frames->count * stage->weight_first[j];
        const bool has = stage->weight_first[j + 1] > stage->weight_first[j];
        if (has && weight_channel(stage, frames, j, ticks, own, &def.channels[def.channel_count])) {
            ++def.channel_count;
        }
    }
    const lmb_result result = lmb_clip_create(&def, NULL, &made, error);
    if (result == LMB_OK) {
        lmb_clip_destroy(*clip);
        *clip = made;
    }
    free(ticks);
    free(values);
    free(def.channels);
    return result;
}

cli_exit blend_frames_clip(const blend_stage *stage, const blend_options *opts,
                           const blend_frames *frames, lmb_clip **out)
{
    lmb_error error = {0};
    lmb_result result = lmb_clip_from_poses(
        stage->character->skeleton, frames->poses, frames->count, (float)opts->rate,
        opts->name != NULL ? opts->name : "blend", NULL, out, &error);
    if (result == LMB_OK && stage->weight_count > 0) {
        result = add_weights(stage, frames, out, &error);
    }
    return result == LMB_OK ? CLI_DONE : cli_fail_call(stage->cli, "the result", result, &error);
}
