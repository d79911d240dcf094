/// First poses. Where keypoints are exact, bones say how deep each joint is; where they tremble, what
/// bodies do says more.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "capture/lift_trail.h"

#define COARSE_MOMENTS 10.0f ///< a second, for first signs
#define MOMENTS 30.0f        ///< a second, for depths
#define EXACT 0.002          ///< metres that points may be off where bones say depths
#define FIRST_SPREAD 0.012   ///< of the distance, as the trunk and the legs say it
#define LATER_SPREAD 0.002   ///< as poses do, solved together
#define DEEP_SPREAD 0.004    ///< as depths do
#define SMOOTHED 0.6         ///< what smoothing leaves of the noise
#define DEEP 4.0             ///< of what bones may be off: what depths may be
#define JUDGED 15u           ///< iterations until two searches are compared
#define FINEST 0.001         ///< metres that bones are exact to
#define ROUGH 0.004          ///< of the body's height: what keypoints may be off at first
#define FINE 0.001           ///< the same where depths are known

/// Frames from one moment to the next.
static uint32_t every(const lmbi_lifting *lift, float moments)
{
    return lift->rate > 1.5f * moments ? (uint32_t)(lift->rate / moments + 0.5f) : 1;
}

static bool leaps_before(const lmbi_lifting *lift, uint32_t first, uint32_t frame)
{
    for (uint32_t f = first + 1; f <= frame; ++f) {
        if (lift->cuts[f]) {
            return true;
        }
    }
    return false;
}

/// The points of coarse moments as those of finer ones.
static void refine(const lmbi_trail *from, lmbi_trail *to)
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

/// Poses and distances of all frames between those of moments.
static void fill(lmbi_lifting *lift, const lmb_transform *poses, const lmbi_trail *t)
{
    const uint32_t n = lift->subject.count;
    for (uint32_t f = 0; f < lift->frame_count; ++f) {
        uint32_t m = f / t->step, next = m + 1 < t->count ? m + 1 : m;
        float u = (float)(f - m * t->step) / (float)t->step;
        if (next == m || t->cuts[next]) {
            m = leaps_before(lift, m * t->step, f) ? next : m;
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
        for (int p = 0; lift->depths != NULL && p < LMBI_TRAIL_POINTS; ++p) {
            if (t->seen[p]) {
                lift->depths[(size_t)f * LMB_KEYPOINT_COUNT + (size_t)lmbi_trail_keypoint(p)] =
                    -lmb_vec3_lerp(t->points[m][p], t->points[next][p], u).z;
            }
        }
    }
}

/// How far bones may be off on smoothed tracks, metres.
static double tolerance_of(const lmbi_trail *t)
{
    const double pixel = (double)t->depth[t->count / 2] / t->lift->focal;
    return fmax(SMOOTHED * t->lift->noise * pixel, FINEST);
}

static lmb_result first_signs(lmbi_lifting *lift, lmbi_trail *trail)
{
    const lmb_result result = lmbi_trail_make(lift, every(lift, COARSE_MOMENTS), trail);
    return result == LMB_OK && (!lmbi_trail_trunk(trail) || !lmbi_trail_limbs(trail, 0) ||
                                !lmbi_trail_limbs(trail, 1) || !lmbi_trail_limbs(trail, 2))
               ? LMB_ERROR_MEMORY
               : result;
}

/// Pixels that a share of the body's height is.
static double pixels(const lmbi_trail *t, double share)
{
    return share * t->lift->focal * (double)(t->lift->subject.height / t->depth[t->count / 2]);
}

/// Poses of the trail's moments as habits have them. The trail's points follow.
static lmb_result by_habits(lmbi_lifting *lift, lmbi_trail *trail)
{
    const uint32_t n = lift->subject.count;
    lmb_transform *poses = lmbi_arena_array(lift->arena, (size_t)trail->count * n, sizeof *poses);
    if (poses == NULL) {
        return LMB_ERROR_MEMORY;
    }
    lift->depth_spread = FIRST_SPREAD;
    const lmb_result result = lmbi_lift_rounds(trail, pixels(trail, ROUGH), poses);
    if (result != LMB_OK) {
        return result;
    }
    for (uint32_t m = 0; m < trail->count; ++m) {
        lmbi_lift_points(trail, m, poses + (size_t)m * n);
    }
    fill(lift, poses, trail);
    lift->depth_spread = LATER_SPREAD;
    return result;
}

/// Poses of finer moments, as bones have them, from the points of coarser ones.
static lmb_result by_bones(lmbi_lifting *lift, const lmbi_trail *coarse)
{
    lmbi_trail trail;
    lmb_result result = lmbi_trail_make(lift, every(lift, MOMENTS), &trail);
    if (result != LMB_OK) {
        return result;
    }
    lmb_transform *poses =
        lmbi_arena_array(lift->arena, (size_t)trail.count * lift->subject.count, sizeof *poses);
    lift->depths = lmbi_arena_array(lift->arena, (size_t)lift->frame_count * LMB_KEYPOINT_COUNT,
                                    sizeof *lift->depths);
    if (poses == NULL || lift->depths == NULL) {
        return LMB_ERROR_MEMORY;
    }
    refine(coarse, &trail);
    result = lmbi_lift_flips(&trail, tolerance_of(&trail));
    if (result != LMB_OK) {
        return result;
    }
    for (uint32_t m = 0; m < trail.count; ++m) {
        lmbi_lift_pose(&trail, m, poses + (size_t)m * lift->subject.count);
    }
    fill(lift, poses, &trail);
    lift->up = trail.up;
    lift->depths_spread = DEEP * tolerance_of(&trail);
    lift->depth_spread = DEEP_SPREAD;
    return result;
}

/// What all poses cost without depths that are taken as known.
static lmb_result judge(lmbi_lifting *lift, lmb_transform *poses, double *cost)
{
    float *depths = lift->depths;
    lift->depths = NULL;
    const lmb_result result = lmbi_lift_windows(lift, poses, lift->frame_count, 1, JUDGED, cost);
    lift->depths = depths;
    return result;
}

/// Poses as bones have them, where they are better than those as habits have them.
static lmb_result try_bones(lmbi_lifting *lift, const lmbi_trail *coarse, double cost)
{
    const size_t n = (size_t)lift->frame_count * lift->subject.count;
    lmb_transform *was = lmbi_arena_array(lift->arena, n, sizeof *was),
                  *judged = lmbi_arena_array(lift->arena, n, sizeof *judged);
    if (was == NULL || judged == NULL) {
        return LMB_ERROR_MEMORY;
    }
    memcpy(was, lift->poses, n * sizeof *was);
    double own;
    lmb_result result = by_bones(lift, coarse);
    if (result == LMB_OK) {
        result =
            lmbi_lift_anneal(lift, lift->poses, lift->frame_count, 1, pixels(coarse, FINE), &own);
    }
    if (result == LMB_OK) {
        memcpy(judged, lift->poses, n * sizeof *judged);
        result = judge(lift, judged, &own);
    }
    if (result == LMB_OK && cost < own) {
        memcpy(lift->poses, was, n * sizeof *was);
        lift->depths = NULL;
        lift->up = coarse->up;
        for (uint32_t f = 0; f < lift->frame_count; ++f) {
            const size_t root = (size_t)f * lift->subject.count + lift->subject.root;
            lift->depth[f] = -lift->poses[root].translation.z;
        }
    }
    return result;
}

lmb_result lmbi_lift_begin(lmbi_lifting *lift)
{
    lmbi_trail trail;
    double cost;
    lmb_result result = first_signs(lift, &trail);
    if (result == LMB_OK) {
        lift->up = trail.up;
        result = by_habits(lift, &trail);
    }
    if (result == LMB_OK) {
        result =
            lmbi_lift_anneal(lift, lift->poses, lift->frame_count, 1, pixels(&trail, ROUGH), &cost);
    }
    return result == LMB_OK && tolerance_of(&trail) < EXACT ? try_bones(lift, &trail, cost)
                                                            : result;
}
