/// Initial poses. With exact keypoints the bone lengths give each joint's depth; with noisy ones
/// the prior over human poses gives more.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "capture/lift_trail.h"

#define COARSE_RATE 10.0f ///< samples a second at which signs are chosen
#define DEPTH_RATE 30.0f  ///< samples a second at which depths are solved
#define EXACT_NOISE 0.002 ///< metres of keypoint noise below which bone lengths give depths
/// standard deviation of the hips' depth as a fraction of it: from the length of trunk and legs,
#define TRUNK_DEPTH_SPREAD 0.012
#define POSE_DEPTH_SPREAD 0.002   ///< from poses solved together,
#define SOLVED_DEPTH_SPREAD 0.004 ///< from solved depths
#define SMOOTHED_NOISE 0.6        ///< fraction of the noise that smoothing leaves
/// standard deviation of a joint's depth, times the tolerance of bone lengths
#define JOINT_DEPTH_SPREAD 4.0
#define COMPARE_ITERATIONS 15u ///< iterations before two solutions are compared
#define LEAST_TOLERANCE 0.001  ///< metres, least tolerance of bone lengths
#define ROUGH 0.004 ///< fraction of the body's height: initial keypoint noise of annealing
#define FINE 0.001  ///< the same with known depths

/// Frames between samples at a rate in Hz.
static uint32_t sample_step(const lmbi_lifting *lift, float rate)
{
    return lift->rate > 1.5f * rate ? (uint32_t)(lift->rate / rate + 0.5f) : 1;
}

static bool has_cut_between(const lmbi_lifting *lift, uint32_t first, uint32_t frame)
{
    for (uint32_t f = first + 1; f <= frame; ++f) {
        if (lift->cuts[f]) {
            return true;
        }
    }
    return false;
}

/// Interpolates the points of a coarse trail at the samples of a finer one.
static void resample_points(const lmbi_trail *from, lmbi_trail *to)
{
    for (uint32_t m = 0; m < to->count; ++m) {
        const uint32_t frame = m * to->step, a = frame / from->step,
                       b = a + 1 < from->count && !from->cuts[a + 1] ? a + 1 : a;
        const float u = b > a ? (float)(frame - a * from->step) / (float)from->step : 0;
        for (int p = 0; p < LMBI_TRAIL_POINTS; ++p) {
            const float depth = -lmb_vec3_lerp(from->points[a][p], from->points[b][p], u).z;
            to->points[m][p] = lmb_vec3_scale(to->rays[m][p], depth);
        }
    }
}

/// Interpolates poses and depths of all frames between samples.
static void interpolate_frames(lmbi_lifting *lift, const lmb_transform *poses, const lmbi_trail *t)
{
    const uint32_t n = lift->subject.count;
    for (uint32_t f = 0; f < lift->frame_count; ++f) {
        uint32_t m = f / t->step, next = m + 1 < t->count ? m + 1 : m;
        float u = (float)(f - m * t->step) / (float)t->step;
        if (next == m || t->cuts[next]) {
            m = has_cut_between(lift, m * t->step, f) ? next : m;
            u = 0;
        }
        const lmb_transform *from = poses + (size_t)m * n, *to = poses + (size_t)next * n;
        lmb_transform *pose = lift->poses + (size_t)f * n;
        for (uint32_t j = 0; j < n; ++j) {
            pose[j] = from[j];
            pose[j].translation = lmb_vec3_lerp(from[j].translation, to[j].translation, u);
            pose[j].rotation = lmb_quat_slerp(from[j].rotation, to[j].rotation, u);
        }
        lift->depth[f] = -pose[lift->subject.root].translation.z;
        for (int p = 0; lift->joint_depths != NULL && p < LMBI_TRAIL_POINTS; ++p) {
            if (t->seen[p]) {
                lift->joint_depths[(size_t)f * LMB_KEYPOINT_COUNT +
                                   (size_t)lmbi_trail_keypoint(p)] =
                    -lmb_vec3_lerp(t->points[m][p], t->points[next][p], u).z;
            }
        }
    }
}

/// Tolerance of bone lengths on smoothed tracks, metres.
static double length_tolerance(const lmbi_trail *t)
{
    const double pixel = (double)t->depth[t->count / 2] / t->lift->focal;
    return fmax(SMOOTHED_NOISE * t->lift->noise * pixel, LEAST_TOLERANCE);
}

static lmb_result choose_first_signs(lmbi_lifting *lift, lmbi_trail *trail)
{
    const lmb_result result = lmbi_trail_make(lift, sample_step(lift, COARSE_RATE), trail);
    return result == LMB_OK &&
                   (!lmbi_trail_choose_trunk(trail) || !lmbi_trail_choose_limbs(trail, 0) ||
                    !lmbi_trail_choose_limbs(trail, 1) || !lmbi_trail_choose_limbs(trail, 2))
               ? LMB_ERROR_MEMORY
               : result;
}

/// Pixels that a fraction of the body's height covers at its distance.
static double height_pixels(const lmbi_trail *t, double fraction)
{
    return fraction * t->lift->focal * (double)(t->lift->subject.height / t->depth[t->count / 2]);
}

/// Solves the trail's poses with the pose prior, and updates the trail's points from them.
static lmb_result solve_with_prior(lmbi_lifting *lift, lmbi_trail *trail)
{
    const uint32_t n = lift->subject.count;
    lmb_transform *poses = lmbi_arena_array(lift->arena, (size_t)trail->count * n, sizeof *poses);
    if (poses == NULL) {
        return LMB_ERROR_MEMORY;
    }
    lift->depth_spread = TRUNK_DEPTH_SPREAD;
    const lmb_result result = lmbi_lift_choose_signs(trail, height_pixels(trail, ROUGH), poses);
    if (result != LMB_OK) {
        return result;
    }
    for (uint32_t m = 0; m < trail->count; ++m) {
        lmbi_trail_from_pose(trail, m, poses + (size_t)m * n);
    }
    interpolate_frames(lift, poses, trail);
    lift->depth_spread = POSE_DEPTH_SPREAD;
    return result;
}

/// Solves depths from bone lengths on a finer trail, starting from the coarse one, and poses from
/// them.
static lmb_result solve_with_depths(lmbi_lifting *lift, const lmbi_trail *coarse)
{
    lmbi_trail trail;
    lmb_result result = lmbi_trail_make(lift, sample_step(lift, DEPTH_RATE), &trail);
    if (result != LMB_OK) {
        return result;
    }
    lmb_transform *poses =
        lmbi_arena_array(lift->arena, (size_t)trail.count * lift->subject.count, sizeof *poses);
    lift->joint_depths = lmbi_arena_array(
        lift->arena, (size_t)lift->frame_count * LMB_KEYPOINT_COUNT, sizeof *lift->joint_depths);
    if (poses == NULL || lift->joint_depths == NULL) {
        return LMB_ERROR_MEMORY;
    }
    resample_points(coarse, &trail);
    result = lmbi_lift_flips(&trail, length_tolerance(&trail));
    if (result != LMB_OK) {
        return result;
    }
    for (uint32_t m = 0; m < trail.count; ++m) {
        lmbi_trail_to_pose(&trail, m, poses + (size_t)m * lift->subject.count);
    }
    interpolate_frames(lift, poses, &trail);
    lift->up = trail.up;
    lift->joint_depth_spread = JOINT_DEPTH_SPREAD * length_tolerance(&trail);
    lift->depth_spread = SOLVED_DEPTH_SPREAD;
    return result;
}

/// Cost of all poses without the known depths, which makes it comparable with lmbi_lift_anneal's.
static lmb_result evaluate_without_depths(lmbi_lifting *lift, lmb_transform *poses, double *cost)
{
    float *depths = lift->joint_depths;
    lift->joint_depths = NULL;
    const lmb_result result =
        lmbi_lift_windows(lift, poses, lift->frame_count, 1, COMPARE_ITERATIONS, cost);
    lift->joint_depths = depths;
    return result;
}

/// Solves depths from bone lengths and keeps the poses if they cost less than `cost`.
static lmb_result try_depths(lmbi_lifting *lift, const lmbi_trail *coarse, double cost)
{
    const size_t n = (size_t)lift->frame_count * lift->subject.count;
    lmb_transform *before = lmbi_arena_array(lift->arena, n, sizeof *before),
                  *copy = lmbi_arena_array(lift->arena, n, sizeof *copy);
    if (before == NULL || copy == NULL) {
        return LMB_ERROR_MEMORY;
    }
    memcpy(before, lift->poses, n * sizeof *before);
    double depth_cost;
    lmb_result result = solve_with_depths(lift, coarse);
    if (result == LMB_OK) {
        result = lmbi_lift_anneal(lift, lift->poses, lift->frame_count, 1,
                                  height_pixels(coarse, FINE), &depth_cost);
    }
    if (result == LMB_OK) {
        memcpy(copy, lift->poses, n * sizeof *copy);
        result = evaluate_without_depths(lift, copy, &depth_cost);
    }
    if (result == LMB_OK && cost < depth_cost) {
        memcpy(lift->poses, before, n * sizeof *before);
        lift->joint_depths = NULL;
        lift->up = coarse->up;
        for (uint32_t f = 0; f < lift->frame_count; ++f) {
            const size_t root = (size_t)f * lift->subject.count + lift->subject.root;
            lift->depth[f] = -lift->poses[root].translation.z;
        }
    }
    return result;
}

lmb_result lmbi_lift_find_poses(lmbi_lifting *lift)
{
    lmbi_trail trail;
    double cost;
    lmb_result result = choose_first_signs(lift, &trail);
    if (result == LMB_OK) {
        lift->up = trail.up;
        result = solve_with_prior(lift, &trail);
    }
    if (result == LMB_OK) {
        result = lmbi_lift_anneal(lift, lift->poses, lift->frame_count, 1,
                                  height_pixels(&trail, ROUGH), &cost);
    }
    return result == LMB_OK && length_tolerance(&trail) < EXACT_NOISE
               ? try_depths(lift, &trail, cost)
               : result;
}
