/// The candidates of a human: readings of voxels and of the surface, placed, measured and ranked by the
/// logarithm of their odds.
#include "embed/human/human.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static lmb_result place_reading(lmbi_voxel_cache *cache, lmbi_voxel_variant variant,
                                const lmbi_reading *reading, const lmbi_landmarks *landmarks,
                                lmbi_human_candidate *out, lmb_error *error)
{
    lmb_result result =
        lmbi_figure_from_reading(cache, variant, reading, landmarks, &out->figure, error);
    if (result == LMB_OK) {
        memset(&out->placed, 0, sizeof out->placed);
        result = lmbi_place_human_joints(&out->figure, &out->placed, error);
    }
    return result;
}

/// Whether two ends of limbs, in two frames, are the same place.
static bool same_end(const lmbi_human_candidate *c, uint32_t tip, const lmbi_voxel_cache *cache,
                     const lmbi_voxelisation *x, int32_t other)
{
    const float near = 0.05f;
    if (other == LMB_NONE) {
        return false;
    }
    const lmb_vec3 at =
        lmbi_frame_to(&c->figure.frame, lmbi_frame_from(&cache->frame, x->tips[other].position));
    return lmb_vec3_distance(at, c->figure.tips[tip].position) < near;
}

/// Whether a reading has the axes and the limbs of a candidate. Arms that it lacks are guessed from
/// the body, whichever they are.
static bool is_reading_of(const lmbi_human_candidate *c, const lmbi_voxel_cache *cache,
                          const lmbi_voxelisation *x, const lmbi_reading *r)
{
    const lmbi_figure *f = &c->figure;
    const int32_t *arms = r->tips[LMBI_CHAIN_FORE];
    const bool guessed = f->guess[0].made || f->guess[1].made,
               lacks = arms[0] == LMB_NONE || arms[1] == LMB_NONE;
    bool same = guessed == lacks && lmb_vec3_dot(f->frame.axes[1], r->up) > 0.95f &&
                lmb_vec3_dot(f->frame.axes[0], r->left) > 0.95f;
    for (int side = 0; side < 2 && same; ++side) {
        same = same_end(c, f->pose.foot[side], cache, x, r->tips[LMBI_CHAIN_LEGS][side]) &&
               (lacks || same_end(c, f->pose.hand[side], cache, x, arms[side]));
    }
    return same;
}

/// The bodies of the fit all have the same up axis, so that the weight of its prior is not fitted:
/// what LMBI_CLUE_OWN leaves of a whole logarithm.
static const float UP_WEIGHT = 0.5f;

/// The logarithm of the odds that the network gives a candidate, if these are better than even and it saw the same.
static float seen_odds(const lmbi_seen_figure *seen, const lmbi_human_candidate *c)
{
    const float most = 0.999f;
    lmb_vec3 joints[LMBI_BODY_JOINTS];
    for (int j = 0; j < LMBI_BODY_JOINTS && seen; ++j) {
        joints[j] = lmbi_frame_from(&c->figure.frame, c->placed.at[j]);
    }
    float odds = 0;
    for (int side = 0; side < 2 && seen; ++side) {
        const float facing = side ? 1 - seen->facing : seen->facing,
                    chance = fminf(seen->chance * facing, most);
        if (chance > 0.5f && lmbi_seen_agrees(&seen->limbs[side], joints, c->figure.frame.size)) {
            odds = lmb_log(chance / (1 - chance));
        }
    }
    return odds;
}

/// Adds the candidate unless it could not be placed, which is no error.
static lmb_result keep_candidate(lmb_result placed, const lmbi_readings *readings,
                                 const lmbi_reading *own, lmbi_human_candidate *list,
                                 uint32_t *count)
{
    if (placed == LMB_OK) {
        lmbi_human_candidate *c = &list[*count];
        c->placed.facing = c->given ? 1 : c->placed.facing;
        lmbi_human_clues(&c->figure, &c->placed, readings->list, readings->count, own->score,
                         c->clues);
        const float odds = lmbi_human_odds(c->clues);
        c->chance = 1 / (1 + lmb_exp(-odds));
        c->rank = odds + UP_WEIGHT * own->up_prior + seen_odds(readings->seen, c);
        ++*count;
    }
    return placed == LMB_ERROR_MEMORY ? placed : LMB_OK;
}

/// Whether one of the candidates of the coarse voxels has the axes and limbs of a reading.
static bool is_known(const lmbi_human_candidate *list, uint32_t count,
                     const lmbi_voxel_cache *cache, const lmbi_reading *r)
{
    const lmbi_voxelisation *x = &cache->variant[LMBI_VOXELS_COARSE];
    bool known = false;
    for (uint32_t c = 0; c < count && !known; ++c) {
        known = list[c].variant == LMBI_VOXELS_COARSE && is_reading_of(&list[c], cache, x, r);
    }
    return known;
}

/// The candidates that are collected.
typedef struct collection {
    lmbi_voxel_cache *cache;
    const lmb_embed_opts *opts;
    const lmbi_landmarks *landmarks; ///< or NULL
    lmbi_readings *readings;
    lmbi_human_candidate *list;
    uint32_t count;
    float surest;      ///< highest rank, but for first_prior; NONE before there is one
    float first_prior; ///< weighted, of the up axis of the best reading of a human
    lmbi_human_effort effort;
} collection;

/// Of this rank a candidate ends the search: odds of 12 to 1, as a logarithm.
static const float SURE = 2.5f, NONE = -1e30f;
/// Most candidates of the coarse voxels with all four limbs, and without.
enum { WHOLE = 4, OTHERS = 2 };
/// Readings of lower score than the best by this are not placed.
static const float FAR_BEHIND = 8;

static float first_prior(const lmbi_readings *readings)
{
    for (uint32_t k = 0; k < readings->count; ++k) {
        if (readings->list[k].plan == LMBI_PLAN_HUMAN) {
            return UP_WEIGHT * readings->list[k].up_prior;
        }
    }
    return 0;
}

static bool is_complete(const collection *c, uint32_t most)
{
    return c->count >= most || (c->surest > SURE && c->effort != LMBI_EFFORT_ALL);
}

/// Starts a candidate, and keeps it unless it could not be placed.
static lmb_result collect(collection *c, lmbi_voxel_variant variant, const lmbi_reading *r,
                          lmb_error *error)
{
    lmbi_human_candidate *made = &c->list[c->count];
    *made = (lmbi_human_candidate){.given = lmb_vec3_dot(c->opts->forward, c->opts->forward) > 0,
                                   .variant = variant};
    const lmb_result placed = place_reading(c->cache, variant, r, c->landmarks, made, error);
    const uint32_t before = c->count;
    lmbi_readings_add_figure(c->readings, r);
    const lmb_result result = keep_candidate(placed, c->readings, r, c->list, &c->count);
    c->surest = c->count > before ? fmaxf(c->surest, made->rank - c->first_prior) : c->surest;
    return result;
}

/// Whether a reading shows both arms and both legs.
static bool is_whole(const lmbi_reading *r)
{
    bool whole = true;
    for (int side = 0; side < 2; ++side) {
        whole = whole && r->tips[LMBI_CHAIN_LEGS][side] != LMB_NONE &&
                r->tips[LMBI_CHAIN_FORE][side] != LMB_NONE;
    }
    return whole;
}

/// The readings of the coarse voxels that differ, whole ones or others.
static lmb_result collect_readings(collection *c, bool whole, uint32_t most, lmb_error *error)
{
    const lmbi_reading *top = NULL;
    lmb_result result = LMB_OK;
    for (uint32_t k = 0; k < c->readings->count && result == LMB_OK && !is_complete(c, most); ++k) {
        const lmbi_reading *r = &c->readings->list[k];
        if (r->plan != LMBI_PLAN_HUMAN) {
            continue;
        }
        top = top ? top : r;
        if (is_whole(r) == whole && r->score >= top->score - FAR_BEHIND &&
            !is_known(c->list, c->count, c->cache, r)) {
            result = collect(c, LMBI_VOXELS_COARSE, r, error);
        }
    }
    return result;
}

/// Whether two readings of the same voxels have other hands.
static bool other_hands(const lmbi_voxelisation *x, const lmbi_reading *a, const lmbi_reading *b)
{
    const float near = 0.1f;
    bool other = false;
    for (int side = 0; side < 2; ++side) {
        const int32_t p = a->tips[LMBI_CHAIN_FORE][side], q = b->tips[LMBI_CHAIN_FORE][side];
        other = other || (p == LMB_NONE) != (q == LMB_NONE) ||
                (p != LMB_NONE && q != LMB_NONE &&
                 lmb_vec3_distance(x->tips[p].position, x->tips[q].position) > near);
    }
    return other;
}

/// Ends the chains of limbs that have landmarks where these say.
static void match_landmarks(collection *c, lmbi_voxel_variant variant, int32_t ends[LMBI_CHAINS][2])
{
    lmbi_voxelisation *x = &c->cache->variant[variant];
    const lmbi_landmarks own = lmbi_landmarks_in_frame(c->landmarks, &c->cache->frame);
    const lmbi_landmark_tips tips =
        lmbi_landmarks_match_tips(&own, &x->body, c->opts->up, x->tips, &x->tip_count);
    for (int chain = 0; chain < LMBI_CHAINS; ++chain) {
        for (int side = 0; side < 2; ++side) {
            ends[chain][side] = chain == LMBI_CHAIN_LEGS   ? tips.foot[side]
                                : chain == LMBI_CHAIN_FORE ? tips.hand[side]
                                                           : LMB_NONE;
        }
    }
}

/// The two best readings of a variant as a human that differ in their hands.
static lmb_result collect_variant(collection *c, lmbi_voxel_variant variant, lmb_error *error)
{
    int32_t ends[LMBI_CHAINS][2];
    const lmbi_search_opts search = {.up = c->opts->up,
                                     .forward = c->opts->forward,
                                     .y_up = c->opts->y_up,
                                     .plans = 1u << LMBI_PLAN_HUMAN,
                                     .ends = c->landmarks ? (const int32_t(*)[2])ends : NULL};
    const lmbi_voxelisation *x;
    lmbi_reading list[LMBI_READINGS];
    lmb_result result = lmbi_voxel_cache_get(c->cache, variant, &x, error);
    if (result == LMB_OK && x && c->landmarks) {
        match_landmarks(c, variant, ends);
    }
    const uint32_t count =
        result == LMB_OK && x ? lmbi_search_readings(&x->body, x->tips, x->tip_count, &search, list)
                              : 0;
    uint32_t second = 1;
    while (second < count && !other_hands(x, &list[0], &list[second])) {
        ++second;
    }
    if (count > 0) {
        result = collect(c, variant, &list[0], error);
    }
    if (result == LMB_OK && second < count && !is_complete(c, LMBI_HUMAN_CANDIDATES)) {
        result = collect(c, variant, &list[second], error);
    }
    return result;
}

/// The readings of the coarse voxels, and of parted ones, that agree with the landmarks.
static lmb_result collect_marked(collection *c, lmb_error *error)
{
    const lmb_result result = collect_variant(c, LMBI_VOXELS_COARSE, error);
    return result == LMB_OK && !is_complete(c, LMBI_HUMAN_CANDIDATES - 1)
               ? collect_variant(c, LMBI_VOXELS_PARTED, error)
               : result;
}

lmb_result lmbi_human_candidates(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                                 const lmbi_landmarks *landmarks, lmbi_readings *readings,
                                 lmbi_human_effort effort,
                                 lmbi_human_candidate list[LMBI_HUMAN_CANDIDATES], uint32_t *count,
                                 lmb_error *error)
{
    const bool few = effort == LMBI_EFFORT_FEW;
    collection c = {.cache = cache,
                    .opts = opts,
                    .landmarks = landmarks,
                    .readings = readings,
                    .list = list,
                    .surest = NONE,
                    .first_prior = first_prior(readings),
                    .effort = effort};
    if (landmarks) {
        const lmb_result marked = collect_marked(&c, error);
        *count = c.count;
        return marked;
    }
    if (readings->seen &&
        readings->seen->chance > 0.5f) { // one that is seen too may be all there is to look for
        const lmb_result first = collect_readings(&c, true, 1, error);
        if (first != LMB_OK || is_complete(&c, LMBI_HUMAN_CANDIDATES)) {
            *count = c.count;
            return first;
        }
        c.count = 0;
        c.surest = NONE;
    }
    // The surface shows limbs that touch or have sunk into the body, and voxels can be parted where
    // they only touch. These mislead all other readings, of which the best is placed too.
    bool touches = effort == LMBI_EFFORT_ALL;
    lmb_result result = few || touches ? LMB_OK : lmbi_voxel_cache_touches(cache, &touches, error);
    if (result == LMB_OK && touches) {
        result = collect_variant(&c, LMBI_VOXELS_SURFACE, error);
    }
    if (result == LMB_OK && touches) {
        result = collect_variant(&c, LMBI_VOXELS_PARTED, error);
    }
    const float touching = c.surest;
    c.surest = NONE;
    if (result == LMB_OK && c.count > 0) {
        const uint32_t before = c.count;
        result = collect_readings(&c, true, before + 1, error);
        if (result == LMB_OK && c.count == before) {
            result = collect_readings(&c, false, before + 1, error);
        }
    }
    c.surest = fmaxf(c.surest, touching);
    // Whole readings first: props and folded arms make others likely before joints are placed.
    if (result == LMB_OK) {
        result = collect_readings(&c, true, c.count + (few ? 1 : WHOLE), error);
    }
    if (result == LMB_OK) {
        result = collect_readings(&c, false, c.count + (few ? 1 : OTHERS), error);
    }
    const bool unsure = !few && !is_complete(&c, LMBI_HUMAN_CANDIDATES - 1);
    if (result == LMB_OK && unsure && !touches) {
        result = collect_variant(&c, LMBI_VOXELS_SURFACE, error);
    }
    *count = c.count;
    return result;
}

uint32_t lmbi_human_best(const lmbi_human_candidate *list, uint32_t count)
{
    uint32_t best = 0;
    for (uint32_t c = 1; c < count; ++c) {
        best = list[c].rank > list[best].rank ? c : best;
    }
    return best;
}
