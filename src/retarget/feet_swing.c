/// Clearance of swinging feet.
#include "math/math.h"
#include "retarget/feet_state.h"

#include <math.h>

#include "math/scalar.h"

#define LAND_S 0.02f       ///< time in which a foot lifts off and lands
#define SWING_S 0.06f      ///< time in which it rises to swing height
#define CLEARANCE_M 0.033f ///< ground clearance of a swing, metres on a body of common size
#define GLIDE_S 0.8f       ///< longer fast motion near the floor is a deliberate glide

/// Height above the stance that a swinging point needs, growing with its speed: feet of other
/// proportions scuff the ground earlier than the source's.
static float swing_clearance(const lmbi_feet_state *feet, const lmbi_foot_point *p, uint32_t f)
{
    const uint32_t a = f > 0 ? f - 1 : 0, b = f + 1 < feet->frame_count ? f + 1 : f;
    const float x = p->path[b].x - p->path[a].x, z = p->path[b].z - p->path[a].z;
    const float seconds = (float)(b - a) / feet->t->motion->rate;
    const float speed = b > a ? lmb_sqrt(x * x + z * z) / (seconds * feet->body_m) : 0.0f;
    return CLEARANCE_M * feet->body_m * lmbi_smoothstepf((speed - 0.25f) / 0.5f);
}

/// Needs no clearance in long glides such as skating or a moonwalk.
static void allow_glides(const lmbi_feet_state *feet, const lmbi_foot_point *p, float *clearance)
{
    const uint32_t most = (uint32_t)(GLIDE_S * feet->t->motion->rate + 1.0f);
    uint32_t begin = 0;
    for (uint32_t f = 0; f <= feet->frame_count; ++f) {
        const bool low = f < feet->frame_count &&
                         clearance[f] > 0.5f * CLEARANCE_M * feet->body_m &&
                         p->path[f].y < p->stance_height + 0.5f * CLEARANCE_M * feet->body_m;
        if (low) {
            continue;
        }
        for (uint32_t i = begin; f - begin > most && i < f; ++i) {
            clearance[i] = 0.0f;
        }
        begin = f + 1;
    }
}

/// Lift that raises both points of a foot to at least the given heights.
static float needed_lift(const lmbi_foot_limb *leg, uint32_t f, float low_ankle, float low_toe)
{
    const lmb_vec3 ankle = lmbi_foot_ankle_goal(leg, f);
    const lmb_quat rotation = lmbi_rotation_vector(leg->rotation[f]);
    const float toe = ankle.y + lmb_quat_rotate(rotation, lmbi_foot_bone(leg, f)).y;
    return fmaxf(0.0f, fmaxf(low_toe - toe, low_ankle - ankle.y));
}

/// Maximum over a window of `reach` frames, then smoothed: never below the input, and without
/// jumps.
void lmbi_feet_spread(float *values, float *scratch, uint32_t count, uint32_t reach)
{
    for (uint32_t f = 0; f < count; ++f) {
        const uint32_t a = f > reach ? f - reach : 0, b = f + reach < count ? f + reach : count - 1;
        scratch[f] = 0.0f;
        for (uint32_t i = a; i <= b; ++i) {
            scratch[f] = fmaxf(scratch[f], values[i]);
        }
    }
    for (uint32_t f = 0; f < count; ++f) {
        float sum = 0.0f, total = 0.0f;
        for (int32_t d = -(int32_t)reach; d <= (int32_t)reach; ++d) {
            const int64_t i = (int64_t)f + d;
            const float x = (float)d / (float)(reach + 1), w = (1.0f - x * x) * (1.0f - x * x);
            // The end values extend beyond both ends.
            const int64_t at = i < 0 ? 0 : (i >= (int64_t)count ? (int64_t)count - 1 : i);
            sum += w * scratch[at];
            total += w;
        }
        values[f] = sum / total;
    }
}

/// Scales the lift by 1 where the foot is free and by 0 inside a lock, over `land` frames after its
/// beginning and `leave` frames before its end.
static void fade_in_locks(const lmbi_foot_limb *leg, uint32_t count, uint32_t land, uint32_t leave,
                          float *lift)
{
    const bool *a = leg->points[ANKLE].locked, *t = leg->points[TOE].locked;
    uint32_t in = land + 1;
    for (uint32_t f = 0; f < count; ++f) {
        in = !a[f] && !t[f] ? 0 : (in <= land ? in + 1 : in);
        leg->scratch_depth[f] = in;
    }
    in = leave + 1;
    for (uint32_t f = count; f-- > 0;) {
        in = !a[f] && !t[f] ? 0 : (in <= leave ? in + 1 : in);
        const float since = (float)leg->scratch_depth[f] / (float)(land + 1),
                    until = (float)in / (float)(leave + 1);
        lift[f] *= 1.0f - lmbi_smoothstepf(fminf(since, until));
    }
}

static void find_clearances(const lmbi_feet_state *feet, const lmbi_foot_limb *leg,
                            float *clear[POINTS])
{
    for (int k = 0; k < POINTS; ++k) {
        for (uint32_t f = 0; f < feet->frame_count; ++f) {
            clear[k][f] =
                leg->points[k].has_stance ? swing_clearance(feet, &leg->points[k], f) : 0.0f;
        }
        allow_glides(feet, &leg->points[k], clear[k]);
    }
}

bool lmbi_feet_find_lifts(lmbi_feet_state *feet, lmbi_foot_limb *leg, lmbi_arena *arena)
{
    const uint32_t n = feet->frame_count;
    const float rate = feet->t->motion->rate;
    const lmbi_foot_point *a = &leg->points[ANKLE], *t = &leg->points[TOE];
    float *clear[POINTS] = {lmbi_arena_array(arena, n, sizeof(float)),
                            lmbi_arena_array(arena, n, sizeof(float))};
    float *over = lmbi_arena_array(arena, n, sizeof(*over));
    if (clear[ANKLE] == NULL || clear[TOE] == NULL || over == NULL) {
        return false;
    }
    find_clearances(feet, leg, clear);
    for (uint32_t f = 0; f < n; ++f) {
        const float ankle = clear[ANKLE][f], toe = clear[TOE][f];
        const float none = -1e30f;
        leg->lift[f] = needed_lift(leg, f, a->floor + a->clearance[f], t->floor + t->clearance[f]);
        over[f] = needed_lift(leg, f, ankle > 0.0f ? a->stance_height + ankle : none,
                              toe > 0.0f ? t->stance_height + toe : none);
    }
    lmbi_feet_spread(leg->lift, feet->scratch, n, (uint32_t)(LAND_S * rate + 1.0f));
    lmbi_feet_spread(over, feet->scratch, n, (uint32_t)(SWING_S * rate + 1.0f));
    fade_in_locks(leg, n, (uint32_t)(LAND_S * rate), (uint32_t)(LAND_S * rate), leg->lift);
    fade_in_locks(leg, n, (uint32_t)(SWING_S * rate), (uint32_t)(LAND_S * rate), over);
    for (uint32_t f = 0; f < n; ++f) {
        leg->lift[f] = fmaxf(leg->lift[f], over[f]);
    }
    return true;
}
