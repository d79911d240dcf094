/// The legs, trunk and neck that a gait moves, of any skeleton's chains.
#include <string.h>

#include "asset/tree.h"
#include "base/error.h"
#include "limber/procedural.h"
#include "mapping/chains.h"
#include "mapping/mapper.h"
#include "procedural/procedural.h"

static lmb_gait_leg leg_of(const lmb_body_chain *c)
{
    return (lmb_gait_leg){
        .hip = (uint32_t)c->joints[c->upper],
        .knee = (uint32_t)c->joints[c->lower],
        .ankle = (uint32_t)c->joints[c->end],
        .blade = c->upper > 0 ? c->joints[c->upper - 1] : LMB_NONE,
        .toes = c->end + 1 < c->count ? c->joints[c->end + 1] : LMB_NONE,
    };
}

/// The joint that a pair of legs hangs from.
static int32_t carrier_of(const lmb_skeleton *s, const lmb_chain_map *map, uint32_t pair)
{
    return lmbi_common_ancestor(s, lmbi_chain_get(map, LMB_CHAIN_LEG, 1, pair)->joints[0],
                                lmbi_chain_get(map, LMB_CHAIN_LEG, -1, pair)->joints[0]);
}

/// Joints from below `above` down to `joint`, at most LMB_GAIT_CHAIN.
static uint32_t list_chain(const lmb_skeleton *s, int32_t above, int32_t joint,
                           uint32_t out[LMB_GAIT_CHAIN])
{
    uint32_t count = 0;
    for (int32_t j = joint; j >= 0 && j != above; j = s->parents[j]) {
        ++count;
    }
    uint32_t slot = count;
    for (int32_t j = joint; slot > 0; j = s->parents[j]) {
        if (--slot < LMB_GAIT_CHAIN) {
            out[slot] = (uint32_t)j;
        }
    }
    return count < LMB_GAIT_CHAIN ? count : LMB_GAIT_CHAIN;
}

/// From below the chest, or the hips of a body without one, to the head.
static int32_t head_of(const lmb_chain_map *map)
{
    const lmb_body_chain *neck = lmbi_chain_get(map, LMB_CHAIN_NECK, 0, 0),
                         *spine = lmbi_chain_get(map, LMB_CHAIN_SPINE, 0, 0);
    const lmb_body_chain *top = neck ? neck : spine;
    return top ? top->joints[top->count - 1] : LMB_NONE;
}

/// The chain above the hips: of two legs, the lower half is trunk; of four, what lies between them;
/// more legs have none.
static void find_trunk(const lmb_skeleton *s, const lmb_chain_map *map, lmb_gait_body *body)
{
    const uint32_t pairs = body->leg_count / 2;
    const int32_t head = head_of(map), behind = carrier_of(s, map, 0);
    int32_t hips = behind;
    for (uint32_t p = 1; p < pairs; ++p) {
        hips = lmbi_common_ancestor(s, hips, carrier_of(s, map, p));
    }
    body->hips = hips > 0 ? (uint32_t)hips : 0;
    if (pairs == 2) {
        const int32_t chest = carrier_of(s, map, 1);
        body->trunk_count = list_chain(s, hips, chest, body->trunk);
        body->neck_count =
            lmbi_is_under(s, head, chest) ? list_chain(s, chest, head, body->neck) : 0;
    } else if (pairs == 1 && lmbi_is_under(s, head, hips)) {
        uint32_t up[LMB_GAIT_CHAIN];
        const uint32_t count = list_chain(s, hips, head, up);
        body->trunk_count = count / 2;
        body->neck_count = count - count / 2;
        memcpy(body->trunk, up, body->trunk_count * sizeof *up);
        memcpy(body->neck, up + body->trunk_count, body->neck_count * sizeof *up);
    }
}

lmb_result lmb_gait_body_find(const lmb_character *character, const lmb_allocator *alloc,
                              lmb_gait_body *out, lmb_error *error)
{
    static const char expected[] = "two to eight legs that stand on the ground in pairs";
    const lmb_skeleton *s = character->skeleton;
    lmb_chain_map map;
    lmb_gait_body body = {.leg_count = 0};
    lmb_result result = lmb_chain_map_find(s, alloc, &map, error);
    const uint32_t pairs = result == LMB_OK ? lmbi_chain_pairs(&map, LMB_CHAIN_LEG) : 0;
    if (result == LMB_ERROR_UNSUPPORTED || (result == LMB_OK && pairs == 0)) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, expected, "no legs");
    }
    if (result == LMB_OK && pairs > LMB_GAIT_LEGS / 2) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, expected, "%u pairs", (unsigned)pairs);
    }
    if (result != LMB_OK) {
        return result;
    }
    for (uint32_t p = 0; p < pairs; ++p) {
        body.legs[2 * p] = leg_of(lmbi_chain_get(&map, LMB_CHAIN_LEG, 1, p));
        body.legs[2 * p + 1] = leg_of(lmbi_chain_get(&map, LMB_CHAIN_LEG, -1, p));
    }
    for (int side = 0; side < 2; ++side) {
        body.arms[side] = (lmb_gait_arm){LMB_NONE, LMB_NONE, LMB_NONE, LMB_NONE};
    }
    body.leg_count = 2 * pairs;
    body.facing_rad = lmb_atan2(map.front.x, map.front.z);
    find_trunk(s, &map, &body);
    result = lmbi_gait_body_fit(character, alloc, &body, error);
    if (result == LMB_OK) {
        *out = body;
    }
    return result;
}
