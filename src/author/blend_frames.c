/// Frames of a blend, and the clip made of them.
#include "author/blend_bake.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

/// Mean sine of a knee's bend from which its bend direction is reliable.
#define LEAST_BEND 0.02f

lmb_result lmbi_blend_frames_create(lmbi_blend_bake *b, double seconds, lmb_error *error)
{
    if (!(seconds >= 0 && seconds <= 3600)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "0 to 3600 s", "%g s", seconds);
    }
    b->frame_count = (uint32_t)floor(seconds * b->rate_hz + 1e-6) + 1;
    const size_t count = b->frame_count;
    b->poses =
        lmbi_arena_array(&b->arena, count * b->character->skeleton->joint_count, sizeof *b->poses);
    b->weights = lmbi_arena_array(&b->arena, count * b->weight_count, sizeof *b->weights);
    b->contacts = lmbi_arena_array(&b->arena, count, sizeof *b->contacts);
    return b->poses && b->weights && b->contacts ? LMB_OK : lmbi_fail_memory(error);
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
static void learn_hinge(const lmbi_blend_bake *b, lmb_mat4 *model, lmb_foot_lock_leg *leg)
{
    const lmb_skeleton *skeleton = b->character->skeleton;
    lmb_vec3 sum = {0, 0, 0};
    float most = 0;
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        lmb_pose_to_model(
            &(lmb_pose_to_model_job){.skeleton = skeleton,
                                     .local = b->poses + (size_t)f * skeleton->joint_count,
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

lmb_result lmbi_blend_frames_hold(lmbi_blend_bake *b, uint32_t *out, lmb_error *error)
{
    const lmb_skeleton *skeleton = b->character->skeleton;
    lmb_mat4 *model = lmbi_arena_array(&b->arena, skeleton->joint_count, sizeof *model);
    lmb_foot_lock_state state = {0};
    lmb_foot_lock_leg legs[LMB_PLANT_FEET];
    if (model == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < b->stance.leg_count; ++k) {
        legs[k] = b->stance.legs[k];
        learn_hinge(b, model, &legs[k]);
    }
    *out = 0;
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        lmb_transform *pose = b->poses + (size_t)f * skeleton->joint_count;
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = skeleton, .local = pose, .model_from_joint = model});
        const uint32_t locked =
            lmb_ik_foot_lock(&(lmb_ik_foot_lock_job){.skeleton = skeleton,
                                                     .local = pose,
                                                     .model_from_joint = model,
                                                     .hips = b->stance.hips,
                                                     .leg_count = b->stance.leg_count,
                                                     .legs = legs,
                                                     .planted = b->contacts[f].planted,
                                                     .floors = b->contacts[f].floors[0],
                                                     .dt_s = f > 0 ? (float)(1 / b->rate_hz) : 0,
                                                     .state = &state});
        *out += locked > 0;
    }
    return LMB_OK;
}

// ------------------------------------------------------------------------------------------- clip

/// The keys of one joint's morph weights. False where they equal the rest weights.
static bool weight_channel(const lmbi_blend_bake *b, uint32_t joint, float *ticks, float *values,
                           lmb_channel *out)
{
    const uint32_t first = b->weight_first[joint], width = b->weight_first[joint + 1] - first;
    bool moves = false;
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        const float *from = b->weights + (size_t)f * b->weight_count + first;
        memcpy(values + (size_t)f * width, from, width * sizeof(float));
        moves = moves || memcmp(from, b->rest_weights + first, width * sizeof(float)) != 0;
    }
    *out = (lmb_channel){.joint = joint,
                         .path = LMB_PATH_WEIGHTS,
                         .width = width,
                         .key_count = b->frame_count,
                         .ticks = ticks,
                         .values = values};
    return moves;
}

/// The clip with channels of morph weights added.
static lmb_result add_weights(lmbi_blend_bake *b, lmb_clip **clip, lmb_error *error)
{
    const uint32_t joints = b->character->skeleton->joint_count;
    lmb_clip def = **clip, *made = NULL;
    float *ticks = lmbi_arena_array(&b->arena, b->frame_count, sizeof *ticks);
    float *values =
        lmbi_arena_array(&b->arena, (size_t)b->frame_count * b->weight_count, sizeof *values);
    def.channels =
        lmbi_arena_array(&b->arena, (size_t)def.channel_count + joints, sizeof *def.channels);
    if (ticks == NULL || values == NULL || def.channels == NULL) {
        return lmbi_fail_memory(error);
    }
    if (def.channel_count > 0) {
        memcpy(def.channels, (*clip)->channels, def.channel_count * sizeof *def.channels);
    }
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        ticks[f] = (float)f;
    }
    for (uint32_t j = 0; j < joints; ++j) {
        float *own = values + (size_t)b->frame_count * b->weight_first[j];
        const bool has = b->weight_first[j + 1] > b->weight_first[j];
        if (has && weight_channel(b, j, ticks, own, &def.channels[def.channel_count])) {
            ++def.channel_count;
        }
    }
    const lmb_result result = lmb_clip_create(&def, b->alloc, &made, error);
    if (result == LMB_OK) {
        lmb_clip_destroy(*clip);
        *clip = made;
    }
    return result;
}

lmb_result lmbi_blend_frames_clip(lmbi_blend_bake *b, lmb_clip **out, lmb_error *error)
{
    lmb_clip *clip = NULL;
    const char *name = b->opts->name != NULL ? b->opts->name : "blend";
    lmb_result result = lmb_clip_from_poses(b->character->skeleton, b->poses, b->frame_count,
                                            (float)b->rate_hz, name, b->alloc, &clip, error);
    if (result == LMB_OK && b->weight_count > 0) {
        result = add_weights(b, &clip, error);
    }
    if (result != LMB_OK) {
        lmb_clip_destroy(clip);
        return result;
    }
    *out = clip;
    return LMB_OK;
}
