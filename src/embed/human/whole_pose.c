#include "embed/human/whole_pose.h"

#include "embed/human/pose_cost.h"

#include <math.h>

/// Number of other limbs. One of them may be the only visible arm; tails and hair, which hang in
/// the middle, do not count.
static uint32_t count_unused(const lmbi_tip_view *v, const lmbi_body_mirror *m,
                             const uint32_t foot[2], int32_t head)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < v->count; ++t) {
        const bool aside = fabsf(lmbi_body_mirror_distance(m, v->tips[t].flat)) > 0.08f;
        count += t != foot[0] && t != foot[1] && (int32_t)t != head && aside &&
                 v->tips[t].length > 0.12f;
    }
    return count;
}

static void find_armless_pose(const lmbi_tip_view *v, uint32_t a, uint32_t b, float cost,
                              lmbi_pose_hypothesis *best)
{
    const float without_hands = 0.7f;
    const uint32_t foot[2] = {a, b};
    const lmbi_body_mirror m = lmbi_body_mirror_between(v, foot, foot);
    int32_t head;
    const float crown = lmbi_head_cost(v, &m, foot, foot, &head);
    cost += without_hands + 2 * crown + lmbi_plane_cost(v, &m, foot, foot);
    if (cost >= best->cost || crown > 0.2f || count_unused(v, &m, foot, head) > 1) {
        return;
    }
    *best = lmbi_pose_hypothesis_make(v, &m, foot, foot, head);
    best->armless = true;
    best->cost = cost;
    best->foot_cost = cost - without_hands - 2 * crown;
    best->hand_cost = without_hands;
    best->head_cost = crown;
}

/// Mean distance of the lowest voxels from a mirror plane, in heights.
static float ground_aside(const lmbi_tip_view *v, const lmbi_body_mirror *m)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t k = 0; k < v->body->solid_count; ++k) {
        const lmb_vec3 p = v->body->at[k];
        if (lmb_vec3_dot(p, v->up) < v->low + 0.04f * v->size) {
            sum += (double)lmbi_body_mirror_distance(
                m, lmb_vec3_scale(lmbi_horizontal_part(p, v->up), 1 / v->size));
            ++count;
        }
    }
    return count > 0 ? fabsf((float)(sum / count)) : 1;
}

/// Tries tips c and d as hands without feet.
static void try_hands_without_feet(const lmbi_tip_view *v, uint32_t c, uint32_t d, float prior,
                                   lmbi_pose_hypothesis *best)
{
    const float without_feet = 0.65f; // any hypothesis of a whole figure is better
    const uint32_t hand[2] = {c, d};
    const lmbi_body_mirror m = lmbi_body_mirror_between(v, hand, hand);
    float cost = prior + without_feet + lmbi_hands_cost(v, &m, hand, hand) +
                 lmbi_plane_cost(v, &m, hand, hand) + lmbi_bumps_cost(&v->tips[c], &v->tips[d]);
    if (cost >= best->cost || lmbi_higher_base(v, hand) < 0.5f) {
        return;
    }
    int32_t head;
    const float crown = lmbi_head_cost(v, &m, hand, hand, &head);
    cost += 2 * crown;
    if (cost >= best->cost || crown > 0.2f || count_unused(v, &m, hand, head) > 3 ||
        ground_aside(v, &m) > 0.05f) {
        return;
    }
    *best = lmbi_pose_hypothesis_make(v, &m, hand, hand, head);
    best->footless = true;
    best->cost = cost;
    best->foot_cost = without_feet;
    best->hand_cost = cost - without_feet - 2 * crown;
    best->head_cost = crown;
}

static void find_footless_pose(const lmbi_tip_view *v, float prior, lmbi_pose_hypothesis *best)
{
    for (uint32_t c = 0; c < v->count; ++c) {
        for (uint32_t d = c + 1; d < v->count; ++d) {
            try_hands_without_feet(v, c, d, prior, best);
        }
    }
}

/// Whether the pair contains every tip known to be in it, and none known to be in the other pair.
static bool agrees_with_known(const int32_t known[2], const int32_t other[2], uint32_t a,
                              uint32_t b)
{
    for (int side = 0; side < 2; ++side) {
        if (known[side] != LMB_NONE && known[side] != (int32_t)a && known[side] != (int32_t)b) {
            return false;
        }
        if (other[side] == (int32_t)a || other[side] == (int32_t)b) {
            return false;
        }
    }
    return true;
}

static const lmbi_landmark_tips NOTHING = {{LMB_NONE, LMB_NONE}, {LMB_NONE, LMB_NONE}};

/// Tries `foot` as feet, which cost `feet`, and `hand` as hands.
static void try_pairs(const lmbi_tip_view *v, const uint32_t foot[2], const uint32_t hand[2],
                      float prior, float feet, bool given, lmbi_pose_hypothesis *best)
{
    const lmbi_body_mirror m = lmbi_body_mirror_between(v, foot, hand);
    const float hands = lmbi_hands_cost(v, &m, foot, hand) + lmbi_plane_cost(v, &m, foot, hand) +
                        (given ? 0 : lmbi_bumps_cost(&v->tips[hand[0]], &v->tips[hand[1]]));
    if (feet + hands + prior >= best->cost) {
        return;
    }
    int32_t head;
    const float crown = lmbi_head_cost(v, &m, foot, hand, &head);
    const float cost = feet + hands + crown + prior;
    if (cost < best->cost) {
        *best = lmbi_pose_hypothesis_make(v, &m, foot, hand, head);
        best->cost = cost;
        best->foot_cost = feet;
        best->hand_cost = hands;
        best->head_cost = crown;
    }
}

/// Tries every pair of hands for these feet.
static void try_hands(const lmbi_tip_view *v, const uint32_t foot[2], float prior, float feet,
                      const lmbi_landmark_tips *known, lmbi_pose_hypothesis *best)
{
    // The tip of a given hand may be that of one of its fingers, so its length does not count.
    const bool given = known->hand[0] != LMB_NONE || known->hand[1] != LMB_NONE;
    for (uint32_t c = 0; c < v->count; ++c) {
        for (uint32_t d = c + 1; d < v->count; ++d) {
            const uint32_t hand[2] = {c, d};
            if (c != foot[0] && c != foot[1] && d != foot[0] && d != foot[1] &&
                agrees_with_known(known->hand, known->foot, c, d)) {
                try_pairs(v, foot, hand, prior, feet, given, best);
            }
        }
    }
}

void lmbi_find_whole_pose(const lmbi_tip_view *v, float prior, const lmbi_landmark_tips *known,
                          lmbi_pose_hypothesis *best)
{
    const bool partial = !known && prior < 0.1f;
    known = known ? known : &NOTHING;
    if (partial) {
        find_footless_pose(v, prior, best);
    }
    for (uint32_t a = 0; a < v->count; ++a) {
        for (uint32_t b = a + 1; b < v->count; ++b) {
            const float feet = lmbi_feet_cost(v, a, b);
            if (feet + prior >= best->cost || !agrees_with_known(known->foot, known->hand, a, b)) {
                continue;
            }
            if (partial) {
                find_armless_pose(v, a, b, feet + prior, best);
            }
            const uint32_t foot[2] = {a, b};
            try_hands(v, foot, prior, feet, known, best);
        }
    }
}
