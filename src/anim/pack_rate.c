/// Chooses a uniform sample rate that loses nothing, or the key times as sample times, or the
/// tracks that stay keyed.
#include <math.h>
#include <string.h>

#include "anim/mix.h"
#include "anim/pack.h"
#include "base/alloc.h"

static bool keeps_keys(const pack *p, const lmb_channel *channel)
{
    return channel->path != LMB_PATH_WEIGHTS
               ? p->states[channel->path][channel->joint] == PACK_EXACT
               : lmbi_pack_is_stepped(channel);
}

/// Whether all keys lie on samples. Cubic keys never do: samples do not reproduce the curve
/// between.
static bool keys_lie_on_grid(const pack *p, double per_tick)
{
    for (uint32_t c = 0; c < p->clip->channel_count; ++c) {
        const lmb_channel *channel = &p->clip->channels[c];
        if (channel->key_count == 1 || keeps_keys(p, channel)) {
            continue;
        }
        if (channel->interpolation == LMB_CUBIC) {
            return false;
        }
        for (uint32_t k = 0; k < channel->key_count; ++k) {
            const double at = (double)channel->ticks[k] * per_tick;
            if (fabs(at - floor(at + 0.5)) > 2e-3) {
                return false;
            }
        }
    }
    const double end = (double)p->clip->duration * per_tick;
    return fabs(end - floor(end + 0.5)) <= 2e-3;
}

static double smallest_key_gap(const pack *p)
{
    double gap = (double)p->clip->duration;
    for (uint32_t c = 0; c < p->clip->channel_count; ++c) {
        const lmb_channel *channel = &p->clip->channels[c];
        for (uint32_t k = 1; k < channel->key_count && !keeps_keys(p, channel); ++k) {
            gap = fmin(gap, (double)channel->ticks[k] - (double)channel->ticks[k - 1]);
        }
    }
    return gap;
}

static void set_steady_rate(pack *p, double rate)
{
    const double samples = floor(p->duration_s * rate + 0.5);
    const double whole = samples >= 1 ? samples : 1;
    // The last sample lies at the end of the clip.
    p->rate_hz = p->duration_s > 0 ? (double)(float)(whole / p->duration_s) : rate;
    p->sample_count = p->duration_s > 0 ? (uint32_t)whole + 1 : 1;
}

/// Raises errors[joint] to the error midway between two samples, in metres at the skin.
static void add_midpoint_errors(const pack *p, lmb_transform *const at[3], float *errors)
{
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        const lmb_transform *a = &at[0][j], *b = &at[2][j], *middle = &at[1][j];
        const lmb_vec3 t = lmb_vec3_lerp(a->translation, b->translation, 0.5f);
        const lmb_vec3 s = lmb_vec3_lerp(a->scale, b->scale, 0.5f);
        const lmb_quat q = lmb_quat_slerp(a->rotation, b->rotation, 0.5f);
        const float angle =
            lmbi_pack_rotation_distance(q, middle->rotation) + lmb_vec3_distance(s, middle->scale);
        const float error = lmb_vec3_distance(t, middle->translation) + angle * p->lever_arms[j];
        // Keyed tracks are not sampled.
        const bool count_kept = p->states[0][j] == PACK_EXACT || p->states[1][j] == PACK_EXACT ||
                                p->states[2][j] == PACK_EXACT;
        errors[j] = count_kept ? 0 : fmaxf(errors[j], error);
    }
}

/// errors[joint]: largest error of linear interpolation between samples, in metres.
static bool measure_midpoint_errors(pack *p, float *errors)
{
    const uint32_t joints = p->skeleton->joint_count;
    lmb_transform *poses = lmbi_arena_array(&p->arena, (size_t)joints * 3, sizeof(lmb_transform));
    uint32_t *cursors = lmbi_arena_array(&p->arena, p->clip->channel_count, sizeof(uint32_t));
    if (poses == NULL || cursors == NULL) {
        return false;
    }
    lmb_transform *at[3] = {poses, poses + joints, poses + 2 * (size_t)joints};
    memset(errors, 0, joints * sizeof(float));
    lmbi_pack_sample_source(p, 0, cursors, at[0], NULL);
    for (uint32_t s = 0; s + 1 < p->sample_count; ++s) {
        lmbi_pack_sample_source(p, 2 * s + 1, cursors, at[1], NULL);
        lmbi_pack_sample_source(p, 2 * s + 2, cursors, at[2], NULL);
        add_midpoint_errors(p, at, errors);
        lmb_transform *first = at[0];
        at[0] = at[2];
        at[2] = first;
    }
    return true;
}

/// Keeps the keys of joints that no rate up to 1000 Hz samples within tolerance: keys off the grid
/// make kinks between samples.
static void keep_undersampled_keys(pack *p, const float *errors)
{
    for (uint32_t c = 0; c < p->clip->channel_count; ++c) {
        const lmb_channel *channel = &p->clip->channels[c];
        if (channel->path != LMB_PATH_WEIGHTS && !keeps_keys(p, channel) &&
            errors[channel->joint] > 0.25f * p->precision) {
            p->exact[p->exact_count++] = *channel;
            p->states[channel->path][channel->joint] = PACK_EXACT;
        }
    }
}

/// Inserts a time into the sorted, unique times. False when there are over 2^20.
static bool insert_time(float *times, uint32_t *count, float at)
{
    uint32_t low = 0, high = *count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        low = times[middle] < at ? middle + 1 : low;
        high = times[middle] < at ? high : middle;
    }
    if (low == *count || times[low] > at) {
        if (*count == 1u << 20) {
            return false;
        }
        memmove(times + low + 1, times + low, (*count - low) * sizeof(float));
        times[low] = at;
        ++*count;
    }
    return true;
}

/// Samples at the union of all key times, if that has at most about 4 times the keys of the busiest
/// channel.
static bool use_key_times(pack *p, bool *used)
{
    size_t count = 2, worst = 0;
    for (uint32_t c = 0; c < p->clip->channel_count; ++c) {
        const lmb_channel *channel = &p->clip->channels[c];
        if (keeps_keys(p, channel)) {
            continue;
        }
        if (channel->interpolation == LMB_CUBIC && channel->key_count > 1) {
            return true;
        }
        count += channel->key_count;
        worst = channel->key_count > worst ? channel->key_count : worst;
    }
    const double per_s = p->clip->ticks_per_s > 0 ? (double)p->clip->ticks_per_s : 1;
    float *times = lmbi_arena_array(&p->arena, count, sizeof(float));
    if (times == NULL) {
        return false;
    }
    uint32_t count_kept = 0;
    insert_time(times, &count_kept, 0);
    insert_time(times, &count_kept, (float)p->duration_s);
    for (uint32_t c = 0; c < p->clip->channel_count; ++c) {
        const lmb_channel *channel = &p->clip->channels[c];
        for (uint32_t k = 0; !keeps_keys(p, channel) && k < channel->key_count; ++k) {
            const float at = (float)((double)channel->ticks[k] / per_s);
            if (at > 0 && at < (float)p->duration_s && !insert_time(times, &count_kept, at)) {
                return true;
            }
        }
        if (count_kept > 4 * worst + 8) {
            return true;
        }
    }
    if (count_kept >= 2) {
        *used = true;
        p->times = times;
        p->sample_count = count_kept;
        p->rate_hz = (double)(float)((double)(count_kept - 1) / p->duration_s);
    }
    return true;
}

/// Doubles the rate from `first`, up to 1000 Hz, until linear interpolation is within a quarter of
/// the bound.
static bool raise_rate(pack *p, double first, float *errors)
{
    for (double rate = first; rate <= 1000; rate *= 2) {
        float worst = 0;
        set_steady_rate(p, rate);
        if (!measure_midpoint_errors(p, errors)) {
            return false;
        }
        for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
            worst = fmaxf(worst, errors[j]);
        }
        if (worst <= 0.25f * p->precision) {
            break;
        }
    }
    return true;
}

static bool search_rate(pack *p, double first)
{
    float *errors = lmbi_arena_array(&p->arena, p->skeleton->joint_count, sizeof(float));
    if (errors == NULL || !raise_rate(p, first, errors)) {
        return false;
    }
    keep_undersampled_keys(p, errors);
    return raise_rate(p, first, errors);
}

/// Bound of the angle, in radians, between slerp and the decoder's corrected nlerp of two samples
/// `angle` apart: 5.4e-5 angle^5 for the short series, 1.5e-7 angle^4 for the long one. Near pi
/// rounding decides the direction of rotation. Keys of different length are not a slerp to begin
/// with, by up to a quarter of that difference per radian.
static float nlerp_error(float angle, float length_difference)
{
    const float square = angle * angle, arc = 1 - lmb_cos(0.5f * angle);
    if (angle > 3.0f) {
        return INFINITY;
    }
    return arc > PACKED_WIDE_ROTATION
               ? 1.5e-7f * square * square + 0.25f * angle * length_difference
               : 5.4e-5f * square * square * angle;
}

/// The largest nlerp_error between successive keys.
static float worst_nlerp_error(const lmb_channel *channel)
{
    float worst = 0;
    for (uint32_t k = 1; k < channel->key_count; ++k) {
        const float *v = channel->values + (size_t)(k - 1) * 4;
        const lmb_quat a = lmb_quat_make(v[0], v[1], v[2], v[3]),
                       b = lmb_quat_make(v[4], v[5], v[6], v[7]);
        const float chord = 0.5f * lmbi_pack_rotation_distance(a, b),
                    dot = fabsf(lmb_quat_dot(a, b));
        const float angle = 4 * lmb_atan2(chord, lmb_sqrt(2 + 2 * fminf(dot, 1)));
        const float length_difference =
            fabsf(lmb_sqrt(lmb_quat_dot(a, a)) - lmb_sqrt(lmb_quat_dot(b, b)));
        worst = fmaxf(worst, nlerp_error(angle, length_difference));
    }
    return worst;
}

/// Keeps the keys of the few channels that rotate too far between keys for the decoder's nlerp.
static void keep_wide_rotations(pack *p)
{
    for (uint32_t c = 0; c < p->clip->channel_count; ++c) {
        const lmb_channel *channel = &p->clip->channels[c];
        if (channel->path != LMB_PATH_ROTATION || channel->interpolation != LMB_LINEAR ||
            keeps_keys(p, channel)) {
            continue;
        }
        if (worst_nlerp_error(channel) * p->lever_arms[channel->joint] > 0.25f * p->precision) {
            p->exact[p->exact_count++] = *channel;
            p->states[LMB_PATH_ROTATION][channel->joint] = PACK_EXACT;
        }
    }
}

bool lmbi_pack_choose_samples(pack *p, float rate_hz)
{
    const double per_s = p->clip->ticks_per_s > 0 ? (double)p->clip->ticks_per_s : 1;
    p->duration_s = (double)p->clip->duration / per_s;
    const double gap = smallest_key_gap(p);
    const double guesses[] = {(double)p->clip->frame_rate, gap > 0 ? per_s / gap : 0};
    if (rate_hz > 0) {
        set_steady_rate(p, (double)rate_hz);
        return true;
    }
    for (int i = 0; i < 2; ++i) {
        if (guesses[i] > 0 && guesses[i] <= 2000 && keys_lie_on_grid(p, guesses[i] / per_s)) {
            set_steady_rate(p, guesses[i]);
            keep_wide_rotations(p);
            return true;
        }
    }
    bool used = false;
    if (!use_key_times(p, &used)) {
        return false;
    }
    if (used) {
        keep_wide_rotations(p);
        return true;
    }
    return search_rate(p, guesses[0] >= 30 && guesses[0] <= 240 ? guesses[0] : 60);
}
