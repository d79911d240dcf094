#include "io/clip_pose.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

/// Fraction of the interval to the next key within which a time counts as that key's, so that
/// rounding of times does not blur the key's own values.
#define ON_KEY 1e-3

static const float *key_value(const lmb_channel *channel, uint32_t key)
{
    const size_t width = channel->width;
    return channel->interpolation == LMB_CUBIC ? channel->values + (3 * (size_t)key + 1) * width
                                               : channel->values + (size_t)key * width;
}

/// The last key at or before the tick, or 0.
static uint32_t find_key(const lmb_channel *channel, double tick, uint32_t hint)
{
    uint32_t key = hint < channel->key_count && (double)channel->ticks[hint] <= tick ? hint : 0;
    while (key + 1 < channel->key_count && (double)channel->ticks[key + 1] <= tick) {
        ++key;
    }
    return key;
}

/// Cubic Hermite: glTF 2.0, appendix C.4; tangents are per tick.
static void interpolate_cubic(const lmb_channel *channel, uint32_t key, float s, float span,
                              float *out)
{
    const size_t width = channel->width;
    const float *a = channel->values + 3 * (size_t)key * width, *b = a + 3 * width;
    const float s2 = s * s, s3 = s2 * s;
    for (size_t i = 0; i < width; ++i) {
        const float v0 = a[width + i], out0 = a[2 * width + i], in1 = b[i], v1 = b[width + i];
        out[i] = (2 * s3 - 3 * s2 + 1) * v0 + span * (s3 - 2 * s2 + s) * out0 +
                 (3 * s2 - 2 * s3) * v1 + span * (s3 - s2) * in1;
    }
}

static void interpolate(const lmb_channel *channel, uint32_t key, float s, float span, float *out)
{
    const float *a = key_value(channel, key), *b = key_value(channel, key + 1);
    if (channel->interpolation == LMB_CUBIC) {
        interpolate_cubic(channel, key, s, span, out);
        return;
    }
    if (channel->path == LMB_PATH_ROTATION) {
        const lmb_quat q = lmb_quat_slerp(lmb_quat_make(a[0], a[1], a[2], a[3]),
                                          lmb_quat_make(b[0], b[1], b[2], b[3]), s);
        memcpy(out, &q, sizeof q);
        return;
    }
    for (uint32_t i = 0; i < channel->width; ++i) {
        out[i] = a[i] + (b[i] - a[i]) * s;
    }
}

static void sample_channel(const lmb_channel *channel, double tick, uint32_t *hint, float *out)
{
    uint32_t key = find_key(channel, tick, *hint);
    double from = (double)channel->ticks[key], span = 0, fraction = 0;
    *hint = key;
    if (key + 1 < channel->key_count) {
        span = (double)channel->ticks[key + 1] - from;
        fraction = (tick - from) / span;
        if (fraction > 1 - ON_KEY) {
            ++key;
            fraction = 0;
        }
    }
    if (fraction < ON_KEY || channel->interpolation == LMB_STEP) {
        memcpy(out, key_value(channel, key), channel->width * sizeof(float));
        return;
    }
    interpolate(channel, key, (float)fraction, (float)span, out);
}

void lmbi_clip_pose(const lmb_skeleton *skeleton, const lmb_clip *clip, double tick,
                    uint32_t *hints, lmb_transform *local)
{
    memcpy(local, skeleton->rest, skeleton->joint_count * sizeof *local);
    for (uint32_t i = 0; i < clip->channel_count; ++i) {
        const lmb_channel *channel = &clip->channels[i];
        float v[4];
        if (channel->path == LMB_PATH_WEIGHTS || channel->joint >= skeleton->joint_count ||
            channel->width > 4) {
            continue;
        }
        sample_channel(channel, tick, &hints[i], v);
        lmb_transform *t = &local[channel->joint];
        if (channel->path == LMB_PATH_ROTATION) {
            t->rotation = lmb_quat_normalize(lmb_quat_make(v[0], v[1], v[2], v[3]));
        } else if (channel->path == LMB_PATH_TRANSLATION) {
            t->translation = lmb_vec3_make(v[0], v[1], v[2]);
        } else {
            t->scale = lmb_vec3_make(v[0], v[1], v[2]);
        }
    }
}

lmb_result lmbi_clip_cut(const lmb_clip *clip, double frame_time_s, lmbi_clip_frames *out,
                         lmb_error *error)
{
    const double rate = clip->ticks_per_s > 0 ? (double)clip->ticks_per_s : 1;
    double ticks = rate * frame_time_s;
    if (fabs(ticks - 1) < 1e-5) {
        ticks = 1; // one tick a frame: a rounded rate would drift off the keys over a long clip
    }
    const double count = floor((double)clip->duration / ticks + 1e-3) + 1;
    if (!(count >= 1 && count <= 1e8)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "at most 100 million frames", "%g", count);
    }
    *out = (lmbi_clip_frames){ticks, (uint32_t)count};
    return LMB_OK;
}
