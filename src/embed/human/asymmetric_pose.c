#include "embed/human/asymmetric_pose.h"

#include "embed/shape/mirror_plane.h"

#include <math.h>

/// Extra cost, so that a symmetric pose wins where both fit.
static const float EXTRA_COST = 0.3f;

static float relative_difference(float a, float b)
{
    return fabsf(a - b);
}

/// Cost of two tips as feet: legs of the same length that point down, at least one on the ground.
static float legs_cost(const lmbi_tip_view *v, const lmbi_viewed_tip *p, const lmbi_viewed_tip *q)
{
    const float reach = 0.5f * (p->geodesic + q->geodesic);
    const float drop = v->center_height - 0.5f * (p->height + q->height);
    return 5 * lmbi_excess(fminf(p->height, q->height), 0.05f) +
           2 * lmbi_excess(fmaxf(p->height, q->height), 0.15f) +
           2 * lmbi_excess(relative_difference(p->geodesic, q->geodesic), 0.04f) +
           15 * lmbi_excess(0.05f, lmb_vec3_distance(p->flat, q->flat)) +
           3 * lmbi_excess(0.75f, drop / fmaxf(reach, 1e-3f));
}

/// Cost of two tips as hands: arms of the same length that leave the trunk between legs and crown.
static float arms_cost(const lmbi_viewed_tip *p, const lmbi_viewed_tip *q)
{
    const float low = fminf(p->base_height, q->base_height),
                high = fmaxf(p->base_height, q->base_height);
    return 2 * lmbi_excess(relative_difference(p->geodesic, q->geodesic), 0.04f) +
           4 * lmbi_excess(0.28f, lmb_vec3_distance(p->flat, q->flat)) +
           6 * lmbi_excess(0.15f, fminf(p->height, q->height)) + 5 * lmbi_excess(high, 0.85f) +
           3 * lmbi_excess(0.45f, low) + 3 * lmbi_excess(0.22f, fminf(p->length, q->length));
}

/// Cost of the best tip as head: above the middle of the body, and as high as a head beside a
/// raised hand.
static float crown_cost(const lmbi_tip_view *v, const lmbi_pose_hypothesis *s, int32_t *out_head)
{
    float best = 1e30f;
    *out_head = -1;
    for (uint32_t t = 0; t < v->count; ++t) {
        const bool limb = t == s->foot[0] || t == s->foot[1] || t == s->hand[0] || t == s->hand[1];
        const lmbi_viewed_tip *h = &v->tips[t];
        const float cost = 2.5f * lmbi_excess(lmb_vec3_distance(h->flat, v->center_flat), 0.1f) +
                           4 * lmbi_excess(0.8f, h->height) + lmbi_excess(0.06f, h->length - 0.06f);
        if (!limb && cost < best) {
            best = cost;
            *out_head = (int32_t)t;
        }
    }
    return best;
}

static void try_hands(const lmbi_tip_view *v, const uint32_t foot[2], float feet, float prior,
                      lmbi_pose_hypothesis *best)
{
    const lmbi_body_mirror any = {v->mirrored ? v->side : lmb_vec3_any_perpendicular(v->up),
                                  v->center_flat};
    for (uint32_t c = 0; c < v->count; ++c) {
        for (uint32_t d = c + 1; d < v->count; ++d) {
            const float hands = EXTRA_COST + arms_cost(&v->tips[c], &v->tips[d]);
            if (c == foot[0] || c == foot[1] || d == foot[0] || d == foot[1] ||
                feet + hands + prior >= best->cost) {
                continue;
            }
            const uint32_t hand[2] = {c, d};
            lmbi_pose_hypothesis s = lmbi_pose_hypothesis_make(v, &any, foot, hand, -1);
            s.head_cost = crown_cost(v, &s, &s.head);
            s.unused_length = lmbi_unused_tip_length(v, &s);
            s.asymmetric = true;
            s.foot_cost = feet;
            s.hand_cost = hands;
            // A figure has no tail and no other long tips.
            s.cost = feet + hands + s.head_cost + prior + 3 * lmbi_excess(s.unused_length, 0.1f);
            *best = s.cost < best->cost ? s : *best;
        }
    }
}

void lmbi_find_asymmetric_pose(const lmbi_tip_view *v, float prior, lmbi_pose_hypothesis *best)
{
    for (uint32_t a = 0; a < v->count; ++a) {
        for (uint32_t b = a + 1; b < v->count; ++b) {
            const uint32_t foot[2] = {a, b};
            const float feet = legs_cost(v, &v->tips[a], &v->tips[b]);
            if (feet + EXTRA_COST + prior < best->cost) {
                try_hands(v, foot, feet, prior, best);
            }
        }
    }
}

void lmbi_asymmetric_pose_plane(const lmbi_tip_view *v, lmbi_pose_hypothesis *s)
{
    const lmbi_body_mirror both = lmbi_body_mirror_between(v, s->foot, s->hand),
                           hands = lmbi_body_mirror_between(v, s->hand, s->hand),
                           feet = lmbi_body_mirror_between(v, s->foot, s->foot);
    const lmb_vec3 guesses[3] = {both.normal, hands.normal, feet.normal};
    float least = 1e30f;
    for (int g = 0; g < 3; ++g) {
        lmb_vec3 left = lmb_vec3_normalize_or(lmbi_horizontal_part(guesses[g], s->up),
                                              lmb_vec3_any_perpendicular(s->up));
        float middle = lmb_vec3_dot(v->center_flat, left) * v->size;
        const float miss = lmbi_mirror_refine(v->body, s->up, &left, &middle);
        if (miss < least) {
            least = miss;
            s->left = left;
            s->plane_offset = middle;
        }
    }
}
