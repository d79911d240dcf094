#include "embed/reading_kind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

lmb_skeleton_kind lmbi_reading_kind(const lmbi_reading *reading)
{
    static const lmb_skeleton_kind kinds[LMBI_PLANS] = {[LMBI_PLAN_HUMAN] = LMB_SKELETON_HUMAN,
                                                        [LMBI_PLAN_QUADRUPED] =
                                                            LMB_SKELETON_QUADRUPED,
                                                        [LMBI_PLAN_BIRD] = LMB_SKELETON_BIRD,
                                                        [LMBI_PLAN_BIPED] = LMB_SKELETON_BIPED};
    return kinds[reading->plan];
}

const lmbi_reading *lmbi_reading_best(const lmbi_readings *readings, lmb_skeleton_kind kind)
{
    for (uint32_t k = 0; k < readings->count; ++k) {
        if (lmbi_reading_kind(&readings->list[k]) == kind) {
            return &readings->list[k];
        }
    }
    return NULL;
}

float lmbi_reading_margin(const lmbi_readings *readings, lmb_skeleton_kind kind)
{
    const float none = readings->count > 0 ? readings->list[readings->count - 1].score : 0;
    float own = none, other = none;
    for (uint32_t k = readings->count; k-- > 0;) {
        float *score = lmbi_reading_kind(&readings->list[k]) == kind ? &own : &other;
        *score = readings->list[k].score;
    }
    own = kind == LMB_SKELETON_HUMAN ? fmaxf(own, readings->figure) : own;
    return own - other;
}

/// The pair of legs at the ends of a chain of a reading. False if one is not seen.
static bool pair_of(const lmbi_voxelisation *coarse, const lmbi_reading *r, lmbi_chain chain,
                    lmbi_leg_pair *out)
{
    const int32_t *feet = r->tips[chain];
    if (feet[0] == LMB_NONE || feet[1] == LMB_NONE) {
        return false;
    }
    const lmbi_tip *a = &coarse->tips[feet[0]], *b = &coarse->tips[feet[1]];
    const lmbi_tip *shorter = a->length < b->length ? a : b;
    const lmb_vec3 middle = lmb_vec3_lerp(a->position, b->position, 0.5f);
    *out = (lmbi_leg_pair){.foot = {a->position, b->position},
                           .free = lmb_vec3_dot(shorter->base, r->up),
                           .length = shorter->length,
                           .along = lmb_vec3_dot(middle, r->forward)};
    return true;
}

bool lmbi_reading_stand(const lmbi_readings *readings, const lmbi_voxelisation *coarse,
                        lmb_skeleton_kind kind, lmbi_kind_hypothesis *out)
{
    // More than what the older search finds costs where it is right.
    const float least = kind == LMB_SKELETON_BIPED ? 0 : 0.5f, most = 1;
    const uint32_t pairs = kind == LMB_SKELETON_BIPED ? 1 : 2;
    const lmbi_reading *r = lmbi_reading_best(readings, kind);
    lmbi_stand_hypothesis stand = {
        .low = 1e30f, .high = -1e30f, .pair_count = pairs, .foot_count = 2 * pairs};
    if (!r || !pair_of(coarse, r, LMBI_CHAIN_LEGS, &stand.pairs[0]) ||
        (pairs > 1 && !pair_of(coarse, r, LMBI_CHAIN_FORE, &stand.pairs[1]))) {
        return false;
    }
    stand.left = r->left;
    stand.up = r->up;
    stand.forward = r->forward;
    stand.offset = r->offset;
    for (uint32_t k = 0; k < coarse->body.solid_count; ++k) {
        const float h = lmb_vec3_dot(coarse->body.at[k], r->up);
        stand.low = fminf(stand.low, h);
        stand.high = fmaxf(stand.high, h);
    }
    const float margin = lmbi_reading_margin(readings, kind);
    const float doubt = 1 / (1 + lmb_exp(fminf(margin, 20)));
    *out = (lmbi_kind_hypothesis){least + (most - least) * doubt, stand};
    return true;
}

void lmbi_doubt_facing(const lmbi_readings *readings, lmb_embedding *e)
{
    const float doubtful = 0.5f;
    const lmbi_reading *r = lmbi_reading_best(readings, LMB_SKELETON_QUADRUPED);
    if (e->kind == LMB_SKELETON_QUADRUPED && e->overall > doubtful && r &&
        lmb_vec3_dot(r->forward, e->forward) < 0) {
        e->overall = doubtful;
        snprintf(e->summary, sizeof e->summary,
                 "head and tail may be exchanged; if so, say where it faces");
    }
}

void lmbi_name_next_best(const lmbi_readings *readings, const lmb_embed_opts *opts,
                         lmb_embedding *e)
{
    const float unsure = 0.6f;
    for (uint32_t k = 0; k < readings->count && opts->kind == LMB_SKELETON_AUTO; ++k) {
        const lmb_skeleton_kind kind = lmbi_reading_kind(&readings->list[k]);
        if (e->overall < unsure && kind != e->kind) {
            const size_t used = strlen(e->summary);
            snprintf(e->summary + used, sizeof e->summary - used, "; next best: --skeleton %s",
                     lmb_skeleton_kind_name(kind));
            return;
        }
    }
}
