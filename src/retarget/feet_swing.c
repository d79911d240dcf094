/// Feet that swing by clear the ground.
#include "retarget/footwork.h"

#include <math.h>

#define LAND_S 0.025f      ///< a foot comes down on its place, and leaves it, in this time
#define CLEARANCE_M 0.033f ///< swinging feet clear the ground by this on a body of common size
#define GLIDE_S 0.8f       ///< what is low and fast for longer glides on purpose

/// How far a lmbi_foot_point that swings by has to be above its planted height: feet on other legs scuff
/// sooner.
static float swing_clearance(const lmbi_footwork *feet, const lmbi_foot_point *p, uint32_t f)
{
    const uint32_t a = f > 0 ? f - 1 : 0, b = f + 1 < feet->frame_count ? f + 1 : f;
    const float x = p->came[b].x - p->came[a].x, z = p->came[b].z - p->came[a].z;
    const float seconds = (float)(b - a) / feet->t->motion->rate;
    const float speed = b > a ? lmb_sqrt(x * x + z * z) / (seconds * feet->body_m) : 0.0f;
    return CLEARANCE_M * feet->body_m * lmbi_smooth((speed - 0.25f) / 0.5f);
}

/// What glides along the ground for long is meant to: skates, a moonwalk.
static void allow_glides(const lmbi_footwork *feet, const lmbi_foot_point *p, float *clearance)
{
    const uint32_t most = (uint32_t)(GLIDE_S * feet->t->motion->rate + 1.0f);
    uint32_t begin = 0;
    for (uint32_t f = 0; f <= feet->frame_count; ++f) {
        const bool low = f < feet->frame_count &&
                         clearance[f] > 0.5f * CLEARANCE_M * feet->body_m &&
                         p->came[f].y < p->stand + 0.5f * CLEARANCE_M * feet->body_m;
        if (low) {
            continue;
        }
        for (uint32_t i = begin; f - begin > most && i < f; ++i) {
            clearance[i] = 0.0f;
        }
        begin = f + 1;
    }
}

/// How far a foot has to rise so that neither lmbi_foot_point goes further under the ground than the source
/// did, and swings clear of it.
static float needed_lift(const lmbi_foot_limb *leg, uint32_t f, const lmbi_foot_goal *g,
                         float clear_ankle, float clear_toe)
{
    const lmbi_foot_point *a = &leg->points[ANKLE], *t = &leg->points[TOE];
    const lmb_vec3 was = lmb_vec3_sub(t->came[f], a->came[f]);
    const float toe = g->ankle.y + lmb_quat_rotate(g->turn, was).y;
    const float low_toe = clear_toe > 0.0f ? t->stand + clear_toe : t->floor + t->clearance[f];
    const float low_ankle =
        clear_ankle > 0.0f ? a->stand + clear_ankle : a->floor + a->clearance[f];
    return fmaxf(0.0f, fmaxf(low_toe - toe, low_ankle - g->ankle.y));
}

/// The greatest value within reach of each frame, then smoothed: never less than was needed, never
/// a jump.
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
            // Beyond the ends the last value holds.
            const int64_t at = i < 0 ? 0 : (i >= (int64_t)count ? (int64_t)count - 1 : i);
            sum += w * scratch[at];
            total += w;
        }
        values[f] = sum / total;
    }
}

/// 1 away from contacts, 0 a few frames inside one: a foot that stands already comes down the last
/// centimetres, and rises before it swings.
static float free_share(const lmbi_foot_limb *leg, uint32_t f, uint32_t frame_count, uint32_t ramp)
{
    for (uint32_t k = 0; k <= ramp; ++k) {
        bool before = f < k, after = f + k >= frame_count;
        for (int p = 0; p < POINTS; ++p) {
            const float *held = leg->points[p].held;
            before = before || held[f - k] >= 1.0f;
            after = after || held[f + k] >= 1.0f;
        }
        if (!before || !after) {
            return 1.0f - lmbi_smooth((float)k / (float)(ramp + 1));
        }
    }
    return 0.0f;
}

bool lmbi_feet_find_lifts(lmbi_footwork *feet, const lmbi_foot_limb *leg, float *lift,
                          lmbi_arena *arena)
{
    const uint32_t n = feet->frame_count;
    float *clear[POINTS];
    for (int k = 0; k < POINTS; ++k) {
        clear[k] = lmbi_arena_array(arena, n, sizeof(float));
        if (clear[k] == NULL) {
            return false;
        }
        for (uint32_t f = 0; f < n; ++f) {
            clear[k][f] = leg->points[k].stands ? swing_clearance(feet, &leg->points[k], f) : 0.0f;
        }
        allow_glides(feet, &leg->points[k], clear[k]);
    }
    for (uint32_t f = 0; f < n; ++f) {
        const lmbi_foot_goal g = lmbi_feet_goal(leg, f);
        lift[f] = needed_lift(leg, f, &g, clear[ANKLE][f], clear[TOE][f]);
    }
    lmbi_feet_spread(lift, feet->scratch, n, (uint32_t)(0.02f * feet->t->motion->rate + 1.0f));
    const uint32_t ramp = (uint32_t)(LAND_S * feet->t->motion->rate);
    for (uint32_t f = 0; f < n; ++f) {
        lift[f] *= free_share(leg, f, n, ramp);
    }
    return true;
}
