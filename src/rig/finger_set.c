#include "rig/finger_set.h"

#include <math.h>

static float over(float x, float limit)
{
    return x > limit ? x - limit : 0;
}

/// The two longest steps of the shortest tree that joins the tips: fingers end side by side, a
/// thumb somewhat apart.
static void tip_steps(const lmbi_tip tips[LMBI_FINGERS], float out[2])
{
    bool in[LMBI_FINGERS] = {true};
    out[0] = out[1] = 0;
    for (int n = 1; n < LMBI_FINGERS; ++n) {
        float least = 1e30f;
        int next = 0;
        for (int a = 0; a < LMBI_FINGERS; ++a) {
            for (int b = 0; b < LMBI_FINGERS && in[a]; ++b) {
                const float d = lmb_vec3_distance(tips[a].position, tips[b].position);
                if (!in[b] && d < least) {
                    least = d;
                    next = b;
                }
            }
        }
        in[next] = true;
        out[1] = fmaxf(out[1], fminf(least, out[0]));
        out[0] = fmaxf(out[0], least);
    }
}

static float set_cost(const lmbi_tip tips[LMBI_FINGERS], const lmbi_finger_view *view)
{
    lmb_vec3 sum = {0, 0, 0};
    float least = 1e30f, most = 0, thin = 1e30f, thick = 0;
    for (int f = 0; f < LMBI_FINGERS; ++f) {
        const lmb_vec3 d = lmb_vec3_sub(tips[f].position, view->from);
        sum = lmb_vec3_add(sum, lmb_vec3_normalize_or(d, lmb_vec3_make(0, 1, 0)));
        // the one that reaches farthest has no branch of its own
        const bool own = tips[f].length < 0.95f * tips[f].reach;
        least = fminf(least, tips[f].length);
        most = own ? fmaxf(most, tips[f].length) : most;
        thin = fminf(thin, tips[f].radius);
        thick = fmaxf(thick, tips[f].radius);
    }
    const float one_way = lmb_vec3_length(sum) / LMBI_FINGERS;
    float steps[2];
    tip_steps(tips, steps);
    return 3 * over(0.75f, one_way) + over(0.3f, least / fmaxf(most, 1e-4f)) +
           2 * over(steps[1] / fmaxf(most, 1e-4f), 0.9f) +
           2 * over(steps[0] / fmaxf(most, 1e-4f), 1.6f) +
           0.15f * over(thick / fmaxf(thin, 0.5f * view->cell), 2.5f);
}

/// Exactly five tips, all of them long enough.
static bool take_set(const lmbi_tip *tips, uint32_t count, uint32_t set, float shortest,
                     lmbi_tip out[LMBI_FINGERS])
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < count; ++t) {
        if (set >> t & 1) {
            if (n == LMBI_FINGERS || !(tips[t].length > shortest)) {
                return false;
            }
            out[n++] = tips[t];
        }
    }
    return n == LMBI_FINGERS;
}

float lmbi_fingers_choose(const lmbi_tip *tips, uint32_t count, const lmbi_finger_view *view,
                          lmbi_tip out[LMBI_FINGERS], uint32_t *out_chosen)
{
    const uint32_t seen = count < LMBI_FINGER_TIPS ? count : LMBI_FINGER_TIPS;
    float best = 3;
    *out_chosen = 0;
    for (uint32_t set = 0; set < 1u << seen; ++set) {
        lmbi_tip five[LMBI_FINGERS];
        if (!take_set(tips, seen, set, view->shortest, five)) {
            continue;
        }
        const float cost = set_cost(five, view);
        if (cost < best) {
            best = cost;
            *out_chosen = set;
            for (int f = 0; f < LMBI_FINGERS; ++f) {
                out[f] = five[f];
            }
        }
    }
    return best;
}

/// A thumb ends farther back than fingers, and parts from the palm farther back.
static uint32_t find_thumb(lmb_vec3 along, const lmbi_tip tips[LMBI_FINGERS])
{
    uint32_t farthest = 0, thumb = 0;
    for (uint32_t t = 1; t < LMBI_FINGERS; ++t) {
        farthest = tips[t].reach > tips[farthest].reach ? t : farthest;
    }
    float least = 1e30f;
    for (uint32_t t = 0; t < LMBI_FINGERS; ++t) {
        const float back =
            lmb_vec3_dot(tips[t].position, along) + lmb_vec3_dot(tips[t].base, along);
        if (t != farthest && back < least) {
            least = back;
            thumb = t;
        }
    }
    return thumb;
}

void lmbi_fingers_order(lmb_vec3 along, lmbi_tip tips[LMBI_FINGERS])
{
    const uint32_t thumb = find_thumb(along, tips);
    const lmbi_tip first = tips[thumb];
    tips[thumb] = tips[0];
    tips[0] = first;
    lmb_vec3 mean = {0, 0, 0};
    for (uint32_t t = 1; t < LMBI_FINGERS; ++t) {
        mean = lmb_vec3_mad(mean, tips[t].position, 0.25f);
    }
    lmb_vec3 across = lmb_vec3_sub(tips[0].position, mean);
    across = lmb_vec3_mad(across, along, -lmb_vec3_dot(across, along));
    for (uint32_t t = 2; t < LMBI_FINGERS; ++t) {
        const lmbi_tip moved = tips[t];
        uint32_t at = t;
        while (at > 1 &&
               lmb_vec3_dot(tips[at - 1].position, across) < lmb_vec3_dot(moved.position, across)) {
            tips[at] = tips[at - 1];
            --at;
        }
        tips[at] = moved;
    }
}

uint32_t lmbi_fingers_longest(const lmbi_tip tips[LMBI_FINGERS])
{
    uint32_t longest = 1;
    for (uint32_t t = 2; t < LMBI_FINGERS; ++t) {
        longest = tips[t].length > tips[longest].length ? t : longest;
    }
    return longest;
}
