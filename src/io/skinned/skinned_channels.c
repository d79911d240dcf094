#include <string.h>

#include "io/skinned/skinned.h"

static uint32_t width_of(lmb_path path)
{
    return path == LMB_PATH_ROTATION ? 4 : 3;
}

static const float *value_of(const lmb_transform *t, lmb_path path)
{
    switch (path) {
    case LMB_PATH_ROTATION:
        return &t->rotation.x;
    case LMB_PATH_SCALE:
        return &t->scale.x;
    default:
        return &t->translation.x;
    }
}

/// One key for a constant value, else one a frame. Quaternions take the sign nearer to the previous
/// frame.
static void fill_keys(const lmbi_skinned *s, const lmbi_skinned_clip *clip, lmb_channel *channel)
{
    for (uint32_t f = 0; f < channel->key_count; ++f) {
        float *at = channel->values + (size_t)f * channel->width;
        const lmb_transform *pose = &clip->poses[(size_t)f * s->joint_count + channel->joint];
        memcpy(at, value_of(pose, channel->path), channel->width * sizeof(float));
        channel->ticks[f] = (float)f;
        if (channel->path == LMB_PATH_ROTATION && f > 0) {
            const float *before = at - 4;
            const float side =
                at[0] * before[0] + at[1] * before[1] + at[2] * before[2] + at[3] * before[3];
            for (int i = 0; i < 4 && side < 0; ++i) {
                at[i] = -at[i];
            }
        }
    }
}

static bool stands_still(const lmbi_skinned *s, const lmbi_skinned_clip *clip, uint32_t joint,
                         lmb_path path)
{
    const size_t size = width_of(path) * sizeof(float);
    const float *first = value_of(&clip->poses[joint], path);
    for (uint32_t f = 1; f < clip->frame_count; ++f) {
        const lmb_transform *pose = &clip->poses[(size_t)f * s->joint_count + joint];
        if (memcmp(first, value_of(pose, path), size) != 0) {
            return false;
        }
    }
    return true;
}

static bool add_channel(lmbi_skinned *s, const lmbi_skinned_clip *clip, uint32_t joint,
                        lmb_path path, lmb_clip *out)
{
    const bool still = stands_still(s, clip, joint, path);
    const size_t size = width_of(path) * sizeof(float);
    if (still &&
        memcmp(value_of(&clip->poses[joint], path), value_of(&s->rest[joint], path), size) == 0) {
        return true;
    }
    lmb_channel *channel = &out->channels[out->channel_count++];
    *channel = (lmb_channel){.joint = joint,
                             .path = path,
                             .width = width_of(path),
                             .key_count = still ? 1 : clip->frame_count};
    channel->ticks = lmbi_arena_array(&s->arena, channel->key_count, sizeof(float));
    channel->values = lmbi_arena_array(&s->arena, channel->key_count, size);
    if (channel->ticks == NULL || channel->values == NULL) {
        return false;
    }
    fill_keys(s, clip, channel);
    return true;
}

bool lmbi_skinned_channels(lmbi_skinned *s, const lmbi_skinned_clip *clip, lmb_clip *out)
{
    *out = (lmb_clip){.name = clip->name,
                      .ticks_per_s = clip->frame_rate,
                      .frame_rate = clip->frame_rate,
                      .duration = clip->frame_count > 0 ? (float)(clip->frame_count - 1) : 0};
    out->channels = lmbi_arena_array(&s->arena, s->joint_count, 3 * sizeof *out->channels);
    bool done = out->channels != NULL;
    for (uint32_t j = 0; done && clip->frame_count > 0 && j < s->joint_count; ++j) {
        done = add_channel(s, clip, j, LMB_PATH_TRANSLATION, out) &&
               add_channel(s, clip, j, LMB_PATH_ROTATION, out) &&
               add_channel(s, clip, j, LMB_PATH_SCALE, out);
    }
    return done;
}
