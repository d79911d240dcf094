/// Cleans a clip: the order of the steps, and foot locking.
#include "capture/clean.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "limber/anim.h"

#define STILL_SPEED 0.02f ///< body heights a second: slower joints are still
#define MARGIN_S 0.15     ///< seconds that are left around the moving part
#define LOOP_BLEND_S 0.2

static lmb_result sample_clip(const lmb_character *character, const lmb_clip *clip,
                              lmbi_arena *arena, lmbi_sampled_clip *out, lmb_error *error)
{
    const lmb_skeleton *skeleton = character->skeleton;
    const float rate = clip->frame_rate > 0 && clip->frame_rate <= 1000 ? clip->frame_rate : 60;
    const double frames = (double)lmb_clip_duration_s(clip) * (double)rate + 1.5;
    if (!(frames >= 3) || frames > 1e7) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a clip of three frames or more",
                         "%g s at %g Hz", (double)lmb_clip_duration_s(clip), (double)rate);
    }
    out->skeleton = skeleton;
    out->rate = rate;
    out->count = (uint32_t)frames;
    out->joints = skeleton->joint_count;
    out->poses = lmbi_arena_array(arena, (size_t)out->count * out->joints, sizeof *out->poses);
    uint32_t *cursors = lmbi_arena_array(arena, clip->channel_count, sizeof *cursors);
    if (out->poses == NULL || cursors == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t f = 0; f < out->count; ++f) {
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = (double)f / (double)rate,
                                     .joint_count = out->joints,
                                     .rest = skeleton->rest,
                                     .pose = out->poses + (size_t)f * out->joints,
                                     .cursors = cursors});
    }
    return LMB_OK;
}

/// Whether the locked clip moves the joint or a descendant of it: such a joint keeps the locked
/// clip's rest pose.
static bool is_replaced(const lmb_skeleton *skeleton, const lmb_clip *locked, uint32_t joint)
{
    for (uint32_t c = 0; c < locked->channel_count; ++c) {
        int32_t j = (int32_t)locked->channels[c].joint;
        while (j > (int32_t)joint) {
            j = skeleton->parents[j];
        }
        if (j == (int32_t)joint) {
            return true;
        }
    }
    return false;
}

/// Adds channels of joints outside the humanoid map, such as fingers and props, unchanged.
static lmb_result add_other_channels(const lmb_skeleton *skeleton, const lmb_clip *locked,
                                     const lmb_clip *original, const lmb_allocator *alloc,
                                     lmbi_arena *arena, lmb_clip **out, lmb_error *error)
{
    lmb_clip def = *locked;
    lmb_channel *channels = lmbi_arena_array(
        arena, (size_t)locked->channel_count + original->channel_count, sizeof *channels);
    if (channels == NULL) {
        return lmbi_fail_memory(error);
    }
    memcpy(channels, locked->channels, locked->channel_count * sizeof *channels);
    const float scale = (locked->ticks_per_s > 0 ? locked->ticks_per_s : 1) /
                        (original->ticks_per_s > 0 ? original->ticks_per_s : 1);
    for (uint32_t c = 0; c < original->channel_count; ++c) {
        lmb_channel channel = original->channels[c];
        if (is_replaced(skeleton, locked, channel.joint)) {
            continue;
        }
        float *ticks = lmbi_arena_array(arena, channel.key_count, sizeof *ticks);
        if (ticks == NULL) {
            return lmbi_fail_memory(error);
        }
        for (uint32_t k = 0; k < channel.key_count; ++k) {
            ticks[k] = channel.ticks[k] * scale;
        }
        channel.ticks = ticks;
        channels[def.channel_count++] = channel;
    }
    def.channels = channels;
    return lmb_clip_create(&def, alloc, out, error);
}

static bool has_legs(const lmb_chain_map *map)
{
    bool found = false;
    for (uint32_t i = 0; i < map->count; ++i) {
        found = found || map->chains[i].kind == LMB_CHAIN_LEG;
    }
    return found;
}

/// Locks planted feet by retargeting the clip onto its own character. A character without legs is
/// left unchanged.
static lmb_result lock_feet(const lmb_character *character, lmb_clip **clip,
                            const lmb_clean_opts *opts, const lmb_allocator *alloc,
                            lmbi_arena *arena, lmb_clean_report *report, lmb_error *error)
{
    lmb_clip *clips[1] = {*clip}, *locked = NULL, *complete = NULL, *original = NULL;
    lmb_character only = *character;
    only.clip_count = 1;
    only.clips = clips;
    const lmb_retarget_opts how = {
        .target_map = opts->map, .source_map = opts->map, .name = (*clip)->name};
    lmb_retarget_report *feet = lmbi_arena_array(arena, 1, sizeof *feet);
    if (feet == NULL) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = lmb_retarget(character, &only, 0, &how, alloc, &locked, feet, error);
    if (result != LMB_OK) {
        return result == LMB_ERROR_UNSUPPORTED ? LMB_OK : result;
    }
    // A calibration pose at the beginning is left out there, so here as well.
    const double begin_s = (double)feet->dropped_frames / (double)feet->frame_rate;
    if (feet->by_chains) {
        complete = locked; // all of its joints are in it
        locked = NULL;
    } else {
        result = lmb_clip_apply(*clip,
                                &(lmb_clip_edit){.op = LMB_CLIP_TRIM,
                                                 .begin_s = begin_s,
                                                 .end_s = (double)lmb_clip_duration_s(*clip)},
                                alloc, &original, error);
        if (result == LMB_OK) {
            result = add_other_channels(character->skeleton, locked, original, alloc, arena,
                                        &complete, error);
        }
    }
    lmb_clip_destroy(locked);
    lmb_clip_destroy(original);
    if (result == LMB_OK) {
        report->by_chains = feet->by_chains;
        report->chains = feet->target_chains;
        report->feet_held = !feet->by_chains || has_legs(&feet->target_chains);
        report->contact_count = feet->contact_count;
        report->largest_correction = feet->largest_correction;
        report->frame_rate = feet->frame_rate;
        report->begin_s = begin_s;
        lmb_clip_destroy(*clip);
        *clip = complete;
    }
    return result;
}

// ---------------------------------------------------------------------------------------- the part

static float body_height(const lmb_skeleton *skeleton, lmb_mat4 *model)
{
    lmb_box box = lmb_box_empty();
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = model});
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        box = lmb_box_add(box, lmb_mat4_translation(model[j]));
    }
    const lmb_vec3 size = lmb_vec3_sub(box.high, box.low);
    return fmaxf(fmaxf(size.x, size.y), fmaxf(size.z, 1e-6f));
}

/// The first and the last frame in which some joint moves.
static bool find_moving_range(const lmbi_sampled_clip *t, lmbi_arena *arena, uint32_t *first,
                              uint32_t *last)
{
    lmb_mat4 *model = lmbi_arena_array(arena, 2 * (size_t)t->joints, sizeof *model);
    if (model == NULL) {
        return false;
    }
    const float still_m = STILL_SPEED * body_height(t->skeleton, model) / t->rate;
    bool found = false;
    for (uint32_t f = 0; f < t->count; ++f) {
        lmb_mat4 *current = model + (f % 2) * (size_t)t->joints,
                 *previous = model + ((f + 1) % 2) * (size_t)t->joints;
        lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = t->skeleton,
                                                   .local = t->poses + (size_t)f * t->joints,
                                                   .model_from_joint = current});
        bool moves = false;
        for (uint32_t j = 0; f > 0 && j < t->joints && !moves; ++j) {
            moves = lmb_vec3_distance(lmb_mat4_translation(current[j]),
                                      lmb_mat4_translation(previous[j])) > still_m;
        }
        if (moves) {
            *first = found ? *first : f - 1;
            *last = f;
            found = true;
        }
    }
    if (!found) {
        *first = 0;
        *last = t->count - 1;
    }
    return true;
}

static lmb_result replace_clip(lmb_result result, lmb_clip **clip, lmb_clip *by)
{
    if (result == LMB_OK) {
        lmb_clip_destroy(*clip);
        *clip = by;
    }
    return result;
}

static lmb_result trim_clip(lmb_clip **clip, double begin_s, double end_s,
                            const lmb_allocator *alloc, lmb_clean_report *report, lmb_error *error)
{
    lmb_clip *part = NULL;
    const double length = (double)lmb_clip_duration_s(*clip);
    begin_s = begin_s > 0 ? begin_s : 0;
    end_s = end_s < length ? end_s : length;
    if (begin_s <= 0 && end_s >= length) {
        return LMB_OK;
    }
    report->end_s = report->begin_s + end_s;
    report->begin_s += begin_s;
    const lmb_result result = lmb_clip_apply(
        *clip, &(lmb_clip_edit){.op = LMB_CLIP_TRIM, .begin_s = begin_s, .end_s = end_s}, alloc,
        &part, error);
    return replace_clip(result, clip, part);
}

static lmb_result close_loop(const lmb_character *character, lmb_clip **clip,
                             const lmb_clean_opts *opts, const lmb_allocator *alloc,
                             lmb_clean_report *report, lmb_error *error)
{
    const lmb_skeleton *skeleton = character->skeleton;
    lmb_joint_map map;
    double begin_s = 0, end_s = 0;
    lmb_clip *closed = NULL;
    lmb_result result = lmb_joint_map_make(skeleton, alloc, &map, error);
    if (result != LMB_OK) {
        return result;
    }
    const int32_t hips = map.bones[LMB_HUMAN_HIPS].joint;
    const int32_t root = report->by_chains ? report->chains.root : hips;
    result = lmb_clip_find_loop(*clip, skeleton, root,
                                opts->loop_least_s > 0 ? (double)opts->loop_least_s : 0.5, alloc,
                                &begin_s, &end_s, error);
    if (result == LMB_OK) {
        result = trim_clip(clip, begin_s, end_s, alloc, report, error);
    }
    if (result == LMB_OK) {
        const double quarter = 0.25 * (double)lmb_clip_duration_s(*clip);
        result = lmb_clip_apply(
            *clip,
            &(lmb_clip_edit){.op = LMB_CLIP_CLOSE,
                             .skeleton = skeleton,
                             .root = root,
                             .blend_s = quarter < LOOP_BLEND_S ? quarter : LOOP_BLEND_S},
            alloc, &closed, error);
        result = replace_clip(result, clip, closed);
    }
    return result;
}

static lmb_result mirror_clip(const lmb_character *character, lmb_clip **clip, lmbi_arena *arena,
                              const lmb_allocator *alloc, lmb_error *error)
{
    lmb_clip *mirrored = NULL;
    uint32_t *pairs = lmbi_arena_array(arena, character->skeleton->joint_count, sizeof *pairs);
    if (pairs == NULL) {
        return lmbi_fail_memory(error);
    }
    lmb_mirror_pairs(character->skeleton, pairs);
    const lmb_result result = lmb_clip_apply(
        *clip,
        &(lmb_clip_edit){.op = LMB_CLIP_MIRROR, .skeleton = character->skeleton, .pairs = pairs},
        alloc, &mirrored, error);
    return replace_clip(result, clip, mirrored);
}

// ---------------------------------------------------------------------------------------- the order

static lmb_result clean_clip(const lmb_character *character, uint32_t index,
                             const lmb_clean_opts *opts, const lmb_allocator *alloc,
                             lmbi_arena *arena, lmb_clip **clip, lmb_clean_report *report,
                             lmb_error *error)
{
    const lmb_clip *from = character->clips[index];
    lmbi_sampled_clip sampled;
    uint32_t first = 0, last = 0;
    lmb_result result = sample_clip(character, from, arena, &sampled, error);
    if (result != LMB_OK) {
        return result;
    }
    if (!opts->keep_gaps) {
        report->gap_frames = lmbi_clean_bridge_gaps(&sampled);
    }
    if ((!opts->keep_spikes && !lmbi_clean_remove_spikes(&sampled, arena, &report->spike_count)) ||
        (opts->smooth_hz > 0 && !lmbi_clean_smooth(&sampled, opts->smooth_hz, arena)) ||
        !find_moving_range(&sampled, arena, &first, &last)) {
        return lmbi_fail_memory(error);
    }
    report->frame_rate = sampled.rate;
    report->end_s = (double)(sampled.count - 1) / (double)sampled.rate;
    const char *name = opts->name != NULL ? opts->name : from->name;
    result = lmb_clip_from_poses(character->skeleton, sampled.poses, sampled.count, sampled.rate,
                                 name != NULL ? name : "clean", alloc, clip, error);
    if (result == LMB_OK && !opts->keep_feet) {
        result = lock_feet(character, clip, opts, alloc, arena, report, error);
    }
    if (result == LMB_OK && opts->trim) {
        result = trim_clip(clip, (double)first / (double)sampled.rate - MARGIN_S - report->begin_s,
                           (double)last / (double)sampled.rate + MARGIN_S - report->begin_s, alloc,
                           report, error);
    }
    if (result == LMB_OK && opts->loop) {
        result = close_loop(character, clip, opts, alloc, report, error);
    }
    return result == LMB_OK && opts->mirror ? mirror_clip(character, clip, arena, alloc, error)
                                            : result;
}

lmb_result lmb_clean_clip(const lmb_character *character, uint32_t clip, const lmb_clean_opts *opts,
                          const lmb_allocator *alloc, lmb_clip **out, lmb_clean_report *report,
                          lmb_error *error)
{
    static const lmb_clean_opts none = {0};
    lmb_clean_report result_report = {0};
    lmb_clip *cleaned = NULL;
    if (clip >= character->clip_count) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a clip", "number %u of %u", (unsigned)clip,
                         (unsigned)character->clip_count);
    }
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    const lmb_result result = clean_clip(character, clip, opts != NULL ? opts : &none, alloc,
                                         &arena, &cleaned, &result_report, error);
    lmbi_arena_free(&arena);
    if (result != LMB_OK) {
        lmb_clip_destroy(cleaned);
        return result;
    }
    result_report.frame_count =
        (uint32_t)((double)lmb_clip_duration_s(cleaned) * (double)result_report.frame_rate + 1.5);
    *out = cleaned;
    if (report != NULL) {
        *report = result_report;
    }
    return LMB_OK;
}
