/// What the readings of a body say about a user's template.
#include "embed/kinds.h"
#include "math/math.h"

#include <math.h>
#include <string.h>

bool lmbi_reading_is_whole(const lmbi_reading *r, const lmbi_joint_rows *kind)
{
    uint32_t seen = 0, both = 0;
    for (int c = 0; c < LMBI_CHAINS; ++c) {
        const bool left = r->tips[c][0] != LMB_NONE, right = r->tips[c][1] != LMB_NONE;
        seen |= left || right ? 1u << c : 0;
        both |= left && right ? 1u << c : 0;
    }
    return (seen & kind->needed) == kind->needed && (kind->both == 0 || (both & kind->both) != 0);
}

/// The plans of a kind as bits; none of AUTO and of kinds that are not read.
static uint32_t plans_of(lmb_skeleton_kind kind)
{
    uint32_t plans = 0;
    for (int p = 0; p < LMBI_PLANS; ++p) {
        plans |= kind == lmbi_plan_kind((lmbi_body_plan)p) ? 1u << p : 0;
    }
    return plans;
}

/// Searches with a template beside the built-in ones, or in place of the kind that it counts as.
static void add_template(const lmb_body_template *given, lmbi_template_set *set,
                         lmbi_search_opts *search)
{
    *set = lmbi_fitted_templates;
    set->plans[LMBI_PLAN_GIVEN] = given->plan;
    memcpy(set->own[LMBI_PLAN_GIVEN], given->own, sizeof given->own);
    search->templates = set;
    search->plans = (2u << LMBI_PLAN_GIVEN) - 1 - plans_of(given->rows.kind);
}

lmb_result lmbi_readings_find(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                              lmbi_readings *out, lmb_error *error)
{
    const lmbi_body_shape *coarse;
    const lmb_result result = lmbi_voxel_cache_get(cache, LMBI_VOXELS_COARSE, &coarse, error);
    lmbi_search_opts search = {.up = opts->up, .forward = opts->forward, .y_up = opts->y_up};
    lmbi_template_set set;
    bool found = false;
    *out = (lmbi_readings){.given = opts->body_template};
    if (result != LMB_OK) {
        return result;
    }
    add_template(opts->body_template, &set, &search);
    out->count =
        lmbi_search_readings(&coarse->body, coarse->tips, coarse->tip_count, &search, out->list);
    for (uint32_t k = 0; k < out->count; ++k) {
        found = found || out->list[k].plan == LMBI_PLAN_GIVEN;
    }
    search.plans = 1u << LMBI_PLAN_GIVEN;
    if (!found) {
        // The template is so unlikely that others have filled the list: its best is the last.
        lmbi_reading own[LMBI_READINGS];
        if (lmbi_search_readings(&coarse->body, coarse->tips, coarse->tip_count, &search, own)) {
            const uint32_t last = out->count < LMBI_READINGS ? out->count++ : LMBI_READINGS - 1;
            out->list[last] = own[0];
        }
    }
    return LMB_OK;
}

/// Differences of scores beyond this say no more.
static const float MOST = 10;

void lmbi_reading_clues(const lmbi_readings *readings, const lmbi_reading *reading,
                        float out[LMBI_READING_CLUES])
{
    const float same_up = 0.9f, same_facing = 0.7f, short_branch = -2;
    const lmb_body_template *given = reading->plan == LMBI_PLAN_GIVEN ? readings->given : NULL;
    // Nothing tells which way is up of a snake.
    const bool slender = reading->plan == LMBI_PLAN_SNAKE || (given && given->rows.lines.through);
    // Spare branches are as long as of the kind that a template stands for, or of any.
    const lmbi_body_plan like = given ? lmbi_kind_plan(given->rows.kind) : reading->plan;
    out[LMBI_READING_SCORE] = reading->score;
    out[LMBI_READING_KIND] = out[LMBI_READING_FACING] = MOST;
    out[LMBI_READING_SPARE] =
        -fmaxf(reading->spare, short_branch) - lmbi_fitted_templates.usual_spare[like];
    for (uint32_t k = readings->count; k-- > 0;) {
        const lmbi_reading *r = &readings->list[k];
        const float less = fmaxf(fminf(reading->score - r->score, MOST), -MOST);
        const bool alike = lmb_vec3_dot(r->forward, reading->forward) > same_facing &&
                           (lmb_vec3_dot(r->up, reading->up) > same_up || slender);
        if (lmbi_plan_kind(r->plan) != lmbi_plan_kind(reading->plan)) {
            out[LMBI_READING_KIND] = less;
        } else if (!alike) {
            out[LMBI_READING_FACING] = less;
        }
    }
}

float lmbi_reading_chance(const lmbi_readings *readings, const lmbi_reading *reading,
                          bool facing_counts)
{
    const float *w = lmbi_fitted_templates.chance;
    float clues[LMBI_READING_CLUES], logit = w[LMBI_READING_CLUES];
    lmbi_reading_clues(readings, reading, clues);
    clues[LMBI_READING_FACING] = facing_counts ? clues[LMBI_READING_FACING] : MOST;
    for (int c = 0; c < LMBI_READING_CLUES; ++c) {
        logit += w[c] * clues[c];
    }
    return lmbi_logistic(logit);
}
