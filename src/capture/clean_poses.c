/// Spikes, gaps and tremble, joint by joint.
#include <math.h>
#include <string.h>

#include "capture/clean.h"
#include "retarget/feet.h"

#define SPIKE_FRAMES 3u  ///< a longer jump is a movement
#define SPIKE_TIMES 6.0f ///< of the step that is usual around it
#define SPIKE_TURN 0.12f ///< radians: less is no spike
#define SPIKE_MOVE 0.02f ///< and metres
#define RETURN 0.35f     ///< of the way out, at most, is left after the way back
#define GAP_S 0.5f       ///< a longer stand is one
#define AROUND_S 0.25f   ///< of which steps are usual

static lmb_transform *at(const lmbi_takes *t, uint32_t frame, uint32_t joint)
{
    return &t->poses[(size_t)frame * t->joints + joint];
}

static void bridge(const lmbi_takes *t, uint32_t joint, uint32_t before, uint32_t after, bool turn,
                   bool move)
{
    const lmb_transform a = *at(t, before, joint), b = *at(t, after, joint);
    for (uint32_t f = before + 1; f < after; ++f) {
        const float s = (float)(f - before) / (float)(after - before);
        lmb_transform *x = at(t, f, joint);
        x->rotation = turn ? lmb_quat_slerp(a.rotation, b.rotation, s) : x->rotation;
        x->translation = move ? lmb_vec3_lerp(a.translation, b.translation, s) : x->translation;
    }
}

// ------------------------------------------------------------------------------------------- gaps

static bool repeats(const lmbi_takes *t, uint32_t frame)
{
    return memcmp(at(t, frame, 0), at(t, frame - 1, 0), t->joints * sizeof *t->poses) == 0;
}

uint32_t lmbi_takes_bridge(lmbi_takes *t)
{
    const uint32_t most = (uint32_t)(GAP_S * t->rate) + 1;
    uint32_t bridged = 0;
    for (uint32_t f = 2; f + 1 < t->count; ++f) {
        if (!repeats(t, f) || repeats(t, f - 1)) {
            continue;
        }
        uint32_t end = f;
        while (end < t->count && repeats(t, end)) {
            ++end;
        }
        // Frames f to end - 1 repeat f - 1; what comes next moves on.
        if (end < t->count && end - f <= most) {
            for (uint32_t j = 0; j < t->joints; ++j) {
                bridge(t, j, f - 1, end, true, true);
            }
            bridged += end - f;
        }
        f = end;
    }
    return bridged;
}

// ----------------------------------------------------------------------------------------- spikes

/// How far one frame of a joint is from another, in shares of what counts.
static float apart(const lmbi_takes *t, uint32_t joint, uint32_t f, uint32_t g, bool turn)
{
    const lmb_transform *a = at(t, f, joint), *b = at(t, g, joint);
    return turn ? lmb_quat_angle(a->rotation, b->rotation)
                : lmb_vec3_distance(a->translation, b->translation);
}

static float usual_step(const float *steps, uint32_t count, uint32_t frame, uint32_t reach,
                        float *scratch)
{
    const uint32_t begin = frame > reach ? frame - reach : 0,
                   end = frame + reach < count ? frame + reach : count;
    memcpy(scratch, steps + begin, (end - begin) * sizeof *scratch);
    return lmbi_quantile(scratch, end - begin, 0.5f);
}

static uint32_t despike_joint(lmbi_takes *t, uint32_t joint, bool turn, float *steps,
                              float *scratch)
{
    const uint32_t reach = (uint32_t)(AROUND_S * t->rate) + 4;
    uint32_t found = 0;
    for (uint32_t f = 0; f + 1 < t->count; ++f) {
        steps[f] = apart(t, joint, f, f + 1, turn);
    }
    for (uint32_t f = 0; f + 2 < t->count; ++f) {
        if (steps[f] < (turn ? SPIKE_TURN : SPIKE_MOVE) ||
            steps[f] < SPIKE_TIMES * usual_step(steps, t->count - 1, f, reach, scratch)) {
            continue;
        }
        for (uint32_t n = 1; n <= SPIKE_FRAMES && f + n + 1 < t->count; ++n) {
            const float back = apart(t, joint, f, f + n + 1, turn);
            if (steps[f + n] > 0.5f * steps[f] && back < RETURN * steps[f]) {
                bridge(t, joint, f, f + n + 1, turn, !turn);
                ++found;
                for (uint32_t k = f; k <= f + n; ++k) {
                    steps[k] = apart(t, joint, k, k + 1, turn);
                }
                break;
            }
        }
    }
    return found;
}

bool lmbi_takes_despike(lmbi_takes *t, lmbi_arena *arena, uint32_t *count)
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

/// A weighted mean of turns near each other: of the quaternions, on one half of their sphere.
static void mean_at(const lmbi_takes *t, uint32_t joint, uint32_t frame, const float *weights,
                    uint32_t reach, lmb_transform *out)
{
    const lmb_quat middle = at(t, frame, joint)->rotation;
    lmb_quat q = {0, 0, 0, 0};
    lmb_vec3 p = {0, 0, 0};
    float sum = 0;
    // As far to one side as to the other: the ends of the clip stay where they are.
    const uint32_t side = frame < t->count - 1 - frame ? frame : t->count - 1 - frame,
                   n = reach < side ? reach : side;
    for (uint32_t f = frame - n; f <= frame + n; ++f) {
        const float w = weights[f > frame ? f - frame : frame - f];
        const lmb_transform *x = at(t, f, joint);
        const float s = lmb_quat_dot(x->rotation, middle) < 0 ? -w : w;
        q = lmb_quat_make(q.x + s * x->rotation.x, q.y + s * x->rotation.y, q.z + s * x->rotation.z,
                          q.w + s * x->rotation.w);
        p = lmb_vec3_mad(p, x->translation, w);
        sum += w;
    }
    *out = *at(t, frame, joint);
    out->rotation = lmb_quat_normalize(q);
    out->translation = lmb_vec3_scale(p, 1 / sum);
}

bool lmbi_takes_smooth(lmbi_takes *t, float cut_hz, lmbi_arena *arena)
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
            mean_at(t, j, f, weights, reach, &smooth[f]);
        }
        for (uint32_t f = 0; f < t->count; ++f) {
            *at(t, f, j) = smooth[f];
        }
    }
    return true;
}
