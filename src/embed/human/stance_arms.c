#include "embed/human/stance_arms.h"

#include "embed/human/pose_cost.h"
#include "embed/human/stance_facing.h"

#include <math.h>

static void set_hands(const lmbi_tip_view *v, const uint32_t hand[2], float cost,
                      lmbi_pose_hypothesis *s)
{
    s->hand[0] = hand[0];
    s->hand[1] = hand[1];
    s->cost += cost - s->hand_cost;
    s->hand_cost = cost;
    s->unused_length = lmbi_unused_tip_length(v, s);
}

/// What may be arms instead of those of a stance.
typedef struct rivals {
    uint32_t not_these[4];
    float shortest, most; ///< lengths of branches, cost
    lmb_vec3 forward;     ///< zero: whatever lies before what
    float highest;        ///< base
    float front;          ///< they have to lie farther along forward
} rivals;

/// The foremost of the pairs that may be; false where there is none.
static bool find_rival(const lmbi_tip_view *v, const lmbi_pose_hypothesis *s, const rivals *r,
                       uint32_t out[2], float *out_cost)
{
    float front = r->front;
    bool found = false;
    for (uint32_t c = 0; c < v->count; ++c) {
        for (uint32_t d = c + 1; d < v->count; ++d) {
            const uint32_t hand[2] = {c, d};
            bool used = false;
            for (int k = 0; k < 4; ++k) {
                used = used || c == r->not_these[k] || d == r->not_these[k];
            }
            const float before = lmbi_pair_offset_along(v, c, d, r->forward);
            if (used || fminf(v->tips[c].length, v->tips[d].length) < r->shortest ||
                before < front || lmbi_higher_base(v, hand) > r->highest) {
                continue;
            }
            const lmbi_body_mirror m = lmbi_body_mirror_between(v, s->foot, hand);
            const float cost =
                lmbi_hands_cost(v, &m, s->foot, hand) + lmbi_plane_cost(v, &m, s->foot, hand);
            if (cost < r->most) {
                out[0] = c;
                out[1] = d;
                *out_cost = cost;
                front = before;
                found = true;
            }
        }
    }
    return found;
}

/// Of two pairs of limbs that both may be arms, those that grow from the crown are horns or ears,
/// and those behind are wings or tails of hair.
void lmbi_choose_arms(const lmbi_tip_view *v, const lmbi_tip *tips, lmbi_pose_hypothesis *s)
{
    const float alike = 0.35f, limb = 0.15f, stub = 0.1f, behind = 0.03f, least_toes = 0.004f;
    const lmbi_body_mirror m = lmbi_body_mirror_between(v, s->foot, s->hand);
    const float top = lmbi_body_mirror_top(v, &m), head = 0.85f * top;
    uint32_t hand[2];
    float cost;
    rivals r = {.not_these = {s->foot[0], s->foot[1], s->hand[0], s->hand[1]},
                .shortest = stub,
                .most = s->hand_cost + alike,
                .highest = head};
    if (lmbi_higher_base(v, s->hand) > head && find_rival(v, s, &r, hand, &cost)) {
        set_hands(v, hand, cost, s);
    }
    r.forward = lmb_vec3_cross(s->left, s->up);
    const float toes = lmbi_toes_hint(v, s, tips, r.forward);
    if (fabsf(toes) > least_toes) {
        r.forward = toes < 0 ? lmb_vec3_neg(r.forward) : r.forward;
        r.shortest = limb;
        r.front = lmbi_pair_offset_along(v, s->hand[0], s->hand[1], r.forward) + behind;
        if (find_rival(v, s, &r, hand, &cost)) {
            set_hands(v, hand, cost, s);
        }
    }
}
