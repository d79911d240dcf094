/// Makes the clip of keys that a person set, and puts it into a character.
#include "anim/anim.h"
#include "anim/channel.h"
#include "anim/frames.h"
#include "anim/keys.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

/// The tangent of a rotation at an angular velocity about its own axes: q * v / 2.
static lmb_quat tangent_of(lmb_quat value, lmb_vec3 velocity)
{
    return lmb_quat_mul(value,
                        lmb_quat_make(0.5f * velocity.x, 0.5f * velocity.y, 0.5f * velocity.z, 0));
}

static void set_slope(lmb_clip *clip, const lmb_key_slope *slope)
{
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        const lmb_channel *channel = &clip->channels[c];
        if (channel->joint == slope->joint && lmbi_has_slopes(channel)) {
            const uint32_t k = lmbi_channel_find(channel, (double)slope->time_s, NULL).key;
            lmbi_rotation_key *key = lmbi_rotation_key_of(channel, k);
            key->in = tangent_of(key->value, slope->in);
            key->out = tangent_of(key->value, slope->out);
        }
    }
}

/// Channels of one key stay linear, as they come.
static void set_times(lmb_clip *draft, const lmb_keys *keys)
{
    for (uint32_t c = 0; c < draft->channel_count; ++c) {
        lmb_channel *channel = &draft->channels[c];
        if (channel->key_count == keys->key_count) {
            memcpy(channel->ticks, keys->times_s, keys->key_count * sizeof *keys->times_s);
        }
        channel->interpolation =
            keys->interpolation == LMB_STEP ? LMB_STEP : channel->interpolation;
    }
}

/// A channel of morph weights in seconds. False when out of memory.
static bool copy_weights(lmbi_arena *arena, const lmb_channel *from, float ticks_per_s,
                         lmb_channel *out)
{
    const bool is_cubic = from->interpolation == LMB_CUBIC;
    const size_t row = (size_t)from->width * (is_cubic ? 3 : 1);
    *out = *from;
    out->ticks = lmbi_arena_array(arena, from->key_count, sizeof *out->ticks);
    out->values = lmbi_arena_array(arena, from->key_count * row, sizeof *out->values);
    if (out->ticks == NULL || out->values == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < from->key_count; ++k) {
        out->ticks[k] = (float)((double)from->ticks[k] / (double)ticks_per_s);
        for (size_t i = 0; i < row; ++i) {
            const bool is_tangent = is_cubic && i / from->width != 1;
            out->values[k * row + i] = from->values[k * row + i] * (is_tangent ? ticks_per_s : 1);
        }
    }
    return true;
}

/// The clip, whose ticks are seconds, with the morph weights of another. Takes it over.
static lmb_result add_weights(lmb_clip **clip, const lmb_clip *from, const lmb_allocator *alloc,
                              lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    lmb_clip draft = **clip;
    bool done = (draft.channels =
                     lmbi_arena_array(&arena, (size_t)draft.channel_count + from->channel_count,
                                      sizeof *draft.channels)) != NULL;
    if (done) {
        memcpy(draft.channels, (*clip)->channels, draft.channel_count * sizeof *draft.channels);
    }
    for (uint32_t c = 0; done && c < from->channel_count; ++c) {
        const lmb_channel *channel = &from->channels[c];
        if (channel->path == LMB_PATH_WEIGHTS) {
            lmb_channel *copy = &draft.channels[draft.channel_count++];
            done = copy_weights(&arena, channel, lmbi_clip_rate(from), copy);
            draft.duration =
                done ? fmaxf(draft.duration, copy->ticks[copy->key_count - 1]) : draft.duration;
        }
    }
    draft.carried = from->carried;
    lmb_clip *whole = NULL;
    const lmb_result result =
        done ? lmb_clip_create(&draft, alloc, &whole, error) : lmbi_fail_memory(error);
    lmbi_arena_free(&arena);
    lmb_clip_destroy(*clip);
    *clip = whole;
    return result;
}

lmb_result lmbi_keys_clip(const lmb_skeleton *skeleton, const lmb_keys *keys,
                          const lmb_allocator *alloc, lmb_clip **out, lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    lmb_clip draft = {
        .name = keys->name, .ticks_per_s = 1, .duration = keys->times_s[keys->key_count - 1]};
    bool *whole = lmbi_arena_array(&arena, skeleton->joint_count, sizeof *whole);
    for (uint32_t k = 0; whole && k < keys->slope_count; ++k) {
        whole[keys->slopes[k].joint] = true;
    }
    if (whole) {
        whole[0] = true;
    }
    lmb_result result =
        whole && lmbi_frames_channels(&arena, skeleton, keys->poses, keys->key_count, whole, &draft)
            ? LMB_OK
            : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        set_times(&draft, keys);
        result = keys->interpolation == LMB_CUBIC
                     ? lmbi_clip_smooth(&draft, &(lmb_smooth_opts){0}, alloc, out, error)
                     : lmb_clip_create(&draft, alloc, out, error);
    }
    if (result == LMB_OK && keys->from) {
        result = add_weights(out, keys->from, alloc, error);
    }
    for (uint32_t k = 0; result == LMB_OK && k < keys->slope_count; ++k) {
        set_slope(*out, &keys->slopes[k]);
    }
    lmbi_arena_free(&arena);
    return result;
}

/// The clip before the others, without the one that it replaces.
static lmb_result put_first(lmb_character **character, lmb_clip *clip, const lmb_keys *keys,
                            lmbi_arena *arena, lmb_error *error)
{
    lmb_character *old = *character, def = *old;
    lmb_clip *gone = NULL;
    def.clips = lmbi_arena_array(arena, (size_t)old->clip_count + 1, sizeof *def.clips);
    if (def.clips == NULL) {
        return lmbi_fail_memory(error);
    }
    def.clip_count = 0;
    def.clips[def.clip_count++] = clip;
    for (uint32_t k = 0; k < old->clip_count; ++k) {
        if (old->clips[k] == keys->from) {
            gone = old->clips[k];
        } else {
            def.clips[def.clip_count++] = old->clips[k];
        }
    }
    const lmb_result result = lmb_character_create(&def, arena->alloc, character, error);
    if (result == LMB_OK) {
        lmb_character_release(old);
        lmb_clip_destroy(gone);
    }
    return result;
}

lmb_result lmb_keys_apply(lmb_character **character, const void *text, size_t size,
                          const lmb_allocator *alloc, lmb_keys_report *report, lmb_error *error)
{
    lmbi_arena arena;
    lmb_keys keys;
    lmb_keys_report counts;
    lmb_clip *clip = NULL;
    lmbi_arena_init(&arena, alloc);
    lmb_result result = lmbi_keys_read(&arena, *character, text, size, &keys, &counts, error);
    if (result == LMB_OK) {
        result = lmbi_keys_clip((*character)->skeleton, &keys, alloc, &clip, error);
    }
    if (result == LMB_OK) {
        result = put_first(character, clip, &keys, &arena, error);
        if (result != LMB_OK) {
            lmb_clip_destroy(clip);
        }
    }
    if (result == LMB_OK && report) {
        *report = counts;
    }
    lmbi_arena_free(&arena);
    return result;
}
