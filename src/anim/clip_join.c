#include <math.h>
#include <string.h>

#include "anim/channel.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "limber/anim.h"

#define CUBIC_RATE 60.0f ///< Hz, for cubics that become linear

typedef struct joiner {
    const lmb_clip *const *clips;
    uint32_t count;
    const lmb_skeleton *skeleton;
    lmbi_arena arena;
    float rate; ///< ticks a second of the result
} joiner;

static float rate_of(const lmb_clip *clip)
{
    return clip->ticks_per_s > 0 ? clip->ticks_per_s : 1.0f;
}

static const lmb_channel *find_channel(const lmb_clip *clip, uint32_t joint, lmb_path path)
{
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        if (clip->channels[c].joint == joint && clip->channels[c].path == path) {
            return &clip->channels[c];
        }
    }
    return NULL;
}

static void write_rest_value(const joiner *j, const lmb_channel *prototype, float *out)
{
    const lmb_transform *rest = &j->skeleton->rest[prototype->joint];
    if (prototype->path == LMB_PATH_WEIGHTS) {
        memset(out, 0, prototype->width * sizeof(float));
    } else if (prototype->path == LMB_PATH_ROTATION) {
        memcpy(out, &rest->rotation, 4 * sizeof(float));
    } else {
        memcpy(out, prototype->path == LMB_PATH_SCALE ? &rest->scale : &rest->translation,
               3 * sizeof(float));
    }
}

/// The interpolation that holds the channel of every clip.
static lmb_interpolation common_interpolation(const joiner *j, const lmb_channel *prototype)
{
    lmb_interpolation found = prototype->interpolation;
    for (uint32_t k = 0; k < j->count; ++k) {
        const lmb_channel *c = find_channel(j->clips[k], prototype->joint, prototype->path);
        if (c == NULL || c->interpolation != found) {
            found = c == NULL && found == LMB_STEP ? LMB_STEP : LMB_LINEAR;
        }
    }
    return found;
}

/// Upper bound of a part's keys: one more at each end, two per step, or a cubic's samples.
static size_t max_keys(const lmb_channel *channel, const lmb_clip *clip)
{
    if (channel == NULL) {
        return 2;
    }
    const size_t keys = 2 * (size_t)channel->key_count + 2;
    return channel->interpolation == LMB_CUBIC
               ? keys + (size_t)ceilf(lmb_clip_duration_s(clip) * CUBIC_RATE)
               : keys;
}

static float *append_key(lmb_channel *to, float tick, size_t floats)
{
    const float last = to->key_count > 0 ? to->ticks[to->key_count - 1] : tick;
    to->ticks[to->key_count] = fmaxf(tick, last);
    return to->values + floats * to->key_count++;
}

static void append_value_at(const lmb_channel *from, const lmb_clip *clip, float seconds,
                            float begin, const joiner *j, lmb_channel *to)
{
    float *value = append_key(to, (begin + seconds) * j->rate, to->width);
    lmbi_channel_at(from, (double)(seconds * rate_of(clip)), NULL, value);
}

/// Appends the keys of a clip that has the result's interpolation, with end values extended to the
/// clip's ends.
static void append_keys(const lmb_channel *from, const lmb_clip *clip, float begin, const joiner *j,
                        lmb_channel *to)
{
    const size_t floats = (size_t)from->width * (from->interpolation == LMB_CUBIC ? 3 : 1);
    const float scale = j->rate / rate_of(clip), end = lmb_clip_duration_s(clip);
    for (uint32_t k = 0; k < from->key_count + 2; ++k) {
        const bool is_first = k == 0, is_last = k == from->key_count + 1;
        const uint32_t key = is_first ? 0 : (is_last ? from->key_count - 1 : k - 1);
        const float seconds = is_first ? 0 : (is_last ? end : from->ticks[key] / rate_of(clip));
        if ((is_first && from->ticks[0] <= 0) ||
            (is_last && from->ticks[key] / rate_of(clip) >= end)) {
            continue;
        }
        float *value = append_key(to, (begin + seconds) * j->rate, floats);
        memcpy(value, from->values + key * floats, floats * sizeof(float));
        for (uint32_t i = 0; from->interpolation == LMB_CUBIC && i < from->width; ++i) {
            // An extended end is flat; tangents are per tick.
            value[i] = is_first || is_last ? 0 : value[i] / scale;
            value[2 * from->width + i] =
                is_first || is_last ? 0 : value[2 * from->width + i] / scale;
        }
    }
}

static void append_linear_keys(const lmb_channel *from, const lmb_clip *clip, float begin,
                               const joiner *j, lmb_channel *to)
{
    const float end = lmb_clip_duration_s(clip);
    if (from->interpolation == LMB_CUBIC) {
        const uint32_t steps = (uint32_t)ceilf(end * CUBIC_RATE);
        for (uint32_t k = 0; k <= steps; ++k) {
            append_value_at(from, clip, fminf((float)k / CUBIC_RATE, end), begin, j, to);
        }
        return;
    }
    for (uint32_t k = 0; k < from->key_count; ++k) {
        const float seconds = from->ticks[k] / rate_of(clip);
        if (k == 0 && seconds > 0) {
            append_value_at(from, clip, 0, begin, j, to);
        }
        if (k > 0 && from->interpolation == LMB_STEP) { // the previous value lasts until here
            float *previous = append_key(to, (begin + seconds) * j->rate, to->width);
            memcpy(previous, from->values + (size_t)(k - 1) * to->width, to->width * sizeof(float));
        }
        memcpy(append_key(to, (begin + seconds) * j->rate, to->width),
               from->values + (size_t)k * to->width, to->width * sizeof(float));
    }
    append_value_at(from, clip, end, begin, j, to);
}

static lmb_result join_channel(joiner *j, const lmb_channel *prototype, lmb_channel *to,
                               lmb_error *error)
{
    size_t capacity = 0;
    for (uint32_t k = 0; k < j->count; ++k) {
        const lmb_channel *c = find_channel(j->clips[k], prototype->joint, prototype->path);
        capacity += max_keys(c, j->clips[k]);
        if (c != NULL && c->width != prototype->width) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "channels of one width", "%u and %u",
                             prototype->width, c->width);
        }
    }
    *to = *prototype;
    to->interpolation = common_interpolation(j, prototype);
    to->key_count = 0;
    const size_t floats = (size_t)prototype->width * (to->interpolation == LMB_CUBIC ? 3 : 1);
    to->ticks = lmbi_arena_array(&j->arena, capacity, sizeof(float));
    to->values = lmbi_arena_array(&j->arena, lmbi_size_mul(capacity, floats), sizeof(float));
    if (capacity > UINT32_MAX || to->ticks == NULL || to->values == NULL) {
        return lmbi_fail_memory(error);
    }
    float begin = 0;
    for (uint32_t k = 0; k < j->count; ++k) {
        const lmb_channel *c = find_channel(j->clips[k], prototype->joint, prototype->path);
        const float end = begin + lmb_clip_duration_s(j->clips[k]);
        if (c == NULL) {
            write_rest_value(j, prototype, append_key(to, begin * j->rate, floats));
            write_rest_value(j, prototype, append_key(to, end * j->rate, floats));
        } else if (c->interpolation == to->interpolation) {
            append_keys(c, j->clips[k], begin, j, to);
        } else {
            append_linear_keys(c, j->clips[k], begin, j, to);
        }
        begin = end;
    }
    return LMB_OK;
}

static lmb_result join_channels(joiner *j, lmb_clip *draft, lmb_error *error)
{
    size_t most = 0;
    for (uint32_t k = 0; k < j->count; ++k) {
        most += j->clips[k]->channel_count;
    }
    draft->channels = lmbi_arena_array(&j->arena, most, sizeof(lmb_channel));
    draft->channel_count = 0;
    draft->duration = 0;
    lmb_result result = draft->channels != NULL ? LMB_OK : lmbi_fail_memory(error);
    for (uint32_t k = 0; k < j->count && result == LMB_OK; ++k) {
        const lmb_clip *clip = j->clips[k];
        draft->duration += lmb_clip_duration_s(clip) * j->rate;
        for (uint32_t c = 0; c < clip->channel_count && result == LMB_OK; ++c) {
            const lmb_channel *prototype = &clip->channels[c];
            const lmb_clip done = {.channel_count = draft->channel_count,
                                   .channels = draft->channels};
            if (prototype->joint >= j->skeleton->joint_count) {
                result = lmbi_fail(error, LMB_ERROR_INVALID, "channels of the skeleton's joints",
                                   "joint %u", prototype->joint);
            } else if (find_channel(&done, prototype->joint, prototype->path) == NULL) {
                result =
                    join_channel(j, prototype, &draft->channels[draft->channel_count++], error);
            }
        }
    }
    return result;
}

lmb_result lmb_clip_join(const lmb_clip *const *clips, uint32_t count, const lmb_skeleton *skeleton,
                         const lmb_allocator *alloc, lmb_clip **out, lmb_error *error)
{
    if (count == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "at least one clip", "none");
    }
    joiner j = {.clips = clips, .count = count, .skeleton = skeleton, .rate = rate_of(clips[0])};
    lmbi_arena_init(&j.arena, alloc);
    lmb_clip draft = *clips[0];
    lmb_result result = join_channels(&j, &draft, error);
    if (result == LMB_OK) {
        result = lmb_clip_create(&draft, alloc, out, error);
    }
    lmbi_arena_free(&j.arena);
    return result;
}
