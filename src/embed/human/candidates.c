/// The candidates of a human: readings that are placed, measured and ranked by the logarithm of their odds.
#include "embed/human/human.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static lmb_result place_reading(lmbi_voxel_cache *cache, const lmbi_reading *reading,
                                const lmbi_landmarks *landmarks, lmbi_human_candidate *out,
                                lmb_error *error)
{
    lmb_result result = lmbi_figure_from_reading(cache, reading, landmarks, &out->figure, error);
    if (result == LMB_OK) {
        memset(&out->placed, 0, sizeof out->placed);
        result = lmbi_place_human_joints(&out->figure, &out->placed, error);
    }
    return result;
}

/// Whether two ends of limbs, in two frames, are the same place.
static bool same_end(const lmbi_human_candidate *c, uint32_t tip, const lmbi_voxel_cache *cache,
                     int32_t other)
{
    const float near = 0.05f;
    const lmb_vec3 end = cache->variant[LMBI_VOXELS_COARSE].tips[other].position,
                   at = lmbi_frame_to(&c->figure.frame, lmbi_frame_from(&cache->frame, end));
    return lmb_vec3_distance(at, c->figure.tips[tip].position) < near;
}

/// Whether a reading with all limbs has the axes and the limbs of a candidate.
static bool is_reading_of(const lmbi_human_candidate *c, const lmbi_voxel_cache *cache,
                          const lmbi_reading *r)
{
    const lmbi_figure *f = &c->figure;
    bool same = lmb_vec3_dot(f->frame.axes[1], r->up) > 0.95f &&
                lmb_vec3_dot(f->frame.axes[0], r->left) > 0.95f;
    for (int side = 0; side < 2 && same; ++side) {
        same = same_end(c, f->pose.foot[side], cache, r->tips[LMBI_CHAIN_LEGS][side]) &&
               same_end(c, f->pose.hand[side], cache, r->tips[LMBI_CHAIN_FORE][side]);
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

/// Whether one of the candidates has the axes and limbs of a reading.
static bool is_known(const lmbi_human_candidate *list, uint32_t count,
                     const lmbi_voxel_cache *cache, const lmbi_reading *r)
{
    bool known = false;
    for (uint32_t c = 0; c < count && !known; ++c) {
        known = is_reading_of(&list[c], cache, r);
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
    bool all;          ///< does not end at one that is surely right
} collection;

/// Of this rank a candidate ends the search: odds of 12 to 1, as a logarithm.
static const float SURE = 2.5f, NONE = -1e30f;
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

static bool is_complete(const collection *c)
{
    return c->count >= LMBI_HUMAN_CANDIDATES || (c->surest > SURE && !c->all);
}

/// Starts a candidate, and keeps it unless it could not be placed.
static lmb_result collect(collection *c, const lmbi_reading *r, lmb_error *error)
{
    lmbi_human_candidate *made = &c->list[c->count];
    *made = (lmbi_human_candidate){.given = lmb_vec3_dot(c->opts->forward, c->opts->forward) > 0 &&
                                            !(c->landmarks && c->landmarks->seen)};
    const lmb_result placed = place_reading(c->cache, r, c->landmarks, made, error);
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

/// The readings with all limbs that differ.
static lmb_result collect_readings(collection *c, lmb_error *error)
{
    const lmbi_reading *top = NULL;
    lmb_result result = LMB_OK;
    for (uint32_t k = 0; k < c->readings->count && result == LMB_OK && !is_complete(c); ++k) {
        const lmbi_reading *r = &c->readings->list[k];
        if (r->plan != LMBI_PLAN_HUMAN) {
            continue;
        }
        top = top ? top : r;
        if (is_whole(r) && r->score >= top->score - FAR_BEHIND &&
            !is_known(c->list, c->count, c->cache, r)) {
            result = collect(c, r, error);
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
static void match_landmarks(collection *c, lmbi_voxelisation *x, int32_t ends[LMBI_CHAINS][2])
{
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

/// The two best readings that agree with the landmarks and differ in their hands.
static lmb_result collect_marked(collection *c, lmb_error *error)
{
    int32_t ends[LMBI_CHAINS][2];
    const lmbi_search_opts search = {.up = c->opts->up,
                                     .forward = c->opts->forward,
                                     .y_up = c->opts->y_up,
                                     .plans = 1u << LMBI_PLAN_HUMAN,
                                     .ends = (const int32_t(*)[2])ends};
    lmbi_voxelisation *x = &c->cache->variant[LMBI_VOXELS_COARSE];
    lmbi_reading list[LMBI_READINGS];
    // Readings that were found before have the tips as they were.
    lmbi_tip before[LMBI_MAX_TIPS];
    const uint32_t tip_count = x->tip_count;
    memcpy(before, x->tips, sizeof before);
    match_landmarks(c, x, ends);
    const uint32_t count = lmbi_search_readings(&x->body, x->tips, x->tip_count, &search, list);
    uint32_t second = 1;
    while (second < count && !other_hands(x, &list[0], &list[second])) {
        ++second;
    }
    lmb_result result = count > 0 ? collect(c, &list[0], error) : LMB_OK;
    if (result == LMB_OK && second < count && !is_complete(c)) {
        result = collect(c, &list[second], error);
    }
    memcpy(x->tips, before, sizeof before);
    x->tip_count = tip_count;
    return result;
}

lmb_result lmbi_human_candidates(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                                 const lmbi_landmarks *landmarks, lmbi_readings *readings, bool all,
                                 lmbi_human_candidate list[LMBI_HUMAN_CANDIDATES], uint32_t *count,
                                 lmb_error *error)
{
    collection c = {.cache = cache,
                    .opts = opts,
                    .landmarks = landmarks,
                    .readings = readings,
                    .list = list,
                    .surest = NONE,
                    .first_prior = first_prior(readings),
                    .all = all};
    const lmb_result result = landmarks ? collect_marked(&c, error) : collect_readings(&c, error);
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
