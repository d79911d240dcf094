#include "embed/hand/finger_set.h"
#include "embed/cost.h"

#include <math.h>

/// The two longest edges of the minimum spanning tree of the tips: fingers end side by side, and
/// only a thumb farther away.
static void longest_tree_edges(const lmbi_tip tips[LMBI_FINGERS], float out[2])
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
        // the tip that reaches farthest has no branch of its own
        const bool own = tips[f].length < 0.95f * tips[f].geodesic;
        least = fminf(least, tips[f].length);
        most = own ? fmaxf(most, tips[f].length) : most;
        thin = fminf(thin, tips[f].radius);
        thick = fmaxf(thick, tips[f].radius);
    }
    const float one_way = lmb_vec3_length(sum) / LMBI_FINGERS;
    float steps[2];
    longest_tree_edges(tips, steps);
    return 3 * lmbi_excess(0.75f, one_way) + lmbi_excess(0.3f, least / fmaxf(most, 1e-4f)) +
           2 * lmbi_excess(steps[1] / fmaxf(most, 1e-4f), 0.9f) +
           2 * lmbi_excess(steps[0] / fmaxf(most, 1e-4f), 1.6f) +
           0.15f * lmbi_excess(thick / fmaxf(thin, 0.5f * view->cell), 2.5f);
}

/// Gathers the tips of a bit set; false unless they are five and long enough.
static bool gather_set(const lmbi_tip *tips, uint32_t count, uint32_t set, float shortest,
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
        if (!gather_set(tips, seen, set, view->shortest, five)) {
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

/// The shortest Hamiltonian path through all tips. Fingers end side by side, so it visits them in
/// order, and the thumb next to the index.
static void find_tip_order(const lmbi_tip tips[LMBI_FINGERS], uint32_t out[LMBI_FINGERS])
{
    enum { WAYS = LMBI_FINGERS * LMBI_FINGERS * LMBI_FINGERS * LMBI_FINGERS };
    float least = INFINITY;
    for (uint32_t way = 0; way < WAYS; ++way) {
        uint32_t order[LMBI_FINGERS], used = 0, left = way;
        for (uint32_t k = 0; k + 1 < LMBI_FINGERS; ++k, left /= LMBI_FINGERS) {
            order[k] = left % LMBI_FINGERS;
            used |= 1u << order[k];
        }
        order[LMBI_FINGERS - 1] = 0;
        while (order[LMBI_FINGERS - 1] + 1 < LMBI_FINGERS && used >> order[LMBI_FINGERS - 1] & 1) {
            ++order[LMBI_FINGERS - 1];
        }
        used |= 1u << order[LMBI_FINGERS - 1];
        if (used != (1u << LMBI_FINGERS) - 1) {
            continue;
        }
        float length = 0;
        for (uint32_t k = 1; k < LMBI_FINGERS; ++k) {
            length += lmb_vec3_distance(tips[order[k - 1]].position, tips[order[k]].position);
        }
        if (length < least) {
            least = length;
            for (uint32_t k = 0; k < LMBI_FINGERS; ++k) {
                out[k] = order[k];
            }
        }
    }
}

/// How much like a thumb the end `a` of the row is, with `b` next to it: it ends farther back and
/// farther from its neighbour than fingers do, and points away from `most`. `apart`: the distance
/// between fingers.
static float thumb_like(const lmbi_tip *a, const lmbi_tip *b, lmb_vec3 along, lmb_vec3 most,
                        float apart)
{
    const float back = lmb_vec3_dot(lmb_vec3_sub(b->position, a->position), along),
                gap = lmb_vec3_distance(a->position, b->position);
    const lmb_vec3 way = lmb_vec3_normalize_or(lmb_vec3_sub(a->position, a->base), along);
    return (back + gap) / fmaxf(apart, 1e-6f) - lmb_vec3_dot(way, most);
}

float lmbi_fingers_order(lmb_vec3 along, lmbi_tip tips[LMBI_FINGERS])
{
    uint32_t row[LMBI_FINGERS];
    lmbi_tip in_row[LMBI_FINGERS];
    lmb_vec3 most = {0, 0, 0};
    find_tip_order(tips, row);
    for (uint32_t k = 0; k < LMBI_FINGERS; ++k) {
        in_row[k] = tips[row[k]];
    }
    for (uint32_t k = 1; k + 1 < LMBI_FINGERS; ++k) {
        const lmb_vec3 way = lmb_vec3_sub(in_row[k].position, in_row[k].base);
        most = lmb_vec3_add(most, lmb_vec3_normalize_or(way, along));
    }
    most = lmb_vec3_normalize_or(most, along);
    const float apart = 0.5f * (lmb_vec3_distance(in_row[1].position, in_row[2].position) +
                                lmb_vec3_distance(in_row[2].position, in_row[3].position));
    const float first = thumb_like(&in_row[0], &in_row[1], along, most, apart),
                last = thumb_like(&in_row[4], &in_row[3], along, most, apart);
    for (uint32_t k = 0; k < LMBI_FINGERS; ++k) {
        tips[k] = in_row[first > last ? k : LMBI_FINGERS - 1 - k];
    }
    return fabsf(first - last);
}

uint32_t lmbi_fingers_longest(const lmbi_tip tips[LMBI_FINGERS])
{
    uint32_t longest = 1;
    for (uint32_t t = 2; t < LMBI_FINGERS; ++t) {
        longest = tips[t].length > tips[longest].length ? t : longest;
    }
    return longest;
}
