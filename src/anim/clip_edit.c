#include <math.h>
#include <string.h>

#include "anim/anim.h"
#include "anim/channel.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "limber/anim.h"

/// Creates a clip from the draft and frees the arena that holds the draft's channels.
lmb_result lmbi_clip_edit(const lmb_clip *clip, lmbi_channel_edit edit, const void *context,
                          const lmb_allocator *alloc, lmb_clip **out, lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    lmb_clip draft = *clip;
    draft.channels = lmbi_arena_array(&arena, clip->channel_count, sizeof(lmb_channel));
    bool built = draft.channels != NULL;
    for (uint32_t c = 0; built && c < clip->channel_count; ++c) {
        built = edit(&arena, context, &clip->channels[c], &draft.channels[c]);
    }
    const lmb_result result =
        built ? lmb_clip_create(&draft, alloc, out, error) : lmbi_fail_memory(error);
    lmbi_arena_free(&arena);
    return result;
}

// --------------------------------------------------------------------------------------- resample

/// Floats per key.
static size_t key_size(const lmb_channel *channel)
{
    return (size_t)channel->width * (channel->interpolation == LMB_CUBIC ? 3 : 1);
}

static bool alloc_keys(lmbi_arena *arena, lmb_channel *channel)
{
    channel->ticks = lmbi_arena_array(arena, channel->key_count, sizeof(float));
    channel->values = lmbi_arena_array(arena, lmbi_size_mul(channel->key_count, key_size(channel)),
                                       sizeof(float));
    return channel->ticks != NULL && channel->values != NULL;
}

static bool copy_step(lmbi_arena *arena, const lmb_channel *from, float frames_per_tick,
                      lmb_channel *to)
{
    *to = *from;
    if (!alloc_keys(arena, to)) {
        return false;
    }
    for (uint32_t k = 0; k < from->key_count; ++k) {
        to->ticks[k] = from->ticks[k] * frames_per_tick;
    }
    memcpy(to->values, from->values, (size_t)from->key_count * from->width * sizeof(float));
    return true;
}

typedef struct resampling {
    float frames_per_tick;
    float last_frame; ///< may be fractional
} resampling;

/// Resamples at every frame and at the last.
static bool resample_channel(lmbi_arena *arena, const void *context, const lmb_channel *from,
                             lmb_channel *to)
{
    const resampling *r = context;
    if (from->interpolation == LMB_STEP) {
        return copy_step(arena, from, r->frames_per_tick, to);
    }
    *to = *from;
    to->interpolation = LMB_LINEAR;
    to->key_count = from->key_count == 1 ? 1 : 1 + (uint32_t)ceilf(r->last_frame);
    if (!alloc_keys(arena, to)) {
        return false;
    }
    uint32_t cursor = 0;
    for (uint32_t k = 0; k < to->key_count; ++k) {
        to->ticks[k] = fminf((float)k, r->last_frame);
        lmbi_channel_at(from, (double)to->ticks[k] / (double)r->frames_per_tick, &cursor,
                        to->values + (size_t)k * to->width);
    }
    return true;
}

lmb_result lmbi_clip_resample(const lmb_clip *clip, float rate_hz, const lmb_allocator *alloc,
                              lmb_clip **out, lmb_error *error)
{
    const float frames_per_tick = rate_hz / lmbi_clip_rate(clip);
    float last_frame = clip->duration * frames_per_tick;
    if (!(rate_hz > 0) || !(last_frame < 1e7f)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a rate that gives up to 10 million keys",
                         "%g Hz", (double)rate_hz);
    }
    // A duration within rounding of a whole frame ends on that frame.
    const float whole = roundf(last_frame);
    last_frame = fabsf(last_frame - whole) <= 1e-4f ? whole : last_frame;
    lmb_clip draft = *clip;
    draft.ticks_per_s = draft.frame_rate = rate_hz;
    draft.duration = last_frame;
    return lmbi_clip_edit(&draft, resample_channel, &(resampling){frames_per_tick, last_frame},
                          alloc, out, error);
}

// ------------------------------------------------------------------------------------------- trim

static float *append_key(lmb_channel *to, double tick)
{
    to->ticks[to->key_count] = (float)tick;
    return to->values + (size_t)to->key_count++ * key_size(to);
}

/// Appends a key at a cut, for cubic channels with the slope as tangents: part of a cubic is the
/// cubic through the values and slopes at its own ends.
static void append_cut(const lmb_channel *from, double tick, double begin, lmb_channel *to)
{
    const lmbi_key_position position = lmbi_channel_find(from, tick, NULL);
    float *key = append_key(to, tick - begin);
    if (from->interpolation != LMB_CUBIC) {
        lmbi_channel_value(from, position, key);
        return;
    }
    lmbi_channel_slope(from, position, key);
    lmbi_channel_value(from, position, key + from->width);
    memcpy(key + 2 * (size_t)from->width, key, from->width * sizeof(float));
}

typedef struct tick_range {
    double begin, end;
} tick_range;

static bool trim_channel(lmbi_arena *arena, const void *context, const lmb_channel *from,
                         lmb_channel *to)
{
    const double begin = ((const tick_range *)context)->begin,
                 end = ((const tick_range *)context)->end;
    *to = *from;
    to->key_count = from->key_count + 2;
    if (!alloc_keys(arena, to)) {
        return false;
    }
    to->key_count = 0;
    const double first = (double)from->ticks[0], last = (double)from->ticks[from->key_count - 1];
    if (first < begin || first > end) {
        append_cut(from, begin, begin, to);
    }
    for (uint32_t k = 0; k < from->key_count; ++k) {
        const double tick = (double)from->ticks[k];
        if (tick >= begin && tick <= end && !(tick <= begin && to->key_count > 0)) {
            memcpy(append_key(to, tick - begin), from->values + k * key_size(from),
                   key_size(from) * sizeof(float));
        }
    }
    const bool ends_early =
        to->key_count > 0 && (double)to->ticks[to->key_count - 1] < (double)(float)(end - begin);
    if (ends_early && last > end && from->interpolation != LMB_STEP) {
        append_cut(from, end, begin, to);
    }
    return true;
}

lmb_result lmbi_clip_trim(const lmb_clip *clip, double begin_s, double end_s,
                          const lmb_allocator *alloc, lmb_clip **out, lmb_error *error)
{
    if (!(begin_s >= 0) || !(end_s > begin_s) || !isfinite(end_s)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "times that rise from 0 or later", "%g to %g",
                         begin_s, end_s);
    }
    const double rate = (double)lmbi_clip_rate(clip);
    const double begin = begin_s * rate, end = fmin(end_s * rate, (double)clip->duration);
    if (begin > end) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a beginning within the clip",
                         "%g s of a clip of %g s", begin_s, (double)clip->duration / rate);
    }
    lmb_clip draft = *clip;
    draft.duration = (float)(end - begin);
    return lmbi_clip_edit(&draft, trim_channel, &(tick_range){begin, end}, alloc, out, error);
}

// ----------------------------------------------------------------------------------------- reverse

/// A step lasts from its key to the next: reversed, it starts where the next key was.
static float reversed_tick(const lmb_clip *clip, const lmb_channel *from, uint32_t key)
{
    if (from->interpolation != LMB_STEP) {
        return clip->duration - from->ticks[key];
    }
    return key + 1 < from->key_count ? clip->duration - from->ticks[key + 1] : 0;
}

/// Swaps in and out tangents and negates them.
static void reverse_tangents(float *key, uint32_t width)
{
    for (uint32_t i = 0; i < width; ++i) {
        const float in = key[i];
        key[i] = -key[2 * width + i];
        key[2 * width + i] = -in;
    }
}

static bool reverse_channel(lmbi_arena *arena, const void *context, const lmb_channel *from,
                            lmb_channel *to)
{
    const lmb_clip *clip = context;
    const size_t floats = key_size(from);
    *to = *from;
    if (!alloc_keys(arena, to)) {
        return false;
    }
    for (uint32_t k = 0; k < from->key_count; ++k) {
        const uint32_t key = from->key_count - 1 - k;
        float *value = to->values + k * floats;
        to->ticks[k] = fmaxf(0, reversed_tick(clip, from, key));
        memcpy(value, from->values + key * floats, floats * sizeof(float));
        if (from->interpolation == LMB_CUBIC) {
            reverse_tangents(value, from->width);
        }
    }
    return true;
}

lmb_result lmbi_clip_reverse(const lmb_clip *clip, const lmb_allocator *alloc, lmb_clip **out,
                             lmb_error *error)
{
    return lmbi_clip_edit(clip, reverse_channel, clip, alloc, out, error);
}
