#include "embed/creature/stand.h"

#include <math.h>

/// In units of the shape: the shortest free length of a leg, and how far the lowest point of a foot
/// is from its tip at most.
static const float SHORTEST_LEG = 0.035f, FOOT = 0.15f;

/// Bits of chains: legs that a plan stands on, chains that it cannot be without, and chains of which
/// one has to be seen on both sides.
#define CHAIN_BIT(chain) (1u << (chain))
static const struct {
    uint32_t legs, needed, both;
} PLANS[LMBI_PLANS] = {
    [LMBI_PLAN_HUMAN] = {CHAIN_BIT(LMBI_CHAIN_LEGS), CHAIN_BIT(LMBI_CHAIN_LEGS)},
    [LMBI_PLAN_QUADRUPED] = {CHAIN_BIT(LMBI_CHAIN_LEGS) | CHAIN_BIT(LMBI_CHAIN_FORE),
                             CHAIN_BIT(LMBI_CHAIN_LEGS) | CHAIN_BIT(LMBI_CHAIN_FORE)},
    [LMBI_PLAN_BIRD] = {CHAIN_BIT(LMBI_CHAIN_LEGS), 0,
                        CHAIN_BIT(LMBI_CHAIN_LEGS) | CHAIN_BIT(LMBI_CHAIN_FORE)},
    [LMBI_PLAN_BIPED] = {CHAIN_BIT(LMBI_CHAIN_LEGS), 0, CHAIN_BIT(LMBI_CHAIN_LEGS)},
    [LMBI_PLAN_SPIDER] = {CHAIN_BIT(LMBI_CHAIN_LEGS) | CHAIN_BIT(LMBI_CHAIN_THIRD) |
                              CHAIN_BIT(LMBI_CHAIN_MIDDLE) | CHAIN_BIT(LMBI_CHAIN_FORE),
                          CHAIN_BIT(LMBI_CHAIN_LEGS) | CHAIN_BIT(LMBI_CHAIN_MIDDLE) |
                              CHAIN_BIT(LMBI_CHAIN_FORE)},
    [LMBI_PLAN_SIX] = {CHAIN_BIT(LMBI_CHAIN_LEGS) | CHAIN_BIT(LMBI_CHAIN_FORE),
                       CHAIN_BIT(LMBI_CHAIN_LEGS) | CHAIN_BIT(LMBI_CHAIN_FORE) |
                           CHAIN_BIT(LMBI_CHAIN_UPPER)},
};
/// Legs from the hind ones to the front ones.
static const lmbi_chain LEG_CHAINS[LMBI_MAX_PAIRS] = {LMBI_CHAIN_LEGS, LMBI_CHAIN_THIRD,
                                                      LMBI_CHAIN_MIDDLE, LMBI_CHAIN_FORE};

bool lmbi_reading_is_whole(const lmbi_reading *r)
{
    uint32_t seen = 0, both = 0;
    for (int c = 0; c < LMBI_CHAINS; ++c) {
        const bool left = r->tips[c][0] != LMB_NONE, right = r->tips[c][1] != LMB_NONE;
        seen |= left || right ? CHAIN_BIT(c) : 0;
        both |= left && right ? CHAIN_BIT(c) : 0;
    }
    const uint32_t needed = PLANS[r->plan].needed, pair = PLANS[r->plan].both;
    return (seen & needed) == needed && (pair == 0 || (both & pair) != 0);
}

/// Moves a foot from its first lowest voxel to the centroid of its contact with the ground.
static lmb_vec3 contact_of(const lmbi_body_shape *v, lmb_vec3 foot)
{
    const float near = 0.05f, thick = 2.5f * v->body.grid.cell;
    for (int round = 0; round < 2; ++round) {
        lmb_vec3 sum = {0, 0, 0};
        float n = 0;
        for (uint32_t k = 0; k < v->body.solid_count; ++k) {
            const lmb_vec3 d = lmb_vec3_sub(v->body.at[k], foot);
            if (fabsf(d.y) < thick && lmb_vec3_dot(d, d) < near * near) {
                sum = lmb_vec3_add(sum, d);
                n += 1;
            }
        }
        sum.y = 0;
        foot = n > 0 ? lmb_vec3_mad(foot, sum, 1 / n) : foot;
    }
    return foot;
}

/// Whether `at` is nearer to the end of another leg of its side than to `tip`. Feet may be closer together than
/// toes reach.
static bool is_of_other(const lmbi_body_shape *v, const lmbi_stand *s, uint32_t legs,
                        const lmbi_tip *tip, lmb_vec3 at)
{
    bool other = false;
    for (int c = 0; c < LMBI_CHAINS; ++c) {
        for (int k = 0; k < 2 && (legs & CHAIN_BIT(c)); ++k) {
            const int32_t t = s->tips[c][k];
            other = other || (t != LMB_NONE && v->tips[t].position.x * at.x > 0 &&
                              lmb_vec3_distance(at, v->tips[t].position) <
                                  lmb_vec3_distance(at, tip->position));
        }
    }
    return other;
}

/// The lowest point of the foot at a tip, with the free length of its leg. Of several toes the one
/// with the longest branch counts: the others join it at the ankle. False if there is none.
static bool foot_at(const lmbi_body_shape *v, const lmbi_stand *s, uint32_t legs,
                    const lmbi_tip *feet, uint32_t count, const lmbi_tip *tip, lmbi_tip *out)
{
    bool found = false;
    for (uint32_t f = 0; f < count; ++f) {
        const bool near = lmb_vec3_distance(feet[f].position, tip->position) < FOOT &&
                          feet[f].position.x * tip->position.x > 0 &&
                          !is_of_other(v, s, legs, tip, feet[f].position);
        if (near && (!found || feet[f].length > out->length)) {
            found = true;
            *out = feet[f];
        }
    }
    return found;
}

static lmbi_tip mirrored(lmbi_tip t)
{
    t.position.x = -t.position.x;
    t.base.x = -t.base.x;
    return t;
}

/// The pair of feet of a chain; a foot that is not seen mirrors the other. False if neither is.
static bool find_pair(const lmbi_body_shape *v, const lmbi_stand *s, uint32_t legs,
                      const lmbi_tip *feet, uint32_t count, const int32_t tips[2],
                      lmbi_leg_pair *out)
{
    const int32_t a = tips[0] == LMB_NONE ? tips[1] : tips[0],
                  b = tips[1] == LMB_NONE ? tips[0] : tips[1];
    if (a == LMB_NONE) {
        return false;
    }
    lmbi_tip l, r;
    if (!foot_at(v, s, legs, feet, count, &v->tips[a], &l) ||
        !foot_at(v, s, legs, feet, count, &v->tips[b], &r)) {
        // The toes of both feet touch, or the foot is in the air. The branch of one leg may end at
        // another toe of its foot: the other leg's tells more.
        l = v->tips[a];
        r = v->tips[b];
        l.base.y = r.base.y = fmaxf(l.base.y, r.base.y);
    }
    l.position = contact_of(v, l.position);
    r.position = contact_of(v, r.position);
    l = tips[0] == LMB_NONE ? mirrored(l) : l;
    r = tips[1] == LMB_NONE ? mirrored(r) : r;
    const float free = fminf(l.base.y, r.base.y);
    *out = (lmbi_leg_pair){.foot = {l.position, r.position},
                           .free = free,
                           .length = free - fmaxf(l.position.y, r.position.y)};
    return true;
}

/// The tip of the shape nearest to a tip of the coarse voxels.
static int32_t nearest_tip(const lmbi_body_shape *v, lmb_vec3 p)
{
    int32_t best = LMB_NONE;
    for (uint32_t t = 0; t < v->tip_count; ++t) {
        best = best == LMB_NONE || lmb_vec3_distance(v->tips[t].position, p) <
                                       lmb_vec3_distance(v->tips[best].position, p)
                   ? (int32_t)t
                   : best;
    }
    return best;
}

lmb_result lmbi_stand_find(const lmbi_body_shape *shape, const lmbi_reading *reading,
                           const lmbi_voxelisation *coarse, const lmbi_frame *frame,
                           lmbi_stand *out, lmb_error *error)
{
    lmbi_tip feet[LMBI_MAX_TIPS];
    uint32_t count;
    const lmb_result result = lmbi_body_find_feet(&shape->body, lmb_vec3_make(0, 1, 0),
                                                  SHORTEST_LEG, feet, &count, error);
    *out = (lmbi_stand){.pair_count = 0};
    for (int c = 0; c < LMBI_CHAINS; ++c) {
        for (int k = 0; k < 2; ++k) {
            const int32_t t = reading->tips[c][k];
            out->tips[c][k] =
                t == LMB_NONE
                    ? LMB_NONE
                    : nearest_tip(shape,
                                  lmbi_frame_to(&shape->frame,
                                                lmbi_frame_from(frame, coarse->tips[t].position)));
        }
    }
    const uint32_t legs = PLANS[reading->plan].legs;
    for (int n = 0; n < LMBI_MAX_PAIRS && result == LMB_OK; ++n) {
        const lmbi_chain c = LEG_CHAINS[n];
        if ((legs & CHAIN_BIT(c)) &&
            find_pair(shape, out, legs, feet, count, out->tips[c], &out->pairs[out->pair_count])) {
            ++out->pair_count;
        }
    }
    return result;
}
