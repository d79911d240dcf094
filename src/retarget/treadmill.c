/// Walking in place: all standing feet slide backward at one velocity, as on a treadmill. The
/// motion is moved over the ground at that speed, so that contacts are found at rest, and moved
/// back once the feet are placed.
#include "retarget/feet.h"

#include <math.h>

#define LOW_M 0.03f         ///< highest a standing foot is above its floor, metres
#define FLAT_M_S 0.25f      ///< fastest a standing foot rises or falls, m/s
#define TRAVEL_M_S 0.15f    ///< faster mean travel of the hips is no walk in place, m/s
#define TREADMILL_M_S 0.35f ///< slowest treadmill, m/s
#define INLIER_RADIUS 0.35f ///< inlier radius, as a fraction of the treadmill velocity
#define INLIERS 0.6f        ///< inliers required among the low frames of one or two feet
#define MANY_INLIERS 0.5f   ///< and of more feet
#define TRIED 256           ///< velocities tried as the mode
#define LOW_FRAMES 0.08f    ///< low frames required of each foot, as a fraction of all frames

typedef struct low_feet {
    lmb_vec3 *velocity; ///< [count] horizontal velocities of low feet
    uint32_t count;
} low_feet;

/// Adds the velocities of one foot in the frames in which it is low and moves level.
static void add_low_velocities(const lmb_vec3 *path, uint32_t frames, float rate, float body_m,
                               float *heights, low_feet *out)
{
    for (uint32_t f = 0; f < frames; ++f) {
        heights[f] = path[f].y;
    }
    const float ground = lmbi_quantile(heights, frames, 0.04f);
    for (uint32_t f = 1; f < frames; ++f) {
        lmb_vec3 v = lmb_vec3_scale(lmb_vec3_sub(path[f], path[f - 1]), rate / body_m);
        if (path[f].y - ground < LOW_M * body_m && fabsf(v.y) < FLAT_M_S) {
            v.y = 0.0f;
            out->velocity[out->count++] = v;
        }
    }
}

static bool is_near(lmb_vec3 v, lmb_vec3 mode)
{
    return lmb_vec3_distance(v, mode) < fmaxf(INLIER_RADIUS * lmb_vec3_length(mode), 0.1f);
}

static uint32_t count_near(const low_feet *s, lmb_vec3 mode)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        count += is_near(s->velocity[i], mode) ? 1 : 0;
    }
    return count;
}

/// The mode of the velocities; swinging feet that scuff the ground are outliers.
static lmb_vec3 find_mode(const low_feet *s, float *inliers)
{
    const uint32_t step = s->count / TRIED + 1;
    lmb_vec3 mode = {0, 0, 0};
    uint32_t most = 0;
    for (uint32_t i = 0; i < s->count; i += step) {
        const uint32_t count = count_near(s, s->velocity[i]);
        if (count > most) {
            most = count;
            mode = s->velocity[i];
        }
    }
    for (int round = 0; round < 3; ++round) {
        lmb_vec3 sum = {0, 0, 0};
        float count = 0.0f;
        for (uint32_t i = 0; i < s->count; ++i) {
            if (is_near(s->velocity[i], mode)) {
                sum = lmb_vec3_add(sum, s->velocity[i]);
                count += 1.0f;
            }
        }
        mode = lmb_vec3_scale(sum, count > 0.0f ? 1.0f / count : 0.0f);
    }
    *inliers = s->count > 0 ? (float)count_near(s, mode) / (float)s->count : 0.0f;
    return mode;
}

static bool stays_in_place(lmb_vec3 a, lmb_vec3 b, uint32_t steps, float rate, float body_m)
{
    const float x = b.x - a.x, z = b.z - a.z;
    return lmb_sqrt(x * x + z * z) * rate < TRAVEL_M_S * body_m * (float)steps;
}

bool lmbi_treadmill_of_paths(const lmb_vec3 *const *paths, uint32_t path_count,
                             const lmbi_motion *motion, int32_t hips, float body_m,
                             lmbi_arena *arena, lmb_vec3 *velocity)
{
    const uint32_t frames = motion->frame_count, joints = motion->skeleton->joint_count;
    *velocity = lmb_vec3_make(0, 0, 0);
    if (frames < 8 || !(body_m > 0.0f) || path_count == 0 ||
        !stays_in_place(motion->model[hips].translation,
                        motion->model[(size_t)(frames - 1) * joints + (size_t)hips].translation,
                        frames - 1, motion->rate, body_m)) {
        return true;
    }
    low_feet s = {.velocity =
                      lmbi_arena_array(arena, (size_t)path_count * frames, sizeof(lmb_vec3))};
    float *heights = lmbi_arena_array(arena, frames, sizeof(*heights));
    if (s.velocity == NULL || heights == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < path_count; ++k) {
        const uint32_t before = s.count;
        add_low_velocities(paths[k], frames, motion->rate, body_m, heights, &s);
        if ((float)(s.count - before) < LOW_FRAMES * (float)frames) {
            return true;
        }
    }
    float inliers = 0.0f;
    const lmb_vec3 treadmill = find_mode(&s, &inliers);
    if (inliers >= (path_count > 2 ? MANY_INLIERS : INLIERS) &&
        lmb_vec3_length(treadmill) >= TREADMILL_M_S) {
        *velocity = lmb_vec3_scale(treadmill, body_m);
    }
    return true;
}

bool lmbi_treadmill_find(const lmbi_humanoid *body, const lmbi_motion *motion, lmbi_arena *arena,
                         lmb_vec3 *velocity)
{
    static const int feet[2] = {LMB_HUMAN_LEFT_FOOT, LMB_HUMAN_RIGHT_FOOT};
    lmb_vec3 *paths[2];
    *velocity = lmb_vec3_make(0, 0, 0);
    if (lmbi_joint(body, feet[0]) < 0 || lmbi_joint(body, feet[1]) < 0) {
        return true;
    }
    for (int k = 0; k < 2; ++k) {
        paths[k] = lmbi_arena_array(arena, motion->frame_count, sizeof(**paths));
        const lmb_vec3 toe = lmbi_toe_of(body, feet[k]);
        for (uint32_t f = 0; f < motion->frame_count && paths[k] != NULL; ++f) {
            const lmb_transform joint =
                motion->model[(size_t)f * body->count + (size_t)lmbi_joint(body, feet[k])];
            paths[k][f] = lmb_vec3_add(joint.translation, lmb_quat_rotate(joint.rotation, toe));
        }
        if (paths[k] == NULL) {
            return false;
        }
    }
    const lmb_vec3 *const read[2] = {paths[0], paths[1]};
    return lmbi_treadmill_of_paths(read, 2, motion, lmbi_joint(body, LMB_HUMAN_HIPS),
                                   body->leg_length / 0.85f, arena, velocity);
}

lmb_vec3 lmbi_treadmill_offset(const lmbi_motion *motion, lmb_vec3 velocity, uint32_t f)
{
    return lmb_vec3_scale(velocity, ((float)f - (float)motion->lead) / motion->rate);
}

void lmbi_treadmill_undo(lmbi_motion *motion, lmb_vec3 velocity)
{
    const uint32_t n = motion->skeleton->joint_count;
    for (uint32_t f = 0; f < motion->frame_count; ++f) {
        const lmb_vec3 offset = lmbi_treadmill_offset(motion, velocity, f);
        for (uint32_t j = 0; j < n; ++j) {
            lmb_vec3 *p = &motion->model[(size_t)f * n + j].translation;
            *p = lmb_vec3_sub(*p, offset);
        }
    }
}

void lmbi_treadmill_apply(const lmbi_transfer *t, lmb_vec3 velocity)
{
    for (uint32_t f = 0; f < t->motion->frame_count; ++f) {
        t->hips[f] =
            lmb_vec3_mad(t->hips[f], lmbi_treadmill_offset(t->motion, velocity, f), t->scale);
    }
}
