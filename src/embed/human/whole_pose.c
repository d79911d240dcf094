#include "embed/human/whole_pose.h"

#include "embed/human/pose_cost.h"

#include <math.h>

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
    for (uint32_t a = 0; a < v->count; ++a) {
        for (uint32_t b = a + 1; b < v->count; ++b) {
            const float feet = lmbi_feet_cost(v, a, b);
            if (feet + prior >= best->cost || !agrees_with_known(known->foot, known->hand, a, b)) {
                continue;
            }
            const uint32_t foot[2] = {a, b};
            try_hands(v, foot, prior, feet, known, best);
        }
    }
}
