#include "anim/channel.h"

#include <math.h>
#include <string.h>

#include "limber/anim.h"

/// The last key at or before `tick`; the tick is at or after the first key.
static uint32_t search_key(const lmb_channel *channel, double tick)
{
    uint32_t low = 0, high = channel->key_count; // ticks[low] <= tick < ticks[high]
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if ((double)channel->ticks[middle] <= tick) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_between(const lmb_channel *channel, uint32_t key, double tick)
{
    return key < channel->key_count && (double)channel->ticks[key] <= tick &&
           (key + 1 == channel->key_count || tick < (double)channel->ticks[key + 1]);
}

static uint32_t find_key(const lmb_channel *channel, double tick, uint32_t *cursor)
{
    if (cursor == NULL) {
        return search_key(channel, tick);
    }
    if (!is_between(channel, *cursor, tick)) {
        *cursor = is_between(channel, *cursor + 1, tick) ? *cursor + 1 : search_key(channel, tick);
    }
    return *cursor;
}

lmbi_key_position lmbi_channel_find(const lmb_channel *channel, double tick, uint32_t *cursor)
{
    lmbi_key_position position = {0, 0, 0};
    if (!(tick >= (double)channel->ticks[0])) {
        return position;
    }
    position.key = find_key(channel, tick, cursor);
    if (position.key + 1 < channel->key_count) {
        const double from = (double)channel->ticks[position.key];
        const double span = (double)channel->ticks[position.key + 1] - from;
        position.fraction = (float)((tick - from) / span);
        position.span = (float)span;
    }
    return position;
}

static void copy_quat(lmb_quat q, float *out)
{
    out[0] = q.x;
    out[1] = q.y;
    out[2] = q.z;
    out[3] = q.w;
}

static lmb_quat quat_at(const float *v)
{
    return lmb_quat_make(v[0], v[1], v[2], v[3]);
}

/// sin(t w) / sin(w) for w in [0, pi / 2], as t times a series in m = 1 - cos(w) (Eberly, A Fast
/// and Accurate Algorithm for Computing SLERP, 2011, eq. 11): the i-th factor is 1 + (i / (2 i + 1)
/// - t^2 / (i (2 i + 1))) m * the next.
/// The remainder is below 3e-8, since each factor reduces it by more than 2 / m.
static float slerp_weight(float t, float m)
{
#define FACTOR(i)                                                \
    {                                                            \
        (float)(i) / (2 * (i) + 1), 1.0f / ((i) * (2 * (i) + 1)) \
    }
    static const float factors[24][2] = {
        FACTOR(1),  FACTOR(2),  FACTOR(3),  FACTOR(4),  FACTOR(5),  FACTOR(6),
        FACTOR(7),  FACTOR(8),  FACTOR(9),  FACTOR(10), FACTOR(11), FACTOR(12),
        FACTOR(13), FACTOR(14), FACTOR(15), FACTOR(16), FACTOR(17), FACTOR(18),
        FACTOR(19), FACTOR(20), FACTOR(21), FACTOR(22), FACTOR(23), FACTOR(24),
    };
#undef FACTOR
    const float square = t * t;
    float f = 1;
    for (int i = m < 0.02f ? 4 : (m < 0.15f ? 8 : 24); i-- > 0;) {
        f = 1 + (factors[i][0] - factors[i][1] * square) * m * f;
    }
    return t * f;
}

/// Slerp (Shoemake 1985) of the keys without normalising them, except where they nearly coincide.
/// Files round quaternions to a few digits, and viewers show such keys unscaled.
static void slerp_keys(const float *a, const float *b, float t, float *out)
{
    const float dot = lmb_quat_dot(quat_at(a), quat_at(b));
    const float c = fabsf(dot), sign = dot < 0 ? -1.0f : 1.0f;
    if (memcmp(a, b, 4 * sizeof(float)) == 0) {
        memcpy(out, a, 4 * sizeof(float));
        return;
    }
    const bool is_short = !(c < 0.9995f);
    const float at_a = is_short ? 1 - t : slerp_weight(1 - t, 1 - c);
    const float at_b = is_short ? t : slerp_weight(t, 1 - c);
    for (int i = 0; i < 4; ++i) {
        out[i] = a[i] * at_a + b[i] * (at_b * sign);
    }
    if (is_short) {
        copy_quat(lmb_quat_normalize(quat_at(out)), out);
    }
}

static void value_linear(const lmb_channel *channel, lmbi_key_position position, float *out)
{
    const uint32_t width = channel->width;
    const float *a = channel->values + (size_t)position.key * width;
    if (!(position.fraction > 0)) {
        memcpy(out, a, width * sizeof(float));
        return;
    }
    const float *b = a + width;
    if (channel->path == LMB_PATH_ROTATION) {
        slerp_keys(a, b, position.fraction, out);
        return;
    }
    for (uint32_t i = 0; i < width; ++i) {
        out[i] = a[i] + (b[i] - a[i]) * position.fraction;
    }
}

/// Cubic Hermite (glTF 2.0, appendix C.5): p(u) = (2u^3 - 3u^2 + 1) v0 + d (u^3 - 2u^2 + u) b0 +
/// (-2u^3 + 3u^2) v1 + d (u^3 - u^2) a1, with b0 the out-tangent of the first key and a1 the
/// in-tangent of the second.
static void value_cubic(const lmb_channel *channel, lmbi_key_position position, float *out)
{
    const uint32_t width = channel->width;
    const float *v0 = channel->values + ((size_t)position.key * 3 + 1) * width;
    if (!(position.fraction > 0)) {
        memcpy(out, v0, width * sizeof(float));
        return;
    }
    const float *b0 = v0 + width, *a1 = v0 + 2 * (size_t)width, *v1 = v0 + 3 * (size_t)width;
    const float u = position.fraction, u2 = u * u, u3 = u2 * u;
    const float at_v1 = 3 * u2 - 2 * u3, at_v0 = 1 - at_v1;
    const float at_b0 = position.span * (u3 - 2 * u2 + u), at_a1 = position.span * (u3 - u2);
    for (uint32_t i = 0; i < width; ++i) {
        out[i] = at_v0 * v0[i] + at_b0 * b0[i] + at_v1 * v1[i] + at_a1 * a1[i];
    }
}

void lmbi_channel_value(const lmb_channel *channel, lmbi_key_position position, float *out)
{
    if (channel->interpolation == LMB_CUBIC) {
        value_cubic(channel, position, out);
        if (channel->path == LMB_PATH_ROTATION) {
            copy_quat(lmb_quat_normalize(quat_at(out)), out);
        }
    } else if (channel->interpolation == LMB_STEP) {
        memcpy(out, channel->values + (size_t)position.key * channel->width,
               channel->width * sizeof(float));
    } else {
        value_linear(channel, position, out);
    }
}

/// The derivative of value_cubic by the tick.
void lmbi_channel_slope(const lmb_channel *channel, lmbi_key_position position, float *out)
{
    const uint32_t width = channel->width;
    const float *v0 = channel->values + ((size_t)position.key * 3 + 1) * width;
    if (!(position.span > 0)) {
        memset(out, 0, width * sizeof(float));
        return;
    }
    const float *b0 = v0 + width, *a1 = v0 + 2 * (size_t)width, *v1 = v0 + 3 * (size_t)width;
    const float u = position.fraction, u2 = u * u;
    const float at_v1 = 6 * (u - u2) / position.span;
    const float at_b0 = 3 * u2 - 4 * u + 1, at_a1 = 3 * u2 - 2 * u;
    for (uint32_t i = 0; i < width; ++i) {
        out[i] = at_v1 * (v1[i] - v0[i]) + at_b0 * b0[i] + at_a1 * a1[i];
    }
}

void lmbi_channel_at(const lmb_channel *channel, double tick, uint32_t *cursor, float *out)
{
    lmbi_channel_value(channel, lmbi_channel_find(channel, tick, cursor), out);
}
