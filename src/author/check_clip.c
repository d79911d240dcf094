/// The rules of clips.
#include "author/check.h"

static const lmbi_check_rule times_fall = {"LMB-CLIP-001", LMB_SEVERITY_ERROR,
                                           "keys that are earlier than the one before"};
static const lmbi_check_rule times_equal = {"LMB-CLIP-002", LMB_SEVERITY_NOTE,
                                            "keys at the time of the one before"};
static const lmbi_check_rule bad_key = {"LMB-CLIP-003", LMB_SEVERITY_ERROR,
                                        "key values that are not finite"};
static const lmbi_check_rule long_rotation = {"LMB-CLIP-004", LMB_SEVERITY_WARNING,
                                              "rotation keys that are not unit"};
static const lmbi_check_rule zero_scale_key = {"LMB-CLIP-005", LMB_SEVERITY_WARNING,
                                               "scale keys of 0"};
static const lmbi_check_rule same_channel = {"LMB-CLIP-006", LMB_SEVERITY_ERROR,
                                             "channels that move what another one moves"};
static const lmbi_check_rule late_start = {"LMB-CLIP-007", LMB_SEVERITY_NOTE,
                                           "channels whose first key is not at 0"};
static const lmbi_check_rule no_channels = {"LMB-CLIP-008", LMB_SEVERITY_WARNING,
                                            "clip that moves nothing"};

static bool same_target(const lmb_channel *a, const lmb_channel *b)
{
    return a->joint == b->joint && a->path == b->path;
}

static bool all_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

typedef struct key_tallies {
    lmbi_check_tally fall, equal, bad, rotations, zero, repeated, late;
} key_tallies;

static void check_channel(const lmb_channel *channel, uint32_t c, key_tallies *t)
{
    const uint32_t per_key = channel->interpolation == LMB_CUBIC ? 3 : 1;
    for (uint32_t k = 0; k < channel->key_count; ++k) {
        const float *key = channel->values + (size_t)k * per_key * channel->width;
        const float *value = per_key == 3 ? key + channel->width : key;
        lmbi_check_count(&t->fall, k > 0 && channel->ticks[k] < channel->ticks[k - 1], c);
        lmbi_check_count(&t->equal,
                         k > 0 && !(channel->ticks[k] < channel->ticks[k - 1]) &&
                             !(channel->ticks[k] > channel->ticks[k - 1]),
                         c);
        lmbi_check_count(
            &t->bad,
            !all_finite(key, (size_t)per_key * channel->width) || !isfinite(channel->ticks[k]), c);
        if (channel->path == LMB_PATH_ROTATION) {
            const float square = value[0] * value[0] + value[1] * value[1] + value[2] * value[2] +
                                 value[3] * value[3];
            lmbi_check_count(&t->rotations, !lmbi_check_is_unit(square), c);
        } else if (channel->path == LMB_PATH_SCALE) {
            lmbi_check_count(&t->zero,
                             lmbi_check_is_flat(lmb_vec3_make(value[0], value[1], value[2])), c);
        }
    }
    lmbi_check_count(&t->late, channel->ticks[0] > 0, c);
}

static void check_clip(lmbi_check *check, const lmb_clip *clip, const char *location)
{
    key_tallies t = {0};
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        check_channel(&clip->channels[c], c, &t);
        bool repeated = false;
        // Channels of one joint lie together in what tools write; a full search would be quadratic.
        for (uint32_t other = c > 8 ? c - 8 : 0; other < c; ++other) {
            repeated = repeated || same_target(&clip->channels[other], &clip->channels[c]);
        }
        lmbi_check_count(&t.repeated, repeated, c);
    }
    lmbi_check_add(check, &times_fall, location, t.fall);
    lmbi_check_add(check, &times_equal, location, t.equal);
    lmbi_check_add(check, &bad_key, location, t.bad);
    lmbi_check_add(check, &long_rotation, location, t.rotations);
    lmbi_check_add(check, &zero_scale_key, location, t.zero);
    lmbi_check_add(check, &same_channel, location, t.repeated);
    lmbi_check_add(check, &late_start, location, t.late);
    lmbi_check_add(check, &no_channels, location, (lmbi_check_tally){clip->channel_count == 0, 0});
}

void lmbi_check_clips(lmbi_check *check, const lmb_character *character)
{
    for (uint32_t c = 0; c < character->clip_count; ++c) {
        char location[96];
        lmbi_check_locate(location, "clip", c, character->clips[c]->name);
        check_clip(check, character->clips[c], location);
    }
}
