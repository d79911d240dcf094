/// Cleaning a clip: the order of the steps, and feet.
#include "capture/clean.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "limber/anim.h"

#define STILL_SHARE 0.02f ///< of the body's height a second: slower is not moving
#define MARGIN_S 0.15     ///< that is left around what moves
#define LOOP_BLEND_S 0.2

static lmb_result sample(const lmb_character *character, const lmb_clip *clip, lmbi_arena *arena,
                         lmbi_takes *out, lmb_error *error)
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

/// A joint that the held clip moves, or that carries one: the held clip was made with it at rest.
static bool is_held(const lmb_skeleton *skeleton, const lmb_clip *held, uint32_t joint)
{
    for (uint32_t c = 0; c < held->channel_count; ++c) {
        int32_t j = (int32_t)held->channels[c].joint;
        while (j > (int32_t)joint) {
            j = skeleton->parents[j];
        }
        if (j == (int32_t)joint) {
            return true;
        }
    }
    return false;
}

/// Fingers, props and whatever else is no part of a humanoid's map moves on as it did.
static lmb_result add_others(const lmb_skeleton *skeleton, const lmb_clip *held,
                             const lmb_clip *old, const lmb_allocator *alloc, lmbi_arena *arena,
                             lmb_clip **out, lmb_error *error)
{
    lmb_clip def = *held;
    lmb_channel *channels =
        lmbi_arena_array(arena, (size_t)held->channel_count + old->channel_count, sizeof *channels);
    if (channels == NULL) {
        return lmbi_fail_memory(error);
    }
    memcpy(channels, held->channels, held->channel_count * sizeof *channels);
    const float scale = (held->ticks_per_s > 0 ? held->ticks_per_s : 1) /
                        (old->ticks_per_s > 0 ? old->ticks_per_s : 1);
    for (uint32_t c = 0; c < old->channel_count; ++c) {
        lmb_channel channel = old->channels[c];
        if (is_held(skeleton, held, channel.joint)) {
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
    bool any = false;
    for (uint32_t i = 0; i < map->count; ++i) {
        any = any || map->chains[i].kind == LMB_CHAIN_LEG;
    }
    return any;
}

/// Feet that stand are held: the clip retargeted onto its own character. What has no legs is left as
/// it is.
static lmb_result hold_feet(const lmb_character *character, lmb_clip **clip,
                            const lmb_clean_opts *opts, const lmb_allocator *alloc,
                            lmbi_arena *arena, lmb_clean_report *report, lmb_error *error)
{
    lmb_clip *clips[1] = {*clip}, *held = NULL, *whole = NULL, *old = NULL;
    lmb_character only = *character;
    only.clip_count = 1;
    only.clips = clips;
    const lmb_retarget_opts how = {
        .target_map = opts->map, .source_map = opts->map, .name = (*clip)->name};
    lmb_retarget_report *feet = lmbi_arena_array(arena, 1, sizeof *feet);
    if (feet == NULL) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = lmb_retarget(character, &only, 0, &how, alloc, &held, feet, error);
    if (result != LMB_OK) {
        return result == LMB_ERROR_UNSUPPORTED ? LMB_OK : result;
    }
    // A calibration pose at the beginning is left out there, so here as well.
    const double begin_s = (double)feet->dropped_frames / (double)feet->frame_rate;
    if (feet->by_chains) {
        whole = held; // all of its joints are in it
        held = NULL;
    } else {
        result =
            lmb_clip_trim(*clip, begin_s, (double)lmb_clip_duration_s(*clip), alloc, &old, error);
        if (result == LMB_OK) {
            result = add_others(character->skeleton, held, old, alloc, arena, &whole, error);
        }
    }
    lmb_clip_destroy(held);
    lmb_clip_destroy(old);
    if (result == LMB_OK) {
        report->by_chains = feet->by_chains;
        report->chains = feet->target_chains;
        report->feet_held = !feet->by_chains || has_legs(&feet->target_chains);
        report->contact_count = feet->contact_count;
        report->largest_correction = feet->largest_correction;
        report->frame_rate = feet->frame_rate;
        report->begin_s = begin_s;
        lmb_clip_destroy(*clip);
        *clip = whole;
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
static bool find_moving(const lmbi_takes *t, lmbi_arena *arena, uint32_t *first, uint32_t *last)
{
    lmb_mat4 *model = lmbi_arena_array(arena, 2 * (size_t)t->joints, sizeof *model);
    if (model == NULL) {
        return false;
    }
    const float still = STILL_SHARE * body_height(t->skeleton, model) / t->rate;
    bool any = false;
    for (uint32_t f = 0; f < t->count; ++f) {
        lmb_mat4 *now = model + (f % 2) * (size_t)t->joints,
                 *before = model + ((f + 1) % 2) * (size_t)t->joints;
        lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = t->skeleton,
                                                   .local = t->poses + (size_t)f * t->joints,
                                                   .model_from_joint = now});
        bool moves = false;
        for (uint32_t j = 0; f > 0 && j < t->joints && !moves; ++j) {
            moves = lmb_vec3_distance(lmb_mat4_translation(now[j]),
                                      lmb_mat4_translation(before[j])) > still;
        }
        if (moves) {
            *first = any ? *first : f - 1;
            *last = f;
            any = true;
        }
    }
    if (!any) {
        *first = 0;
        *last = t->count - 1;
    }
    return true;
}

static lmb_result replace(lmb_result result, lmb_clip **clip, lmb_clip *by)
{
    if (result == LMB_OK) {
        lmb_clip_destroy(*clip);
        *clip = by;
    }
    return result;
}

static lmb_result cut(lmb_clip **clip, double begin_s, double end_s, const lmb_allocator *alloc,
                      lmb_clean_report *report, lmb_error *error)
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
    const lmb_result result = lmb_clip_trim(*clip, begin_s, end_s, alloc, &part, error);
    return replace(result, clip, part);
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
    const int32_t hips = map.slots[LMB_SLOT_HIPS].joint;
    const int32_t root = report->by_chains ? report->chains.root : hips;
    result = lmb_clip_find_loop(*clip, skeleton, root,
                                opts->loop_least_s > 0 ? (double)opts->loop_least_s : 0.5, alloc,
                                &begin_s, &end_s, error);
    if (result == LMB_OK) {
        result = cut(clip, begin_s, end_s, alloc, report, error);
    }
    if (result == LMB_OK) {
        const double quarter = 0.25 * (double)lmb_clip_duration_s(*clip);
        result =
            lmb_clip_close(*clip, skeleton, root, quarter < LOOP_BLEND_S ? quarter : LOOP_BLEND_S,
                           0, alloc, &closed, error);
        result = replace(result, clip, closed);
    }
    return result;
}

static lmb_result mirror(const lmb_character *character, lmb_clip **clip, lmbi_arena *arena,
                         const lmb_allocator *alloc, lmb_error *error)
{
    lmb_clip *mirrored = NULL;
    uint32_t *pairs = lmbi_arena_array(arena, character->skeleton->joint_count, sizeof *pairs);
    if (pairs == NULL) {
        return lmbi_fail_memory(error);
    }
    lmb_mirror_pairs(character->skeleton, pairs);
    const lmb_result result =
        lmb_clip_mirror(*clip, character->skeleton, pairs, 0, alloc, &mirrored, error);
    return replace(result, clip, mirrored);
}

// ---------------------------------------------------------------------------------------- the order

static lmb_result clean(const lmb_character *character, uint32_t index, const lmb_clean_opts *opts,
                        const lmb_allocator *alloc, lmbi_arena *arena, lmb_clip **clip,
                        lmb_clean_report *report, lmb_error *error)
{
    const lmb_clip *from = character->clips[index];
    lmbi_takes takes;
    uint32_t first = 0, last = 0;
    lmb_result result = sample(character, from, arena, &takes, error);
    if (result != LMB_OK) {
        return result;
    }
    if (!opts->keep_gaps) {
        report->gap_frames = lmbi_takes_bridge(&takes);
    }
    if ((!opts->keep_spikes && !lmbi_takes_despike(&takes, arena, &report->spike_count)) ||
        (opts->smooth_hz > 0 && !lmbi_takes_smooth(&takes, opts->smooth_hz, arena)) ||
        !find_moving(&takes, arena, &first, &last)) {
        return lmbi_fail_memory(error);
    }
    report->frame_rate = takes.rate;
    report->end_s = (double)(takes.count - 1) / (double)takes.rate;
    const char *name = opts->name != NULL ? opts->name : from->name;
    result = lmb_clip_from_poses(character->skeleton, takes.poses, takes.count, takes.rate,
                                 name != NULL ? name : "clean", alloc, clip, error);
    if (result == LMB_OK && !opts->keep_feet) {
        result = hold_feet(character, clip, opts, alloc, arena, report, error);
    }
    if (result == LMB_OK && opts->trim) {
        result = cut(clip, (double)first / (double)takes.rate - MARGIN_S - report->begin_s,
                     (double)last / (double)takes.rate + MARGIN_S - report->begin_s, alloc, report,
                     error);
    }
    if (result == LMB_OK && opts->loop) {
        result = close_loop(character, clip, opts, alloc, report, error);
    }
    return result == LMB_OK && opts->mirror ? mirror(character, clip, arena, alloc, error) : result;
}

lmb_result lmb_clean_clip(const lmb_character *character, uint32_t clip, const lmb_clean_opts *opts,
                          const lmb_allocator *alloc, lmb_clip **out, lmb_clean_report *report,
                          lmb_error *error)
{
    static const lmb_clean_opts none = {0};
    lmb_clean_report own = {0};
    lmb_clip *made = NULL;
    if (clip >= character->clip_count) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a clip", "number %u of %u", (unsigned)clip,
                         (unsigned)character->clip_count);
    }
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    const lmb_result result =
        clean(character, clip, opts != NULL ? opts : &none, alloc, &arena, &made, &own, error);
    lmbi_arena_free(&arena);
    if (result != LMB_OK) {
        lmb_clip_destroy(made);
        return result;
    }
    own.frame_count = (uint32_t)((double)lmb_clip_duration_s(made) * (double)own.frame_rate + 1.5);
    *out = made;
    if (report != NULL) {
        *report = own;
    }
    return LMB_OK;
}
