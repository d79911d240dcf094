/// Keys of helper joints in every clip.
#include <string.h>

#include "author/helping.h"
#include "base/error.h"

/// Adds translation and rotation of all helpers, without keys' values.
static lmb_result add_channels(lmbi_help *h, lmb_clip *def, const float *ticks, uint32_t keys,
                               lmb_error *error)
{
    lmb_channel *channels = lmbi_arena_array(
        &h->c.arena, def->channel_count + 2 * (size_t)h->helpers->helper_count, sizeof *channels);
    if (!channels) {
        return lmbi_fail_memory(error);
    }
    memcpy(channels, def->channels, def->channel_count * sizeof *channels);
    def->channels = channels;
    for (uint32_t k = 0; k < 2 * h->helpers->helper_count; ++k) {
        lmb_channel *to = &channels[def->channel_count++];
        *to = (lmb_channel){.joint = h->joint_count + k / 2,
                            .path = k % 2 ? LMB_PATH_ROTATION : LMB_PATH_TRANSLATION,
                            .width = k % 2 ? 4 : 3,
                            .key_count = keys,
                            .ticks = (float *)(uintptr_t)ticks};
        to->values = lmbi_arena_array(&h->c.arena, keys, to->width * sizeof(float));
        if (!to->values) {
            return lmbi_fail_memory(error);
        }
    }
    return LMB_OK;
}

/// Fills the helpers' values of one key; neighbouring rotations are of one sign.
static void fill_key(const lmbi_help *h, lmb_channel *channels, uint32_t key,
                     const lmb_transform *local)
{
    for (uint32_t k = 0; k < h->helpers->helper_count; ++k) {
        const lmb_transform *t = &local[h->joint_count + k];
        float *rotation = channels[2 * k + 1].values + 4 * (size_t)key;
        memcpy(channels[2 * k].values + 3 * (size_t)key, &t->translation, 3 * sizeof(float));
        memcpy(rotation, &t->rotation, 4 * sizeof(float));
        float dot = 0;
        for (int e = 0; key > 0 && e < 4; ++e) {
            dot += rotation[e] * rotation[e - 4];
        }
        for (int e = 0; dot < 0 && e < 4; ++e) {
            rotation[e] = -rotation[e];
        }
    }
}

static lmb_result copy_clip(lmbi_help *h, uint32_t clip, float *times, lmb_transform *local,
                            const lmb_allocator *alloc, lmb_error *error)
{
    lmb_clip def = *h->c.character->clips[clip];
    lmbi_correction view = h->c;
    view.character = &h->def;
    const uint32_t keys = lmbi_correct_times(&h->c, clip, times, lmbi_correct_time_room(&h->c));
    const uint32_t first = def.channel_count;
    float *ticks = lmbi_arena_array(&h->c.arena, keys, sizeof *ticks);
    if (!ticks) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < keys; ++k) {
        ticks[k] = times[k] * (def.ticks_per_s > 0 ? def.ticks_per_s : 1);
    }
    const lmb_result result = add_channels(h, &def, ticks, keys, error);
    if (result != LMB_OK) {
        return result;
    }
    for (uint32_t k = 0; k < keys; ++k) {
        lmbi_correct_sample(&view, clip, (double)times[k], local);
        lmbi_help_pose(h, local);
        fill_key(h, def.channels + first, k, local);
    }
    return lmb_clip_create(&def, alloc, &h->def.clips[clip], error);
}

lmb_result lmbi_help_bake(lmbi_help *h, const lmb_allocator *alloc, lmb_error *error)
{
    float *times = lmbi_arena_array(&h->c.arena, lmbi_correct_time_room(&h->c), sizeof *times);
    lmb_transform *local =
        lmbi_arena_array(&h->c.arena, h->def.skeleton->joint_count, sizeof *local);
    lmb_result result = times && local ? LMB_OK : lmbi_fail_memory(error);
    for (uint32_t k = 0; result == LMB_OK && k < h->def.clip_count; ++k) {
        result = copy_clip(h, k, times, local, alloc, error);
    }
    return result;
}
