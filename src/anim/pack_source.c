/// What a clip holds, seen at a steady rate: which tracks move, which stand still, and which must
/// be kept as keys.
#include <math.h>
#include <string.h>

#include "anim/mix.h"
#include "anim/pack.h"
#include "base/alloc.h"

/// Share of the bound below which a difference is none.
static const float nothing = 0.02f;

// --------------------------------------------------------------------------------- exact channels

/// Keys much nearer to each other than others of their channel are a step, too: some programs write
/// steps so.
static bool jumps(const lmb_channel *channel)
{
    const uint32_t last = channel->key_count - 1;
    const float near =
        last > 0 ? 0.01f * (channel->ticks[last] - channel->ticks[0]) / (float)last : 0.0f;
    for (uint32_t k = 1; k < channel->key_count; ++k) {
        if (!(channel->ticks[k] - channel->ticks[k - 1] > near)) {
            return true;
        }
    }
    return channel->interpolation == LMB_STEP && channel->key_count > 1;
}

static bool find_exact(pack *p)
{
    const lmb_clip *clip = p->clip;
    p->exact = lmbi_arena_array(&p->arena, clip->channel_count, sizeof(lmb_channel));
    for (uint32_t path = 0; path < 3; ++path) {
        p->states[path] = lmbi_arena_array(&p->arena, p->skeleton->joint_count, 1);
    }
    if (p->exact == NULL || !p->states[0] || !p->states[1] || !p->states[2]) {
        return false;
    }
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        const lmb_channel *channel = &clip->channels[c];
        if (jumps(channel)) {
            p->exact[p->exact_count++] = *channel;
            if (channel->path != LMB_PATH_WEIGHTS) {
                p->states[channel->path][channel->joint] = PACK_EXACT;
            }
        }
    }
    return true;
}

static bool find_runs(pack *p)
{
    const uint32_t joints = p->skeleton->joint_count;
    p->run_joints = lmbi_arena_array(&p->arena, p->clip->channel_count, sizeof(uint32_t));
    p->run_widths = lmbi_arena_array(&p->arena, p->clip->channel_count, sizeof(uint32_t));
    p->weight_first = lmbi_arena_array(&p->arena, (size_t)joints + 1, sizeof(uint32_t));
    if (p->run_joints == NULL || p->run_widths == NULL || p->weight_first == NULL) {
        return false;
    }
    for (uint32_t j = 0; j < joints; ++j) {
        p->weight_first[j] = p->weight_count;
        for (uint32_t c = 0; c < p->clip->channel_count; ++c) {
            const lmb_channel *channel = &p->clip->channels[c];
            if (channel->joint == j && channel->path == LMB_PATH_WEIGHTS && !jumps(channel) &&
                channel->width <= PACKED_NO_JOINT - p->weight_count) {
                p->run_joints[p->run_count] = j;
                p->run_widths[p->run_count++] = channel->width;
                p->weight_count += channel->width;
                break;
            }
        }
    }
    p->weight_first[joints] = p->weight_count;
    p->still_weights = lmbi_arena_array(&p->arena, p->weight_count, sizeof(float));
    p->weight_states = lmbi_arena_array(&p->arena, p->weight_count, 1);
    return p->still_weights != NULL && p->weight_states != NULL;
}

// --------------------------------------------------------------------------------------- the rate

static bool is_exact(const pack *p, const lmb_channel *channel)
{
    return channel->path != LMB_PATH_WEIGHTS
               ? p->states[channel->path][channel->joint] == PACK_EXACT
               : jumps(channel);
}

/// Whether all keys lie on whole samples. Cubic keys do not say what is between them by samples.
static bool lies_on(const pack *p, double per_tick)
{
    for (uint32_t c = 0; c < p->clip->channel_count; ++c) {
        const lmb_channel *channel = &p->clip->channels[c];
        if (channel->key_count == 1 || is_exact(p, channel)) {
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

static double least_gap(const pack *p)
{
    double gap = (double)p->clip->duration;
    for (uint32_t c = 0; c < p->clip->channel_count; ++c) {
        const lmb_channel *channel = &p->clip->channels[c];
        for (uint32_t k = 1; k < channel->key_count && !is_exact(p, channel); ++k) {
            gap = fmin(gap, (double)channel->ticks[k] - (double)channel->ticks[k - 1]);
        }
    }
    return gap;
}

static void set_rate(pack *p, double rate)
{
    const double samples = floor(p->duration_s * rate + 0.5);
    const double whole = samples >= 1 ? samples : 1;
    // The last sample is the end of the clip.
    p->rate_hz = p->duration_s > 0 ? (double)(float)(whole / p->duration_s) : rate;
    p->sample_count = p->duration_s > 0 ? (uint32_t)whole + 1 : 1;
}

/// Twice the chord between two rotations, near the angle where it is small.
static float turn_between(lmb_quat a, lmb_quat b)
{
    const float sign = lmb_quat_dot(a, b) < 0 ? -1.0f : 1.0f;
    const float x = a.x - sign * b.x, y = a.y - sign * b.y, z = a.z - sign * b.z,
                w = a.w - sign * b.w;
    return 2 * sqrtf(x * x + y * y + z * z + w * w);
}

/// How far the middle between neighbouring samples is from the source, in metres at the skin, joint
/// by joint.
static void miss_between(const pack *p, lmb_transform *const at[3], float *misses)
{
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        const lmb_transform *a = &at[0][j], *b = &at[2][j], *middle = &at[1][j];
        const lmb_vec3 t = lmb_vec3_lerp(a->translation, b->translation, 0.5f);
        const lmb_vec3 s = lmb_vec3_lerp(a->scale, b->scale, 0.5f);
        const lmb_quat q = lmb_quat_slerp(a->rotation, b->rotation, 0.5f);
        const float turned =
            turn_between(q, middle->rotation) + lmb_vec3_distance(s, middle->scale);
        const float miss = lmb_vec3_distance(t, middle->translation) + turned * p->throws[j];
        // What is kept as keys is not sampled.
        const bool kept = p->states[0][j] == PACK_EXACT || p->states[1][j] == PACK_EXACT ||
                          p->states[2][j] == PACK_EXACT;
        misses[j] = kept ? 0 : fmaxf(misses[j], miss);
    }
}

/// misses[joint]: what straight lines between samples cost.
static bool measure_misses(pack *p, float *misses)
{
    const uint32_t joints = p->skeleton->joint_count;
    lmb_transform *poses = lmbi_arena_array(&p->arena, (size_t)joints * 3, sizeof(lmb_transform));
    uint32_t *cursors = lmbi_arena_array(&p->arena, p->clip->channel_count, sizeof(uint32_t));
    if (poses == NULL || cursors == NULL) {
        return false;
    }
    lmb_transform *at[3] = {poses, poses + joints, poses + 2 * (size_t)joints};
    memset(misses, 0, joints * sizeof(float));
    lmbi_pack_truth(p, 0, cursors, at[0], NULL);
    for (uint32_t s = 0; s + 1 < p->sample_count; ++s) {
        lmbi_pack_truth(p, 2 * s + 1, cursors, at[1], NULL);
        lmbi_pack_truth(p, 2 * s + 2, cursors, at[2], NULL);
        miss_between(p, at, misses);
        lmb_transform *first = at[0];
        at[0] = at[2];
        at[2] = first;
    }
    return true;
}

/// Joints that no rate up to a thousand a second samples well enough (keys off every grid make
/// kinks between samples) keep keys.
static void keep_keys(pack *p, const float *misses)
{
    for (uint32_t c = 0; c < p->clip->channel_count; ++c) {
        const lmb_channel *channel = &p->clip->channels[c];
        if (channel->path != LMB_PATH_WEIGHTS && !is_exact(p, channel) &&
            misses[channel->joint] > 0.25f * p->precision) {
            p->exact[p->exact_count++] = *channel;
            p->states[channel->path][channel->joint] = PACK_EXACT;
        }
    }
}

/// Keeps the times sorted, each once. False when there are too many.
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

/// The times of all keys, when there are not many more than the busiest channel has: then samples
/// are where keys are.
static bool use_key_times(pack *p, bool *used)
{
    size_t count = 2, most = 0;
    for (uint32_t c = 0; c < p->clip->channel_count; ++c) {
        const lmb_channel *channel = &p->clip->channels[c];
        if (is_exact(p, channel)) {
            continue;
        }
        if (channel->interpolation == LMB_CUBIC && channel->key_count > 1) {
            return true;
        }
        count += channel->key_count;
        most = channel->key_count > most ? channel->key_count : most;
    }
    const double per_s = p->clip->ticks_per_s > 0 ? (double)p->clip->ticks_per_s : 1;
    float *times = lmbi_arena_array(&p->arena, count, sizeof(float));
    if (times == NULL) {
        return false;
    }
    uint32_t kept = 0;
    insert_time(times, &kept, 0);
    insert_time(times, &kept, (float)p->duration_s);
    for (uint32_t c = 0; c < p->clip->channel_count; ++c) {
        const lmb_channel *channel = &p->clip->channels[c];
        for (uint32_t k = 0; !is_exact(p, channel) && k < channel->key_count; ++k) {
            const float at = (float)((double)channel->ticks[k] / per_s);
            if (at > 0 && at < (float)p->duration_s && !insert_time(times, &kept, at)) {
                return true;
            }
        }
        if (kept > 4 * most + 8) {
            return true;
        }
    }
    if (kept >= 2) {
        *used = true;
        p->times = times;
        p->sample_count = kept;
        p->rate_hz = (double)(float)((double)(kept - 1) / p->duration_s);
    }
    return true;
}

/// The first rate, doubling up to a thousand a second, that leaves straight lines between samples
/// within a share of the bound.
static bool search_rate_of_rest(pack *p, double first, float *misses)
{
    for (double rate = first; rate <= 1000; rate *= 2) {
        float most = 0;
        set_rate(p, rate);
        if (!measure_misses(p, misses)) {
            return false;
        }
        for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
            most = fmaxf(most, misses[j]);
        }
        if (most <= 0.25f * p->precision) {
            break;
        }
    }
    return true;
}

static bool search_rate(pack *p, double first)
{
    float *misses = lmbi_arena_array(&p->arena, p->skeleton->joint_count, sizeof(float));
    if (misses == NULL || !search_rate_of_rest(p, first, misses)) {
        return false;
    }
    keep_keys(p, misses);
    return search_rate_of_rest(p, first, misses);
}

/// How far from slerp the player's mean of two samples may come, in radians: within 5.4e-5 of the
/// fifth power of the turn at first, then by its longer series within 1.5e-7 of the fourth. Of turns
/// of nearly half a circle, what is rounded decides which way they go. Keys that are `uneven` in
/// length are no slerp to begin with, by up to a quarter of that for each radian.
static float turn_miss(float turn, float uneven)
{
    const float square = turn * turn, arc = 1 - lmb_cos(0.5f * turn);
    if (turn > 3.0f) {
        return INFINITY;
    }
    return arc > PACKED_WIDE_TURN ? 1.5e-7f * square * square + 0.25f * turn * uneven
                                  : 5.4e-5f * square * square * turn;
}

/// The largest of turn_miss from one key to the next.
static float worst_turn(const lmb_channel *channel)
{
    float worst = 0;
    for (uint32_t k = 1; k < channel->key_count; ++k) {
        const float *v = channel->values + (size_t)(k - 1) * 4;
        const lmb_quat a = lmb_quat_make(v[0], v[1], v[2], v[3]),
                       b = lmb_quat_make(v[4], v[5], v[6], v[7]);
        const float chord = 0.5f * turn_between(a, b), dot = fabsf(lmb_quat_dot(a, b));
        const float turn = 4 * lmb_atan2(chord, lmb_sqrt(2 + 2 * fminf(dot, 1)));
        const float uneven = fabsf(lmb_sqrt(lmb_quat_dot(a, a)) - lmb_sqrt(lmb_quat_dot(b, b)));
        worst = fmaxf(worst, turn_miss(turn, uneven));
    }
    return worst;
}

/// Channels that turn so far from key to key that the player's mean of two samples is no slerp any
/// more keep keys: there are few.
static void keep_wide_turns(pack *p)
{
    for (uint32_t c = 0; c < p->clip->channel_count; ++c) {
        const lmb_channel *channel = &p->clip->channels[c];
        if (channel->path != LMB_PATH_ROTATION || channel->interpolation != LMB_LINEAR ||
            is_exact(p, channel)) {
            continue;
        }
        if (worst_turn(channel) * p->throws[channel->joint] > 0.25f * p->precision) {
            p->exact[p->exact_count++] = *channel;
            p->states[LMB_PATH_ROTATION][channel->joint] = PACK_EXACT;
        }
    }
}

static bool choose_rate(pack *p, float rate_hz)
{
    const double per_s = p->clip->ticks_per_s > 0 ? (double)p->clip->ticks_per_s : 1;
    p->duration_s = (double)p->clip->duration / per_s;
    const double gap = least_gap(p);
    const double guesses[] = {(double)p->clip->frame_rate, gap > 0 ? per_s / gap : 0};
    if (rate_hz > 0) {
        set_rate(p, (double)rate_hz);
        return true;
    }
    for (int i = 0; i < 2; ++i) {
        if (guesses[i] > 0 && guesses[i] <= 2000 && lies_on(p, guesses[i] / per_s)) {
            set_rate(p, guesses[i]);
            keep_wide_turns(p);
            return true;
        }
    }
    bool used = false;
    if (!use_key_times(p, &used)) {
        return false;
    }
    if (used) {
        keep_wide_turns(p);
        return true;
    }
    return search_rate(p, guesses[0] >= 30 && guesses[0] <= 240 ? guesses[0] : 60);
}

// ------------------------------------------------------------------------------------- what moves

static double time_of(const pack *p, uint32_t half)
{
    if (p->times == NULL) {
        return (double)half / (2 * p->rate_hz);
    }
    const double at = (double)p->times[half / 2];
    return (half & 1u) == 0 ? at : at + ((double)p->times[half / 2 + 1] - at) * 0.5;
}

void lmbi_pack_truth(const pack *p, uint32_t half, uint32_t *cursors, lmb_transform *pose,
                     float *weights)
{
    lmb_sample(&(lmb_sample_job){.clip = p->clip,
                                 .time_s = fmin(time_of(p, half), p->duration_s),
                                 .joint_count = p->skeleton->joint_count,
                                 .rest = p->skeleton->rest,
                                 .pose = pose,
                                 .weight_first = weights != NULL ? p->weight_first : NULL,
                                 .weights = weights,
                                 .cursors = cursors});
    // Files round rotations; what is played is unit, so that is what is aimed at.
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        pose[j].rotation = lmbi_quat_unit(pose[j].rotation, lmb_quat_identity());
    }
}

typedef struct extent {
    float moved, turned, scaled; ///< largest distance from the first sample
    float length;                ///< largest length of the translation
} extent;

static float largest(lmb_vec3 v)
{
    return fmaxf(fabsf(v.x), fmaxf(fabsf(v.y), fabsf(v.z)));
}

static void widen(extent *e, const lmb_transform *first, const lmb_transform *pose)
{
    e->moved = fmaxf(e->moved, lmb_vec3_distance(pose->translation, first->translation));
    e->turned = fmaxf(e->turned, turn_between(pose->rotation, first->rotation));
    e->scaled = fmaxf(e->scaled, largest(lmb_vec3_sub(pose->scale, first->scale)));
    e->length = fmaxf(e->length, lmb_vec3_length(pose->translation));
}

static void set_throws(pack *p, const extent *extents)
{
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        p->throws[j] = p->reach[j];
    }
    for (uint32_t j = p->skeleton->joint_count; j-- > 0;) {
        const int32_t parent = p->skeleton->parents[j];
        if (parent != LMB_NONE) {
            const float length = extents != NULL
                                     ? extents[j].length
                                     : lmb_vec3_length(p->skeleton->rest[j].translation);
            p->throws[parent] = fmaxf(p->throws[parent], length + p->throws[j]);
        }
    }
}

static uint8_t state_of(uint8_t was, float from_rest, float moves, float limit)
{
    if (was == PACK_EXACT) {
        return PACK_EXACT;
    }
    return moves > limit ? PACK_MOVING : (from_rest > limit ? PACK_STILL : PACK_REST);
}

/// Playing begins from the rest pose and what stands still; moving tracks are written over it.
static void settle(pack *p, uint32_t j)
{
    lmb_transform *still = &p->still[j];
    const lmb_transform first = *still;
    *still = p->skeleton->rest[j];
    still->translation = p->states[0][j] == PACK_STILL ? first.translation : still->translation;
    still->rotation = p->states[1][j] == PACK_STILL ? first.rotation : still->rotation;
    still->scale = p->states[2][j] == PACK_STILL ? first.scale : still->scale;
}

static void classify(pack *p, const extent *extents)
{
    const float limit = nothing * p->precision;
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        const extent *e = &extents[j];
        const lmb_transform *rest = &p->skeleton->rest[j], *first = &p->still[j];
        // A joint whose own place counts for little still carries what hangs on it.
        const float far = fmaxf(p->throws[j], p->precision);
        p->states[0][j] =
            state_of(p->states[0][j], lmb_vec3_distance(first->translation, rest->translation),
                     e->moved, limit);
        p->states[1][j] =
            state_of(p->states[1][j], turn_between(first->rotation, rest->rotation) * far,
                     e->turned * far, limit);
        p->states[2][j] =
            state_of(p->states[2][j], largest(lmb_vec3_sub(first->scale, rest->scale)) * far,
                     e->scaled * far, limit);
        settle(p, j);
    }
}

static bool scan(pack *p)
{
    const uint32_t joints = p->skeleton->joint_count;
    extent *extents = lmbi_arena_array(&p->arena, joints, sizeof(extent));
    lmb_transform *pose = lmbi_arena_array(&p->arena, joints, sizeof(lmb_transform));
    float *weights = lmbi_arena_array(&p->arena, p->weight_count, sizeof(float));
    uint32_t *cursors = lmbi_arena_array(&p->arena, p->clip->channel_count, sizeof(uint32_t));
    if (extents == NULL || pose == NULL || weights == NULL || cursors == NULL) {
        return false;
    }
    lmbi_pack_truth(p, 0, cursors, p->still, p->still_weights);
    for (uint32_t s = 0; s < p->sample_count; ++s) {
        lmbi_pack_truth(p, 2 * s, cursors, pose, weights);
        for (uint32_t j = 0; j < joints; ++j) {
            widen(&extents[j], &p->still[j], &pose[j]);
            p->scales |= largest(lmb_vec3_sub(pose[j].scale, lmb_vec3_make(1, 1, 1))) > 1e-6f;
        }
        for (uint32_t i = 0; i < p->weight_count; ++i) {
            const float far = fabsf(weights[i] - p->still_weights[i]) * p->weight_m;
            p->weight_states[i] = far > nothing * p->precision
                                      ? PACK_MOVING
                                      : (p->weight_states[i] ? p->weight_states[i] : PACK_STILL);
        }
    }
    set_throws(p, extents);
    classify(p, extents);
    return true;
}

bool lmbi_pack_survey(pack *p, float rate_hz)
{
    const uint32_t joints = p->skeleton->joint_count;
    p->still = lmbi_arena_array(&p->arena, joints, sizeof(lmb_transform));
    p->throws = lmbi_arena_array(&p->arena, joints, sizeof(float));
    if (p->still == NULL || p->throws == NULL || !find_exact(p) || !find_runs(p)) {
        return false;
    }
    set_throws(p, NULL);
    if (!choose_rate(p, rate_hz)) {
        return false;
    }
    p->segment_count = (p->sample_count - 1 + PACK_SAMPLES - 2) >> PACKED_SEGMENT_LOG2;
    return scan(p) && lmbi_pack_layout(p);
}
