/// Removal of spikes, gaps and noise, joint by joint.
#include <math.h>
#include <string.h>

#include "capture/clean.h"
#include "math/scalar.h"
#include "retarget/feet.h"

#define SPIKE_FRAMES 3u   ///< frames; a longer jump is a movement
#define SPIKE_FACTOR 6.0f ///< least size of a spike, times the median step around it
#define SPIKE_RAD 0.12f   ///< radians, least rotation of a spike
#define SPIKE_M 0.02f     ///< metres, least translation of a spike
#define MAX_RETURN 0.35f  ///< most distance left after the way back, as a fraction of the way out
#define GAP_S 0.5f        ///< seconds; a longer pause is intended
#define WINDOW_S 0.25f    ///< seconds over which the median step is taken

static lmb_transform *pose_at(const lmbi_sampled_clip *t, uint32_t frame, uint32_t joint)
{
    return &t->poses[(size_t)frame * t->joints + joint];
}

static void interpolate(const lmbi_sampled_clip *t, uint32_t joint, uint32_t before, uint32_t after,
                        bool rotation, bool translation)
{
    const lmb_transform a = *pose_at(t, before, joint), b = *pose_at(t, after, joint);
    for (uint32_t f = before + 1; f < after; ++f) {
        const float s = (float)(f - before) / (float)(after - before);
        lmb_transform *x = pose_at(t, f, joint);
        x->rotation = rotation ? lmb_quat_slerp(a.rotation, b.rotation, s) : x->rotation;
        x->translation =
            translation ? lmb_vec3_lerp(a.translation, b.translation, s) : x->translation;
    }
}

// ------------------------------------------------------------------------------------------- gaps

static bool repeats_previous(const lmbi_sampled_clip *t, uint32_t frame)
{
    return memcmp(pose_at(t, frame, 0), pose_at(t, frame - 1, 0), t->joints * sizeof *t->poses) ==
           0;
}

uint32_t lmbi_clean_bridge_gaps(lmbi_sampled_clip *t)
{
    const uint32_t max_frames = (uint32_t)(GAP_S * t->rate) + 1;
    uint32_t bridged = 0;
    for (uint32_t f = 2; f + 1 < t->count; ++f) {
        if (!repeats_previous(t, f) || repeats_previous(t, f - 1)) {
            continue;
        }
        uint32_t end = f;
        while (end < t->count && repeats_previous(t, end)) {
            ++end;
        }
        // Frames f to end - 1 equal f - 1; the next one differs.
        if (end < t->count && end - f <= max_frames) {
            for (uint32_t j = 0; j < t->joints; ++j) {
                interpolate(t, j, f - 1, end, true, true);
            }
            bridged += end - f;
        }
        f = end;
    }
    return bridged;
}

// ----------------------------------------------------------------------------------------- spikes

/// Distance between two frames of a joint, in radians or metres.
static float distance(const lmbi_sampled_clip *t, uint32_t joint, uint32_t f, uint32_t g,
                      bool rotation)
{
    const lmb_transform *a = pose_at(t, f, joint), *b = pose_at(t, g, joint);
    return rotation ? lmb_quat_angle(a->rotation, b->rotation)
                    : lmb_vec3_distance(a->translation, b->translation);
}

static float median_step(const float *steps, uint32_t count, uint32_t frame, uint32_t reach,
                         float *scratch)
{
    const uint32_t begin = frame > reach ? frame - reach : 0,
                   end = frame + reach < count ? frame + reach : count;
    memcpy(scratch, steps + begin, (end - begin) * sizeof *scratch);
    return lmbi_quantile(scratch, end - begin, 0.5f);
}

static uint32_t despike_joint(lmbi_sampled_clip *t, uint32_t joint, bool rotation, float *steps,
                              float *scratch)
{
    const uint32_t reach = (uint32_t)(WINDOW_S * t->rate) + 4;
    uint32_t found = 0;
    for (uint32_t f = 0; f + 1 < t->count; ++f) {
        steps[f] = distance(t, joint, f, f + 1, rotation);
    }
    for (uint32_t f = 0; f + 2 < t->count; ++f) {
        if (steps[f] < (rotation ? SPIKE_RAD : SPIKE_M) ||
            steps[f] < SPIKE_FACTOR * median_step(steps, t->count - 1, f, reach, scratch)) {
            continue;
        }
        for (uint32_t n = 1; n <= SPIKE_FRAMES && f + n + 1 < t->count; ++n) {
            const float remaining = distance(t, joint, f, f + n + 1, rotation);
            if (steps[f + n] > 0.5f * steps[f] && remaining < MAX_RETURN * steps[f]) {
                interpolate(t, joint, f, f + n + 1, rotation, !rotation);
                ++found;
                for (uint32_t k = f; k <= f + n; ++k) {
                    steps[k] = distance(t, joint, k, k + 1, rotation);
                }
                break;
            }
        }
    }
    return found;
}

bool lmbi_clean_remove_spikes(lmbi_sampled_clip *t, lmbi_arena *arena, uint32_t *count)
{
    float *steps = lmbi_arena_array(arena, t->count, sizeof *steps),
          *scratch = lmbi_arena_array(arena, t->count, sizeof *scratch);
    *count = 0;
    if (steps == NULL || scratch == NULL) {
        return false;
    }
    for (uint32_t j = 0; j < t->joints; ++j) {
        *count += despike_joint(t, j, true, steps, scratch);
        *count += despike_joint(t, j, false, steps, scratch);
    }
    return true;
}

// -------------------------------------------------------------------------------------- smoothing

/// Weighted mean of nearby rotations: that of their quaternions, all on one hemisphere.
static void smooth_frame(const lmbi_sampled_clip *t, uint32_t joint, uint32_t frame,
                         const float *weights, uint32_t reach, lmb_transform *out)
{
    const lmb_quat middle = pose_at(t, frame, joint)->rotation;
    lmb_quat q = {0, 0, 0, 0};
    lmb_vec3 p = {0, 0, 0};
    float sum = 0;
    // A symmetric window, so that the ends of the clip do not move.
    const uint32_t side = frame < t->count - 1 - frame ? frame : t->count - 1 - frame,
                   n = reach < side ? reach : side;
    for (uint32_t f = frame - n; f <= frame + n; ++f) {
        const float w = weights[f > frame ? f - frame : frame - f];
        const lmb_transform *x = pose_at(t, f, joint);
        const float s = lmb_quat_dot(x->rotation, middle) < 0 ? -w : w;
        q = lmb_quat_make(q.x + s * x->rotation.x, q.y + s * x->rotation.y, q.z + s * x->rotation.z,
                          q.w + s * x->rotation.w);
        p = lmb_vec3_mad(p, x->translation, w);
        sum += w;
    }
    *out = *pose_at(t, frame, joint);
    out->rotation = lmb_quat_normalize(q);
    out->translation = lmb_vec3_scale(p, 1 / sum);
}

bool lmbi_clean_smooth(lmbi_sampled_clip *t, float cut_hz, lmbi_arena *arena)
{
    // A Gaussian that halves the power at the cut: sigma = sqrt(ln 2) / (2 pi f).
    const float sigma = 0.8325546f / (2 * LMB_PI * cut_hz) * t->rate;
    if (!(sigma > 0.2f)) {
        return true;
    }
    const uint32_t reach = (uint32_t)fminf(3 * sigma + 1, (float)t->count);
    float *weights = lmbi_arena_array(arena, (size_t)reach + 1, sizeof *weights);
    lmb_transform *smooth = lmbi_arena_array(arena, t->count, sizeof *smooth);
    if (weights == NULL || smooth == NULL) {
        return false;
    }
    for (uint32_t k = 0; k <= reach; ++k) {
        const float x = (float)k / sigma;
        weights[k] = lmb_exp(-0.5f * x * x);
    }
    for (uint32_t j = 0; j < t->joints; ++j) {
        for (uint32_t f = 0; f < t->count; ++f) {
            smooth_frame(t, j, f, weights, reach, &smooth[f]);
        }
        for (uint32_t f = 0; f < t->count; ++f) {
            *pose_at(t, f, j) = smooth[f];
        }
    }
    return true;
}
