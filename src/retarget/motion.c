/// The source clip as frames of model transforms.
#include "base/error.h"
#include "limber/anim.h"
#include "retarget/body.h"

#include <math.h>
#include <string.h>

#include "math/scalar.h"

#define RATE_MIN 24.0f
#define RATE_FINE 55.0f
#define RATE_MAX 480.0f
#define FRAMES_MAX 2000000u

/// Keys per second of the densest channel, for clips without a frame rate.
static float dense_rate(const lmb_clip *clip)
{
    float rate = 0.0f;
    const float per_s = clip->ticks_per_s > 0.0f ? clip->ticks_per_s : 1.0f;
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        const lmb_channel *channel = &clip->channels[c];
        if (channel->path == LMB_PATH_WEIGHTS || channel->key_count < 2) {
            continue;
        }
        const float span = (channel->ticks[channel->key_count - 1] - channel->ticks[0]) / per_s;
        const float r = span > 0.0f ? (float)(channel->key_count - 1) / span : 0.0f;
        rate = r > rate ? r : rate;
    }
    // Rounding of the last key gives rates such as 29.97: take the whole number.
    const float whole = floorf(rate + 0.5f);
    return fabsf(rate - whole) < 0.02f * whole ? whole : rate;
}

static float clip_rate(const lmb_clip *clip, float wanted, bool fine)
{
    float rate =
        wanted > 0.0f ? wanted : (clip->frame_rate > 0.0f ? clip->frame_rate : dense_rate(clip));
    if (wanted <= 0.0f) {
        // Between cubic or sparse keys the motion needs frames of its own.
        rate = rate > 0.0f ? fmaxf(RATE_MIN, rate) : 30.0f;
        // A heel strikes within 20 ms: slower recordings are resampled at a multiple of their rate.
        while (fine && rate < RATE_FINE) {
            rate *= 2.0f;
        }
    }
    return fminf(rate, RATE_MAX);
}

/// Frames per key of a resampled recording.
static uint32_t frames_per_key(const lmb_clip *clip, float rate)
{
    const float own = clip->frame_rate > 0.0f ? clip->frame_rate : dense_rate(clip);
    const float times = own > 0.0f ? floorf(rate / own + 0.5f) : 1.0f;
    return times >= 1.0f && times <= 8.0f ? (uint32_t)times : 1;
}

static void sample_frame(const lmb_skeleton *skeleton, const lmb_clip *clip, double time_s,
                         uint32_t *cursors, lmb_transform *model)
{
    lmb_sample(&(lmb_sample_job){.clip = clip,
                                 .time_s = time_s,
                                 .joint_count = skeleton->joint_count,
                                 .rest = skeleton->rest,
                                 .pose = model,
                                 .cursors = cursors});
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        if (skeleton->parents[j] >= 0) {
            model[j] = lmb_transform_mul(model[skeleton->parents[j]], model[j]);
        }
    }
}

/// The largest distance between a joint's positions in two frames.
static float largest_change(const lmbi_motion *motion, uint32_t from, uint32_t to)
{
    const uint32_t n = motion->skeleton->joint_count;
    float largest = 0.0f;
    for (uint32_t j = 0; j < n; ++j) {
        largest = fmaxf(largest, lmb_vec3_distance(motion->model[(size_t)from * n + j].translation,
                                                   motion->model[(size_t)to * n + j].translation));
    }
    return largest;
}

static float extent(const lmbi_motion *motion)
{
    lmb_box box = lmb_box_empty();
    for (uint32_t j = 0; j < motion->skeleton->joint_count; ++j) {
        box = lmb_box_add(box, motion->model[j].translation);
    }
    return lmb_vec3_distance(box.low, box.high);
}

/// Counts leading calibration frames. CMU conversions begin with one frame in calibration pose, far
/// from the second; frames resampled between the two are dropped as well.
static uint32_t calibration_frames(const lmbi_motion *motion, uint32_t between)
{
    if (motion->frame_count < 9 + between) {
        return 0;
    }
    float usual = 0.0f, first = 0.0f;
    for (uint32_t f = 0; f < 8 + between; ++f) {
        const float step = largest_change(motion, f, f + 1);
        first = fmaxf(first, f < between ? step : 0.0f);
        usual = fmaxf(usual, f < between ? 0.0f : step);
    }
    // The jump must stand out from the next frames and be of some size: after a still beginning
    // anything stands out.
    return first > 8.0f * usual && first * (float)between > 0.05f * extent(motion) ? between : 0;
}

/// A calibration pose that is blended into a take.
#define FADE_MOST_S 0.25f  ///< longest blend, seconds
#define FADE_TIMES 2.5f    ///< mean step of the blend over the largest step after it
#define FADE_STRAIGHT 0.8f ///< rotation from the first pose over the sum of the steps
#define FADE_EXTENT 0.05f  ///< least movement, as a fraction of the body's extent
#define REST_RAD 0.2f      ///< angle within which a joint is at rest
#define REST_JOINTS 0.9f   ///< least fraction of joints at rest

/// Rotation of a joint relative to its parent; of a root, in the model.
static lmb_quat local_rotation(const lmbi_motion *motion, uint32_t frame, uint32_t joint)
{
    const lmb_transform *model = motion->model + (size_t)frame * motion->skeleton->joint_count;
    const int32_t parent = motion->skeleton->parents[joint];
    return parent < 0
               ? model[joint].rotation
               : lmb_quat_mul(lmb_quat_conjugate(model[parent].rotation), model[joint].rotation);
}

/// Whether the first frame shows the rest pose, wherever the root is: a common calibration pose.
static bool begins_at_rest(const lmbi_motion *motion)
{
    const lmb_skeleton *skeleton = motion->skeleton;
    uint32_t below = 0, alike = 0;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        if (skeleton->parents[j] >= 0) {
            ++below;
            alike +=
                lmb_quat_angle(local_rotation(motion, 0, j), skeleton->rest[j].rotation) < REST_RAD;
        }
    }
    return below > 0 && (float)alike >= REST_JOINTS * (float)below;
}

/// Sum of the angles between the joints' rotations in two frames. Of a blend it grows straight,
/// where hands swing in arcs.
static float turned(const lmbi_motion *motion, uint32_t from, uint32_t to)
{
    float sum_rad = 0.0f;
    for (uint32_t j = 0; j < motion->skeleton->joint_count; ++j) {
        sum_rad += lmb_quat_angle(local_rotation(motion, from, j), local_rotation(motion, to, j));
    }
    return sum_rad;
}

/// Counts frames of a calibration pose that is blended into the take: joints turn straight from the
/// rest pose to the take, and move faster than in the take itself.
static uint32_t faded_frames(const lmbi_motion *motion, uint32_t between)
{
    const uint32_t most = (uint32_t)(FADE_MOST_S * motion->rate), after = 8 + between;
    if (motion->frame_count < after + 2 || !begins_at_rest(motion)) {
        return 0;
    }
    uint32_t best = 0;
    float path = 0.0f, turns_rad = 0.0f, most_times = FADE_TIMES;
    for (uint32_t k = 1; k <= most && k + after < motion->frame_count; ++k) {
        float usual = 1e-6f;
        path += largest_change(motion, k - 1, k);
        turns_rad += turned(motion, k - 1, k);
        for (uint32_t f = k; f < k + after; ++f) {
            usual = fmaxf(usual, largest_change(motion, f, f + 1));
        }
        const float times = path / (float)k / usual;
        if (times > most_times && turned(motion, 0, k) > FADE_STRAIGHT * turns_rad &&
            largest_change(motion, 0, k) > FADE_EXTENT * extent(motion)) {
            most_times = times;
            best = k;
        }
    }
    return best;
}

static void drop_frames(lmbi_motion *motion, uint32_t count)
{
    motion->frame_count -= count;
    motion->model += (size_t)count * motion->skeleton->joint_count;
    motion->duration_s -= (double)count / (double)motion->rate;
    motion->dropped = count;
}

lmb_result lmbi_motion_sample(const lmb_character *character, uint32_t clip_index, float rate,
                              bool fine, lmbi_arena *arena, lmbi_motion *out, lmb_error *error)
{
    if (clip_index >= character->clip_count) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a clip of the motion", "clip %u of %u",
                         (unsigned)clip_index, (unsigned)character->clip_count);
    }
    const lmb_clip *clip = character->clips[clip_index];
    const lmb_skeleton *skeleton = character->skeleton;
    lmbi_motion motion = {.skeleton = skeleton,
                          .rate = clip_rate(clip, rate, fine),
                          .duration_s = (double)lmb_clip_duration_s(clip)};
    const double frames = floor(motion.duration_s * (double)motion.rate + 0.999) + 1.0;
    if (!(frames <= (double)FRAMES_MAX)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "at most 2 million frames", "%g", frames);
    }
    motion.frame_count = (uint32_t)frames;
    // A last step far shorter than the others is a rounding error.
    if (motion.frame_count > 2 &&
        motion.duration_s - (double)(motion.frame_count - 2) / (double)motion.rate <
            0.01 / (double)motion.rate) {
        --motion.frame_count;
    }
    uint32_t *cursors = lmbi_arena_array(arena, clip->channel_count, sizeof(*cursors));
    motion.model = lmbi_arena_array(arena, (size_t)motion.frame_count * skeleton->joint_count,
                                    sizeof(*motion.model));
    if (cursors == NULL || motion.model == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t f = 0; f < motion.frame_count; ++f) {
        sample_frame(skeleton, clip, fmin((double)f / (double)motion.rate, motion.duration_s),
                     cursors, motion.model + (size_t)f * skeleton->joint_count);
    }
    const uint32_t between = frames_per_key(clip, motion.rate),
                   jumped = calibration_frames(&motion, between);
    drop_frames(&motion, jumped > 0 ? jumped : faded_frames(&motion, between));
    motion.kept = motion.frame_count;
    *out = motion;
    return LMB_OK;
}

#define SAME_ANGLE 0.01f  ///< radians: recorded loops close no better
#define SAME_PLACE 0.003f ///< of the body's size
#define PAD_S 2.5f

static lmb_vec3 ground_offset(const lmb_transform *a, const lmb_transform *b, int32_t joint)
{
    return lmb_vec3_make(b[joint].translation.x - a[joint].translation.x, 0.0f,
                         b[joint].translation.z - a[joint].translation.z);
}

/// Whether the last pose is the first, moved along the ground.
static bool is_loop(const lmbi_motion *motion, int32_t hips, float size)
{
    const uint32_t n = motion->skeleton->joint_count;
    const lmb_transform *first = motion->model,
                        *last = first + (size_t)(motion->frame_count - 1) * n;
    const lmb_vec3 offset = ground_offset(first, last, hips);
    for (uint32_t j = 0; j < n; ++j) {
        if ((int32_t)j < hips) {
            continue; // joints above the hips may stay behind
        }
        const lmb_vec3 moved = lmb_vec3_add(first[j].translation, offset);
        if (lmb_vec3_distance(moved, last[j].translation) > SAME_PLACE * size ||
            lmb_quat_angle(first[j].rotation, last[j].rotation) > SAME_ANGLE) {
            return false;
        }
    }
    return true;
}

bool lmbi_motion_unroll(lmbi_motion *motion, int32_t hips, float size, lmbi_arena *arena)
{
    const uint32_t n = motion->skeleton->joint_count, cycle = motion->frame_count - 1;
    if (motion->frame_count < 6 || !is_loop(motion, hips, size)) {
        return true;
    }
    const uint32_t pad = (uint32_t)(PAD_S * motion->rate + 1.0f),
                   count = motion->frame_count + 2 * pad;
    lmb_transform *model = lmbi_arena_array(arena, (size_t)count * n, sizeof(*model));
    if (model == NULL) {
        return false;
    }
    const lmb_vec3 offset = ground_offset(motion->model, motion->model + (size_t)cycle * n, hips);
    for (uint32_t f = 0; f < count; ++f) {
        // Offset so that the cycle's index is not negative.
        const uint32_t before = pad / cycle + 1, at = f + before * cycle - pad;
        const float cycles = (float)(int32_t)(at / cycle - before);
        const lmb_transform *from = motion->model + (size_t)(at % cycle) * n;
        for (uint32_t j = 0; j < n; ++j) {
            lmb_transform *to = &model[(size_t)f * n + j];
            *to = from[j];
            to->translation = lmb_vec3_mad(to->translation, offset, cycles);
        }
    }
    motion->model = model;
    motion->lead = pad;
    motion->kept = motion->frame_count;
    motion->frame_count = count;
    return true;
}

#define HEADING_S 0.6f ///< half window of the heading filter, seconds: half a stride

bool lmbi_headings_average(lmb_vec3 *headings, uint32_t frame_count, float rate, lmbi_arena *arena)
{
    const uint32_t reach = (uint32_t)(HEADING_S * rate + 1.0f);
    lmb_vec3 *sums = lmbi_arena_array(arena, (size_t)frame_count + 1, sizeof *sums);
    if (sums == NULL) {
        return false;
    }
    for (uint32_t f = 0; f < frame_count; ++f) {
        sums[f + 1] = lmb_vec3_add(sums[f], headings[f]);
    }
    lmb_vec3 last = {0, 0, 1};
    for (uint32_t f = 0; f < frame_count; ++f) {
        // The window is symmetric, so that a steady rotation is not biased at the ends.
        const uint32_t each = lmbi_min_count(lmbi_min_count(reach, f), frame_count - 1 - f);
        last = lmb_vec3_normalize_or(lmb_vec3_sub(sums[f + each + 1], sums[f - each]), last);
        headings[f] = last;
    }
    return true;
}
