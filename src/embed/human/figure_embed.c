/// Embeds a humanoid in a figure, and rates its confidence.
#include "embed/human/figure_embed.h"
#include "embed/body_joint.h"
#include "embed/cost.h"

#include "base/error.h"
#include "embed/hand/hand.h"
#include "embed/human/figure.h"
#include "embed/kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void write_joints(const lmbi_figure *f, const lmbi_human_joints *placed, lmb_embedding *out)
{
    memset(out, 0, sizeof *out);
    out->kind = LMB_SKELETON_HUMAN;
    const lmb_vec3 zero = {0, 0, 0}; // -0 + 0 is 0, so no negative zeros are written
    out->left = lmb_vec3_add(f->frame.axes[0], zero);
    out->up = lmb_vec3_add(f->frame.axes[1], zero);
    out->forward = lmb_vec3_add(f->frame.axes[2], zero);
    out->ground = f->frame.origin;
    out->height = f->frame.size;
    out->joint_count = LMBI_BODY_JOINTS;
    for (uint32_t j = 0; j < LMBI_BODY_JOINTS; ++j) {
        out->joints[j] = lmbi_frame_from(&f->frame, placed->at[j]);
        out->tips[j] = out->joints[j];
        out->confidence[j] = placed->confidence[j];
        out->reason[j] = placed->reason[j];
    }
    out->tips[LMBI_HEAD] = lmbi_frame_from(&f->frame, placed->head_top);
    for (int side = 0; side < 2; ++side) {
        out->tips[LMBI_LEFT_HAND + side * LMBI_ARM_JOINTS] =
            lmbi_frame_from(&f->frame, placed->hand_tip[side]);
        out->tips[LMBI_LEFT_TOES + side * LMBI_LEG_JOINTS] =
            lmbi_frame_from(&f->frame, placed->toe_tip[side]);
    }
}

static void name_joints(lmb_embedding *e)
{
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        snprintf(e->names[j], sizeof e->names[j], "%s", lmbi_body_joint_name(j));
        e->parents[j] = lmbi_body_joint_parent(j);
    }
}

/// A wrist that fingers show is at most this far from where the arm shows it, in heights: farther
/// off are other ends than fingers.
static const float SAME_WRIST = 0.06f;

static lmb_result find_hands(const lmbi_figure *f, const lmbi_human_joints *placed,
                             lmbi_hand hands[2], lmb_error *error)
{
    lmb_result result = LMB_OK;
    for (int side = 0; side < 2 && result == LMB_OK; ++side) {
        result = lmbi_find_fingers(f, placed, side, &hands[side], error);
        const lmb_vec3 wrist = placed->at[LMBI_LEFT_HAND + side * LMBI_ARM_JOINTS];
        if (!hands[side].found || !hands[side].separate ||
            lmb_vec3_distance(hands[side].wrist, wrist) > SAME_WRIST) {
            hands[side].found = false;
            break; // fingers are added to both hands or to none
        }
    }
    return result;
}

/// Adds fingers if both hands have five.
static lmb_result add_fingers(const lmbi_figure *f, const lmbi_human_joints *placed,
                              lmb_embedding *out, lmb_error *error)
{
    lmbi_hand hands[2] = {{.found = false}};
    const lmb_result result = find_hands(f, placed, hands, error);
    if (result != LMB_OK || !hands[0].found || !hands[1].found) {
        return result;
    }
    out->joint_count = LMBI_HUMANOID_JOINTS;
    for (int side = 0; side < 2; ++side) {
        // Fingers determine the wrist better than the narrowing of the arm does.
        const uint32_t j = (uint32_t)(LMBI_LEFT_HAND + side * LMBI_ARM_JOINTS);
        out->joints[j] = lmbi_frame_from(&f->frame, hands[side].wrist);
    }
    for (uint32_t k = 0; k < LMBI_FINGER_JOINTS; ++k) {
        const lmbi_hand *hand = &hands[k / (LMBI_FINGER_JOINTS / 2)];
        const uint32_t finger = k / 3 % 5, j = LMBI_BODY_JOINTS + k;
        out->joints[j] = lmbi_frame_from(&f->frame, hand->joint[finger][k % 3]);
        out->tips[j] = k % 3 == 2 ? lmbi_frame_from(&f->frame, hand->tip[finger]) : out->joints[j];
        out->confidence[j] = 0.8f;
        out->reason[j] = "a fraction of a finger that stands apart";
    }
    return LMB_OK;
}

static const char NO_FEET[] = "no feet visible; usual legs in what the figure stands on";

/// Whether knees and ankles of both legs are far before the hips, with the thighs on a seat. In a
/// squat the ankles stay below the hips.
static bool is_seated(const lmb_embedding *e)
{
    const float before = 0.15f;
    bool all = true;
    for (uint32_t k = 0; k < 4; ++k) {
        const uint32_t j = LMBI_LEFT_UPPER_LEG + 1 + k / 2 + (k % 2) * LMBI_LEG_JOINTS;
        const lmb_vec3 d = lmb_vec3_sub(e->joints[j], e->joints[LMBI_HIPS]);
        all = all && lmb_vec3_dot(d, e->forward) > before * e->height;
    }
    return all;
}

/// Says what was found, and which joint is least sure.
static void describe(const lmbi_figure *f, float facing, lmb_embedding *out)
{
    uint32_t weakest = 0;
    for (uint32_t j = 1; j < LMBI_BODY_JOINTS; ++j) {
        weakest = out->confidence[j] < out->confidence[weakest] ? j : weakest;
    }
    for (uint32_t j = LMBI_LEFT_UPPER_LEG; f->pose.footless && j < LMBI_BODY_JOINTS; ++j) {
        out->reason[j] = NO_FEET;
    }
    const bool seated = is_seated(out);
    if (seated) {
        weakest = LMBI_LEFT_UPPER_LEG;
        out->reason[LMBI_LEFT_UPPER_LEG] = out->reason[LMBI_RIGHT_UPPER_LEG] =
            "thighs that do not hang tell little of the hips";
    }
    snprintf(out->summary, sizeof out->summary, "%s, %s; least sure of %s: %s",
             seated               ? "a figure that sits"
             : f->pose.asymmetric ? "a figure in a pose"
                                  : "a clear figure",
             facing > 0.2f ? "facing clear" : "facing guessed", lmbi_body_joint_name(weakest),
             out->reason[weakest] ? out->reason[weakest] : "no reason");
}

/// Refuses a ball, out of which nothing protrudes by half its radius. A cube has a slimness of 1.7,
/// the stoutest figures with a head and limbs have 2.
static lmb_result refuse_ball(lmbi_voxel_cache *cache, const lmb_embed_opts *opts, lmb_error *error)
{
    const float round = 1.5f;
    const lmbi_voxelisation *coarse;
    if (opts->kind == LMB_SKELETON_HUMAN) {
        return LMB_OK;
    }
    const lmb_result result = lmbi_voxel_cache_get(cache, LMBI_VOXELS_COARSE, &coarse, error);
    return result == LMB_OK && lmbi_body_slimness(&coarse->body) < round
               ? lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "an upright figure", "a ball")
               : result;
}

static lmb_result place_reading(lmbi_voxel_cache *cache, lmbi_voxel_variant variant,
                                const lmbi_reading *reading, const lmbi_landmarks *landmarks,
                                const lmbi_figure *alike, lmbi_human_candidate *out,
                                lmb_error *error)
{
    lmb_result result =
        lmbi_figure_from_reading(cache, variant, reading, landmarks, alike, &out->figure, error);
    if (result == LMB_OK) {
        memset(&out->placed, 0, sizeof out->placed);
        result = lmbi_place_human_joints(&out->figure, &out->placed, error);
        if (result != LMB_OK) {
            lmbi_figure_destroy(&out->figure);
        }
    }
    return result;
}

/// Whether two ends of limbs, in two frames, are the same place; both may be missing.
static bool same_end(const lmbi_human_candidate *c, uint32_t tip, bool missing,
                     const lmbi_voxel_cache *cache, const lmbi_voxelisation *x, int32_t other)
{
    const float near = 0.05f;
    if (missing || other == LMB_NONE) {
        return missing && other == LMB_NONE;
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
        same = same_end(c, f->pose.foot[side], f->pose.footless, cache, x,
                        r->tips[LMBI_CHAIN_LEGS][side]) &&
               (lacks || same_end(c, f->pose.hand[side], false, cache, x, arms[side]));
    }
    return same;
}

/// The bodies of the fit all have the same up axis, so that the weight of its prior is not fitted:
/// what LMBI_CLUE_OWN leaves of a whole logarithm.
static const float UP_WEIGHT = 0.5f;

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
        c->chance = lmbi_human_chance(c->clues);
        c->rank = c->chance * lmb_exp(UP_WEIGHT * own->up_prior);
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
    float surest; ///< highest rank
    lmbi_human_effort effort;
} collection;

/// A candidate with at least this chance ends the search, and below LIKELY other voxels are tried.
static const float SURE = 0.92f, LIKELY = 0.5f;
/// Most candidates of the coarse voxels with all four limbs, and without.
enum { WHOLE = 4, OTHERS = 2 };
/// Readings of lower score than the best by this are not placed.
static const float FAR_BEHIND = 8;

static bool is_complete(const collection *c, uint32_t most, float sure)
{
    return c->count >= most || (c->surest > sure && c->effort != LMBI_EFFORT_ALL);
}

/// The variant whose voxels a figure is made of.
static lmbi_voxel_variant voxels_of(lmbi_voxel_variant variant)
{
    return variant == LMBI_VOXELS_SURFACE ? LMBI_VOXELS_COARSE : variant;
}

/// A candidate that was placed by a reading of the same voxels with the same axes, or NULL.
static const lmbi_figure *figure_like(const collection *c, lmbi_voxel_variant variant,
                                      const lmbi_reading *r)
{
    const lmbi_figure *alike = NULL;
    for (uint32_t k = 0; k < c->count; ++k) {
        const lmbi_figure *f = &c->list[k].figure;
        const bool same = lmb_vec3_dot(f->frame.axes[0], r->left) > 0.999f &&
                          lmb_vec3_dot(f->frame.axes[1], r->up) > 0.999f;
        alike = same && voxels_of(c->list[k].variant) == voxels_of(variant) ? f : alike;
    }
    return alike;
}

/// Starts a candidate, and keeps it unless it could not be placed.
static lmb_result collect(collection *c, lmbi_voxel_variant variant, const lmbi_reading *r,
                          lmb_error *error)
{
    lmbi_human_candidate *made = &c->list[c->count];
    *made = (lmbi_human_candidate){.given = lmb_vec3_dot(c->opts->forward, c->opts->forward) > 0,
                                   .variant = variant};
    const lmb_result placed =
        place_reading(c->cache, variant, r, c->landmarks, figure_like(c, variant, r), made, error);
    const uint32_t before = c->count;
    c->readings->figure = fmaxf(c->readings->figure, r->score);
    const lmb_result result = keep_candidate(placed, c->readings, r, c->list, &c->count);
    c->surest = c->count > before ? fmaxf(c->surest, made->rank) : c->surest;
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
    for (uint32_t k = 0; k < c->readings->count && result == LMB_OK && !is_complete(c, most, SURE);
         ++k) {
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
    if (result == LMB_OK && second < count && !is_complete(c, LMBI_HUMAN_CANDIDATES, SURE)) {
        result = collect(c, variant, &list[second], error);
    }
    return result;
}

/// The readings of the coarse voxels, and of parted ones, that agree with the landmarks.
static lmb_result collect_marked(collection *c, lmb_error *error)
{
    const lmb_result result = collect_variant(c, LMBI_VOXELS_COARSE, error);
    return result == LMB_OK && !is_complete(c, LMBI_HUMAN_CANDIDATES - 1, LIKELY)
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
                    .effort = effort};
    if (landmarks) {
        const lmb_result marked = collect_marked(&c, error);
        *count = c.count;
        return marked != LMB_OK ? lmbi_fail_memory(error) : marked;
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
    c.surest = 0;
    if (result == LMB_OK && touching > 0) {
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
    const bool unlikely = !few && !is_complete(&c, LMBI_HUMAN_CANDIDATES - 1, LIKELY);
    if (result == LMB_OK && unlikely && !touches) {
        result = collect_variant(&c, LMBI_VOXELS_SURFACE, error);
    }
    if (result == LMB_OK && unlikely && !is_complete(&c, LMBI_HUMAN_CANDIDATES - 1, LIKELY)) {
        result = collect_variant(&c, LMBI_VOXELS_SYMMETRIC, error);
    }
    *count = c.count;
    return result != LMB_OK ? lmbi_fail_memory(error) : result;
}

/// The candidate of the highest rank, of one at least. Of nearly equal ones the best reading, so that
/// copies of a mesh are embedded alike, and one of whole voxels unless one on rings of the surface or
/// of parted voxels is clearly more likely: rings of coarse or damaged meshes are less exact, and
/// where a limb is one with the body, parting shows no more than its free end.
static uint32_t best_candidate(const lmbi_human_candidate *list, uint32_t count)
{
    const float clearly = 1.15f, clearly_parted = 1.3f;
    uint32_t best = 0;
    for (uint32_t c = 1; c < count; ++c) {
        best = list[c].rank > clearly * list[best].rank ? c : best;
    }
    uint32_t chosen = best;
    const float more = list[best].figure.traced ? clearly : clearly_parted;
    const bool whole =
        list[best].variant != LMBI_VOXELS_SURFACE && list[best].variant != LMBI_VOXELS_PARTED;
    for (uint32_t c = 0; c < count && !whole; ++c) {
        if (chosen == best && list[c].variant == LMBI_VOXELS_COARSE &&
            more * list[c].rank > list[best].rank) {
            chosen = c;
        }
    }
    return chosen;
}

/// Writes the skeleton of a candidate, with fingers if both hands have five.
static lmb_result write_candidate(lmbi_human_candidate *c, lmb_embedding *out, lmb_error *error)
{
    write_joints(&c->figure, &c->placed, out);
    describe(&c->figure, c->given ? 1 : c->placed.facing, out);
    const lmb_result result = add_fingers(&c->figure, &c->placed, out, error);
    if (result == LMB_OK) {
        name_joints(out);
    }
    return result;
}

/// The least chance of joints of a human: what is clearly read as one may have a joint wrong.
static float least_chance(const lmb_embed_opts *opts, const lmbi_human_candidate *c)
{
    return c->clues[LMBI_CLUE_PLAN] > LMBI_EVIDENCE ? 0.04f
           : opts->kind == LMB_SKELETON_HUMAN       ? 0.05f
                                                    : 0.2f;
}

lmb_result lmbi_human_embed_readings(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                                     const lmbi_landmarks *landmarks, lmbi_readings *readings,
                                     lmbi_human_effort effort, lmb_embedding *out, lmb_error *error)
{
    lmbi_human_candidate list[LMBI_HUMAN_CANDIDATES];
    uint32_t count = 0;
    lmb_embed_opts told = *opts;
    if (landmarks) {
        lmbi_landmarks_axes(landmarks, &told.up, &told.forward);
    }
    lmb_result result = landmarks ? LMB_OK : refuse_ball(cache, opts, error);
    if (result == LMB_OK) {
        result =
            lmbi_human_candidates(cache, &told, landmarks, readings, effort, list, &count, error);
    }
    const bool sure = landmarks && lmbi_landmarks_on_all_limbs(landmarks);
    const uint32_t best = count > 0 ? best_candidate(list, count) : 0;
    if (result == LMB_OK && count == 0) {
        result = lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "an upright figure",
                           "a body without arms and legs");
    }
    if (result == LMB_OK && !sure && list[best].chance < least_chance(opts, &list[best])) {
        result = lmbi_refuse_figure(&list[best].figure, error);
    }
    lmb_embedding made;
    if (result == LMB_OK) {
        result = write_candidate(&list[best], &made, error);
        // Landmarks tell a quarter of what may be wrong.
        made.overall = landmarks ? 1 - 0.75f * (1 - list[best].chance) : list[best].chance;
    }
    if (result == LMB_OK) {
        *out = made;
    }
    for (uint32_t c = 0; c < count; ++c) {
        lmbi_figure_destroy(&list[c].figure);
    }
    return result;
}
