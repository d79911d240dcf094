#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "limber/anim.h"

static size_t floats_of(const lmb_channel *channel)
{
    return (size_t)channel->width * (channel->interpolation == LMB_CUBIC ? 3 : 1);
}

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

static bool reverse_channel(lmbi_arena *arena, const lmb_clip *clip, const lmb_channel *from,
                            lmb_channel *to)
{
    const size_t floats = floats_of(from);
    *to = *from;
    to->ticks = lmbi_arena_array(arena, from->key_count, sizeof(float));
    to->values = lmbi_arena_array(arena, lmbi_size_mul(from->key_count, floats), sizeof(float));
    if (to->ticks == NULL || to->values == NULL) {
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

lmb_result lmb_clip_reverse(const lmb_clip *clip, const lmb_allocator *alloc, lmb_clip **out,
                            lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    lmb_clip draft = *clip;
    draft.channels = lmbi_arena_array(&arena, clip->channel_count, sizeof(lmb_channel));
    bool built = draft.channels != NULL;
    for (uint32_t c = 0; built && c < clip->channel_count; ++c) {
        built = reverse_channel(&arena, clip, &clip->channels[c], &draft.channels[c]);
    }
    const lmb_result result =
        built ? lmb_clip_create(&draft, alloc, out, error) : lmbi_fail_memory(error);
    lmbi_arena_free(&arena);
    return result;
}
