#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/block.h"
#include "base/error.h"
#include "limber/asset.h"

static size_t value_count(const lmb_channel *channel)
{
    const size_t per_key = channel->interpolation == LMB_CUBIC ? 3 : 1;
    return lmbi_size_mul(lmbi_size_mul(channel->key_count, channel->width), per_key);
}

static lmb_result check_channel(const lmb_channel *channel, uint32_t c, lmb_error *error)
{
    const uint32_t width = channel->path == LMB_PATH_ROTATION ? 4 : 3;
    if (channel->path != LMB_PATH_WEIGHTS && channel->width != width) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "3 floats a key, 4 for rotations",
                         "channel %u has %u", c, channel->width);
    }
    if (channel->key_count == 0 || channel->width == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "at least one key", "channel %u is empty", c);
    }
    for (uint32_t k = 0; k < channel->key_count; ++k) {
        if (!isfinite(channel->ticks[k]) || (k > 0 && channel->ticks[k] < channel->ticks[k - 1])) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "key times that rise",
                             "key %u of channel %u does not", k, c);
        }
    }
    const size_t count = value_count(channel);
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(channel->values[i])) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "finite values",
                             "value %llu of channel %u is not", (unsigned long long)i, c);
        }
    }
    return LMB_OK;
}

static void *copy_clip(lmbi_block *block, const void *definition)
{
    const lmb_clip *def = definition;
    lmb_clip copy = *def;
    lmb_clip *clip = lmbi_block_array(block, def, 1, sizeof *def);
    copy.name = lmbi_block_string(block, def->name);
    copy.carried = lmbi_block_string(block, def->carried);
    copy.channels = lmbi_block_array(block, def->channels, def->channel_count, sizeof(lmb_channel));
    for (uint32_t c = 0; c < def->channel_count; ++c) {
        const lmb_channel *channel = &def->channels[c];
        float *ticks = lmbi_block_array(block, channel->ticks, channel->key_count, sizeof(float));
        float *values =
            lmbi_block_array(block, channel->values, value_count(channel), sizeof(float));
        if (copy.channels) {
            copy.channels[c].ticks = ticks;
            copy.channels[c].values = values;
        }
    }
    if (clip) {
        *clip = copy;
    }
    return clip;
}

lmb_result lmb_clip_create(const lmb_clip *def, const lmb_allocator *alloc, lmb_clip **out,
                           lmb_error *error)
{
    for (uint32_t c = 0; c < def->channel_count; ++c) {
        const lmb_result result = check_channel(&def->channels[c], c, error);
        if (result != LMB_OK) {
            return result;
        }
    }
    lmb_clip *clip = lmbi_block_build(copy_clip, def, alloc);
    if (clip == NULL) {
        return lmbi_fail_memory(error);
    }
    clip->allocator = alloc ? *alloc : (lmb_allocator){0};
    *out = clip;
    return LMB_OK;
}

void lmb_clip_destroy(lmb_clip *clip)
{
    if (clip) {
        lmbi_free_own(&clip->allocator, clip);
    }
}

float lmb_clip_duration_s(const lmb_clip *clip)
{
    return clip->duration / (clip->ticks_per_s > 0 ? clip->ticks_per_s : 1.0f);
}
