/// Helper joints from frames: the steps in order.
#include <string.h>

#include "author/drivers.h"
#include "author/helping.h"
#include "base/error.h"
#include "learn/helpers.h"

static lmb_result check(const lmbi_help *h, lmb_error *error)
{
    const lmb_character *c = h->c.character;
    return h->frames->clip < c->clip_count
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_INVALID, "a clip of the character", "clip %u of %u",
                           h->frames->clip, c->clip_count);
}

/// Where all joints of `character` are in each frame, as its clip has them.
static lmb_result pose_frames(lmbi_help *h, const lmb_character *character, lmb_learn_frames *out,
                              lmb_error *error)
{
    const uint32_t joints = character->skeleton->joint_count, count = h->frames->frame_count;
    lmbi_correction view = h->c;
    view.character = character;
    lmb_transform *local = lmbi_arena_array(&h->c.arena, joints, sizeof *local);
    const lmb_mat4 **models = lmbi_arena_array(&h->c.arena, count, sizeof *models);
    if (!local || !models) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < count; ++k) {
        lmb_mat4 *model = lmbi_arena_array(&h->c.arena, joints, sizeof *model);
        if (!model) {
            return lmbi_fail_memory(error);
        }
        lmbi_correct_sample(&view, h->frames->clip, h->frames->times_s[k], local);
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = character->skeleton, .local = local, .model_from_joint = model});
        models[k] = model;
    }
    *out = (lmb_learn_frames){.vertex_count = h->c.vertex_count,
                              .frame_count = count,
                              .frames = h->frames->positions,
                              .model_from_joint = models};
    return LMB_OK;
}

static lmb_result learn(lmbi_help *h, const lmb_allocator *alloc, lmbi_learned_helpers **helpers,
                        lmb_error *error)
{
    const lmbi_learn_helpers_opts how = {.helper_count = h->opts.helper_count,
                                         .influences = h->opts.influences,
                                         .smooth = h->opts.smooth,
                                         .hold_out = h->opts.hold_out,
                                         .jobs = h->opts.jobs,
                                         .progress = h->opts.progress};
    lmb_learn_frames frames;
    lmb_result result = check(h, error);
    if (result == LMB_OK) {
        result = pose_frames(h, h->c.character, &frames, error);
    }
    if (result == LMB_OK) {
        result = lmbi_learn_helpers(h->c.character, &frames, &how, alloc, helpers, error);
    }
    h->helpers = *helpers;
    return result;
}

/// Keys at the learned frames, so that they are shown as predicted.
static lmb_result find_keys(lmbi_help *h, lmb_error *error)
{
    h->c.key_count = h->helpers->frame_count;
    h->c.keys = lmbi_arena_array(&h->c.arena, h->c.key_count, sizeof *h->c.keys);
    for (uint32_t k = 0; h->c.keys && k < h->c.key_count; ++k) {
        h->c.keys[k] =
            (lmbi_correct_key){h->frames->clip, h->frames->times_s[h->helpers->frames[k]]};
    }
    return h->c.keys ? LMB_OK : lmbi_fail_memory(error);
}

static lmb_result make(lmbi_help *h, const lmb_allocator *alloc, lmb_character **made,
                       lmb_error *error)
{
    lmb_result result = find_keys(h, error);
    h->def = *h->c.character;
    if (result == LMB_OK) {
        result = lmbi_help_make(h, alloc, error);
    }
    if (result == LMB_OK) {
        result = lmbi_help_predict(h, error);
    }
    if (result == LMB_OK) {
        result = lmbi_help_bake(h, alloc, error);
    }
    if (result == LMB_OK) {
        result = lmbi_drivers_keep_helpers(h, alloc, &h->def.appearance, error);
    }
    if (result == LMB_OK) {
        result = lmb_character_create(&h->def, alloc, made, error);
    }
    if (result != LMB_OK) {
        lmbi_correct_drop_parts(&h->def, h->c.character);
    }
    return result;
}

/// Weights once more, with the helpers where they are predicted.
static lmb_result refit(lmbi_help *h, lmb_character **made, const lmb_allocator *alloc,
                        lmb_learn_weights_report *report, lmb_error *error)
{
    const lmb_learn_weights_opts how = {.influences = h->opts.influences,
                                        .smooth = h->opts.smooth,
                                        .hold_out = h->opts.hold_out,
                                        .jobs = h->opts.jobs,
                                        .progress = h->opts.progress};
    lmb_learn_frames frames;
    const lmb_result result = pose_frames(h, *made, &frames, error);
    return result == LMB_OK ? lmb_learn_weights(made, &frames, &how, alloc, report, error) : result;
}

lmb_result lmb_help_frames(lmb_character **character, const lmb_corrected_frames *frames,
                           const lmb_help_opts *opts, const lmb_allocator *alloc,
                           lmb_help_report *report, lmb_error *error)
{
    lmbi_help h = {.frames = frames, .opts = *opts};
    lmbi_learned_helpers *helpers = NULL;
    lmb_character *made = NULL;
    lmb_learn_weights_report weights;
    lmb_result result = lmbi_correct_begin(&h.c, *character, alloc, error);
    h.c.frame_rate = opts->frame_rate;
    h.joint_count = (*character)->skeleton->joint_count;
    if (result == LMB_OK) {
        result = learn(&h, alloc, &helpers, error);
    }
    if (result == LMB_OK) {
        result = make(&h, alloc, &made, error);
    }
    if (result == LMB_OK) {
        result = refit(&h, &made, alloc, &weights, error);
    }
    if (made) {
        lmbi_correct_drop(result == LMB_OK ? *character : made,
                          result == LMB_OK ? made : *character);
    }
    if (result == LMB_OK) {
        *character = made;
    }
    if (result == LMB_OK && report) {
        *report = (lmb_help_report){.helper_count = helpers->helper_count,
                                    .driver_count = h.driver_count,
                                    .frame_count = weights.frame_count,
                                    .held_out_count = weights.held_out_count,
                                    .solved_percent = helpers->rms_percent,
                                    .rms_percent = weights.rms_percent,
                                    .held_out_percent = weights.held_out_percent};
    }
    for (uint32_t k = 0; h.spaces && k < helpers->helper_count; ++k) {
        lmb_pose_space_destroy(h.spaces[k]);
    }
    lmbi_learned_helpers_destroy(helpers);
    lmbi_correct_end(&h.c);
    return result;
}
