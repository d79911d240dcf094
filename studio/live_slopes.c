// Slopes of keys that a person sets: tangents of cubic channels of rotations (live_exports.h).
#include "live_slopes.h"
#include "live_exports.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// In-tangent, value and out-tangent of a key of a rotation.
typedef struct rotation_key {
    lmb_quat in, value, out;
} rotation_key;

static rotation_key *key_of(const lmb_channel *channel, uint32_t key)
{
    return (rotation_key *)(void *)(channel->values + (size_t)12 * key);
}

static bool has_slopes(const lmb_channel *channel)
{
    return channel->path == LMB_PATH_ROTATION && channel->interpolation == LMB_CUBIC;
}

static lmb_channel *rotations_of(const lmb_clip *clip, uint32_t joint)
{
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        if (clip->channels[c].joint == joint && has_slopes(&clip->channels[c])) {
            return &clip->channels[c];
        }
    }
    return NULL;
}

static double ticks_per_s(const lmb_clip *clip)
{
    return clip->ticks_per_s > 0 ? (double)clip->ticks_per_s : 1;
}

static double time_of(const lmb_clip *clip, const lmb_channel *channel, uint32_t key)
{
    return (double)channel->ticks[key] / ticks_per_s(clip);
}

/// The key within a tenth of a millisecond of a time, in seconds; -1 when there is none.
static int32_t key_at(const lmb_clip *clip, const lmb_channel *channel, double time_s)
{
    for (uint32_t k = 0; k < channel->key_count; ++k) {
        if (fabs(time_of(clip, channel, k) - time_s) < 1e-4) {
            return (int32_t)k;
        }
    }
    return -1;
}

/// The clip with the slopes that smoothing gives its keys. NULL, with an error, when memory ends.
static lmb_clip *smoothed(const lmb_clip *clip)
{
    lmb_clip *straight = NULL, *out = NULL;
    lmb_error error = {0};
    lmb_result result = lmb_clip_create(clip, NULL, &straight, &error);
    for (uint32_t c = 0; result == LMB_OK && c < straight->channel_count; ++c) {
        lmb_channel *channel = &straight->channels[c];
        if (has_slopes(channel)) {
            for (uint32_t k = 0; k < channel->key_count; ++k) {
                memmove(channel->values + (size_t)4 * k, &key_of(channel, k)->value,
                        sizeof(lmb_quat));
            }
            channel->interpolation = LMB_LINEAR;
        }
    }
    if (result == LMB_OK) {
        result =
            lmb_clip_apply(straight, &(lmb_clip_edit){.op = LMB_CLIP_SMOOTH}, NULL, &out, &error);
    }
    lmb_clip_destroy(straight);
    if (result != LMB_OK) {
        (void)live_fail_call("the slopes", &error);
    }
    return out;
}

static float difference(lmb_quat a, lmb_quat b)
{
    return fmaxf(fmaxf(fabsf(a.x - b.x), fabsf(a.y - b.y)),
                 fmaxf(fabsf(a.z - b.z), fabsf(a.w - b.w)));
}

/// A slope as it is from another rotation: the same angular velocity about the joint's own axes.
static lmb_quat carried(lmb_quat slope, lmb_quat from, lmb_quat to)
{
    return lmb_quat_mul(lmb_quat_mul(to, lmb_quat_conjugate(from)), slope);
}

bool live_slopes_keep(const lmb_clip *old, lmb_clip *made)
{
    lmb_clip *automatic = smoothed(old);
    for (uint32_t c = 0; automatic != NULL && c < old->channel_count; ++c) {
        const lmb_channel *was = &old->channels[c];
        lmb_channel *now = has_slopes(was) ? rotations_of(made, was->joint) : NULL;
        const lmb_channel *plain = now ? rotations_of(automatic, was->joint) : NULL;
        for (uint32_t k = 0; plain != NULL && k < was->key_count; ++k) {
            const rotation_key *set = key_of(was, k), *free_of = key_of(plain, k);
            const int32_t at = key_at(made, now, time_of(old, was, k));
            // Files hold tangents as floats.
            if (at < 0 || (difference(set->in, free_of->in) < 1e-3f &&
                           difference(set->out, free_of->out) < 1e-3f)) {
                continue;
            }
            rotation_key *key = key_of(now, (uint32_t)at);
            key->in = carried(set->in, set->value, key->value);
            key->out = carried(set->out, set->value, key->value);
        }
    }
    lmb_clip_destroy(automatic);
    return automatic != NULL;
}

EXPORT(limber_clip_slope)
int limber_clip_slope(int handle, uint32_t clip, uint32_t joint, double time_s,
                      const float *velocity)
{
    live_character *live = live_find_joint(handle, joint);
    if (live == NULL) {
        return 0;
    }
    if (clip >= live->character->clip_count) {
        return live_fail("there is no clip %u, there are %u", (unsigned)clip,
                         (unsigned)live->character->clip_count);
    }
    if (velocity != NULL &&
        !(isfinite(velocity[0]) && isfinite(velocity[1]) && isfinite(velocity[2]))) {
        return live_fail("expected an angular velocity of three finite numbers");
    }
    lmb_clip *edited = live->character->clips[clip];
    lmb_channel *channel = rotations_of(edited, joint);
    const int32_t at = channel != NULL ? key_at(edited, channel, time_s) : -1;
    if (at < 0) {
        return live_fail("joint %u has no smooth key at %.4f s", (unsigned)joint, time_s);
    }
    rotation_key *key = key_of(channel, (uint32_t)at);
    if (velocity == NULL) {
        lmb_clip *automatic = smoothed(edited);
        const lmb_channel *plain = automatic != NULL ? rotations_of(automatic, joint) : NULL;
        if (plain != NULL) {
            *key = *key_of(plain, (uint32_t)at);
        }
        lmb_clip_destroy(automatic);
        return plain != NULL;
    }
    const float per_tick = 0.5f / (float)ticks_per_s(edited);
    key->in = key->out =
        lmb_quat_mul(key->value, lmb_quat_make(per_tick * velocity[0], per_tick * velocity[1],
                                               per_tick * velocity[2], 0));
    return 1;
}
