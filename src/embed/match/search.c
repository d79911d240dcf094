/// Branch and bound over the chains of a template, for every view of the body.
#include "embed/match/match.h"

#include "embed/shape/shape.h"
#include "limber/asset.h"

#include <math.h>
#include <string.h>

/// Fitted by bench/embed_fit.c, which writes the rows.
const lmbi_template_set lmbi_fitted_templates = {
#include "embed/match/template_rows.inl"
    ,
#include "embed/match/creature_rows.inl"
};

float lmbi_spread_log(const lmbi_spread *row, float x)
{
    const float d = (x - row->mean) / row->spread;
    return -2.5f * lmb_log(1 + 0.25f * d * d) - lmb_log(row->spread);
}

/// How far the middle of a left limb may lie on the right side, in gyration radii.
static const float ACROSS = 0.15f;

/// The term that a measurement of a tip belongs to.
static const lmbi_term TIP_TERM[LMBI_TIP_FEATURES] = {
    LMBI_TERM_HEIGHT, LMBI_TERM_BASE, LMBI_TERM_LENGTH, LMBI_TERM_SIDE,
    LMBI_TERM_FORE,   LMBI_TERM_FORE, LMBI_TERM_RADIUS, LMBI_TERM_POINTS};
static const lmbi_term BODY_TERM[LMBI_BODY_FEATURES] = {
    LMBI_TERM_BODY, LMBI_TERM_BODY, LMBI_TERM_BODY,  LMBI_TERM_BODY, LMBI_TERM_MIRROR,
    LMBI_TERM_BODY, LMBI_TERM_BODY, LMBI_TERM_STAND, LMBI_TERM_STAND};

/// Tips for one chain, and what they add to the score.
typedef struct option {
    int32_t tips[2];
    uint32_t taken; ///< the tips as bits
    float score;
    float terms[LMBI_TERMS];
} option;

enum { MAX_OPTIONS = 1 + LMBI_VIEW_TIPS + LMBI_VIEW_TIPS * (LMBI_VIEW_TIPS - 1) / 2 };

typedef struct chain_options {
    uint32_t count;
    option list[MAX_OPTIONS]; ///< highest score first
} chain_options;

/// Most readings of one view and plan that are kept, so that others are left in the list.
enum { VIEW_READINGS = 6 };

typedef struct search {
    const lmbi_voxel_body *body;
    const lmbi_tip *tips;
    uint32_t tip_count;
    const lmbi_search_opts *opts;
    const lmbi_template_set *set;
    const lmbi_body_view *view;
    lmbi_body_plan plan;
    chain_options chains[LMBI_CHAINS];
    int last;                     ///< the last chain that the plan has
    float bound[LMBI_CHAINS + 1]; ///< most that the chains from this one on can add
    float whole[LMBI_TERMS];      ///< terms of the body
    const option *chosen[LMBI_CHAINS];
    lmbi_reading best[VIEW_READINGS]; ///< of this view and plan, highest score first
    uint32_t best_count;
    lmbi_reading *out;
    uint32_t out_count;
} search;

static float weigh(const search *s, const float terms[LMBI_TERMS])
{
    float sum = 0;
    for (int t = 0; t < LMBI_TERMS; ++t) {
        sum += s->set->weights[t] * terms[t];
    }
    return sum;
}

/// Logarithm of the density of a measurement of a tip that belongs to no chain. A branch that is
/// longer than usual pays in full, as a normal density has it: few bodies have a limb too many.
static float other_log(const search *s, int feature, float x)
{
    const lmbi_spread *row = &s->set->other[feature];
    if (feature == LMBI_TIP_LENGTH && x > row->mean) {
        const float d = (x - row->mean) / row->spread;
        return -0.5f * d * d - lmb_log(row->spread);
    }
    return lmbi_spread_log(row, x);
}

/// Adds the likelihood of a tip as the end of a chain, against that of a tip of no chain.
static void add_tip(const search *s, const lmbi_chain_row *row, int32_t tip,
                    float terms[LMBI_TERMS])
{
    for (int f = 0; f < LMBI_TIP_FEATURES; ++f) {
        const float x = s->view->tips[tip][f];
        if (row->tip[f].spread > 0) {
            terms[TIP_TERM[f]] += lmbi_spread_log(&row->tip[f], x) - other_log(s, f, x);
        }
    }
}

static void add_pair(const search *s, const lmbi_chain_row *row, const int32_t tips[2],
                     float terms[LMBI_TERMS])
{
    float pair[LMBI_PAIR_FEATURES], even = 0, uneven = row->rarer;
    lmbi_body_view_pair(s->view, (uint32_t)tips[0], (uint32_t)tips[1], pair);
    for (int f = 0; f < LMBI_PAIR_FEATURES; ++f) {
        even += row->pair[f].spread > 0 ? lmbi_spread_log(&row->pair[f], pair[f]) : 0;
        uneven += row->uneven[f].spread > 0 ? lmbi_spread_log(&row->uneven[f], pair[f]) : -1e30f;
    }
    const float more = fmaxf(even, uneven);
    terms[LMBI_TERM_PAIR] += more + lmb_log(1 + lmb_exp(fmaxf(fminf(even, uneven) - more, -20)));
}

static void add_option(search *s, int chain, int32_t a, int32_t b)
{
    const lmbi_chain_row *row = &s->set->plans[s->plan].chains[chain];
    chain_options *c = &s->chains[chain];
    option o = {.tips = {a, b}};
    o.terms[LMBI_TERM_PRESENT] = a == LMB_NONE && b == LMB_NONE                    ? row->none
                                 : row->paired && (a == LMB_NONE || b == LMB_NONE) ? row->one
                                                                                   : row->all;
    for (int k = 0; k < 2; ++k) {
        if (o.tips[k] != LMB_NONE) {
            o.taken |= 1u << o.tips[k];
            add_tip(s, row, o.tips[k], o.terms);
        }
    }
    if (a != LMB_NONE && b != LMB_NONE) {
        add_pair(s, row, o.tips, o.terms);
    }
    o.score = weigh(s, o.terms);
    uint32_t at = c->count++;
    for (; at > 0 && c->list[at - 1].score < o.score; --at) {
        c->list[at] = c->list[at - 1];
    }
    c->list[at] = o;
}

static void list_options(search *s, int chain)
{
    const lmbi_chain_row *row = &s->set->plans[s->plan].chains[chain];
    s->chains[chain].count = 0;
    if (!row->exists) {
        return;
    }
    add_option(s, chain, LMB_NONE, LMB_NONE);
    for (int32_t a = 0; a < (int32_t)s->view->tip_count; ++a) {
        const bool left = s->view->side[a] > 0;
        add_option(s, chain, row->paired && !left ? LMB_NONE : a,
                   row->paired && !left ? a : LMB_NONE);
        for (int32_t b = a + 1; row->paired && b < (int32_t)s->view->tip_count; ++b) {
            const bool ordered = s->view->side[a] > s->view->side[b];
            const int32_t l = ordered ? a : b, r = ordered ? b : a;
            const float slack = ACROSS * s->view->radius;
            if (s->view->side[l] > -slack && s->view->side[r] < slack) {
                add_option(s, chain, l, r);
            }
        }
    }
}

/// The score that a reading must exceed to be kept.
static float least_kept(const search *s)
{
    if (s->opts->exhaustive) {
        return -INFINITY;
    }
    const float view = s->best_count < VIEW_READINGS ? -1e30f : s->best[VIEW_READINGS - 1].score;
    const float all = s->out_count < LMBI_READINGS ? -1e30f : s->out[LMBI_READINGS - 1].score;
    return fmaxf(view, all);
}

/// Inserts a reading by its score, and drops the last if there are too many. Returns their number.
static uint32_t insert_reading(lmbi_reading *list, uint32_t count, uint32_t most,
                               const lmbi_reading *r)
{
    uint32_t at = count < most ? count++ : most;
    for (; at > 0 && list[at - 1].score < r->score; --at) {
        if (at < most) {
            list[at] = list[at - 1];
        }
    }
    if (at < most) {
        list[at] = *r;
    }
    return count;
}

/// Length of the second longest branch that no chain has taken: one alone may be a prop.
static float spare_length(const search *s, uint32_t taken)
{
    float longest = -INFINITY, second = -INFINITY;
    for (uint32_t t = 0; t < s->view->tip_count; ++t) {
        const float length = s->view->tips[t][LMBI_TIP_LENGTH];
        if (!(taken >> t & 1)) {
            second = fmaxf(second, fminf(length, longest));
            longest = fmaxf(longest, length);
        }
    }
    return second;
}

static void keep_reading(search *s, float score, uint32_t taken)
{
    lmbi_reading r = {.plan = s->plan,
                      .left = s->view->left,
                      .up = s->view->up,
                      .forward = s->view->forward,
                      .offset = s->view->offset,
                      .spare = spare_length(s, taken),
                      .score = score};
    memcpy(r.terms, s->whole, sizeof r.terms);
    for (int c = 0; c < LMBI_CHAINS; ++c) {
        r.tips[c][0] = s->chosen[c] ? s->chosen[c]->tips[0] : LMB_NONE;
        r.tips[c][1] = s->chosen[c] ? s->chosen[c]->tips[1] : LMB_NONE;
        for (int t = 0; t < LMBI_TERMS && s->chosen[c]; ++t) {
            r.terms[t] += s->chosen[c]->terms[t];
        }
    }
    s->best_count = insert_reading(s->best, s->best_count, VIEW_READINGS, &r);
}

/// Tries the options of the chains from one on whose tips the ones before have not taken.
static void choose_chains(search *s, int chain, float score, uint32_t taken)
{
    if (score + s->bound[chain] <= least_kept(s)) {
        return;
    }
    if (chain == LMBI_CHAINS) {
        keep_reading(s, score, taken);
        return;
    }
    const chain_options *c = &s->chains[chain];
    s->chosen[chain] = NULL;
    if (c->count == 0) {
        choose_chains(s, chain + 1, score, taken);
    }
    for (uint32_t n = 0; n < c->count; ++n) {
        const option *o = &c->list[n];
        if (score + o->score + s->bound[chain + 1] <= least_kept(s)) {
            break;
        }
        if (!(o->taken & taken)) {
            s->chosen[chain] = o;
            choose_chains(s, chain + 1, score + o->score, taken | o->taken);
            // Readings that differ in the last chain alone would crowd out others.
            if (chain == s->last) {
                break;
            }
        }
    }
    s->chosen[chain] = NULL;
}

/// Logarithm of the density of a measurement of a body of the plan. One that a template does not
/// tell of is spread as over all plans.
static float body_log(const search *s, lmbi_body_plan plan, int feature, float x)
{
    const lmbi_spread *row = &s->set->plans[plan].body[feature];
    float sum = 0;
    for (int p = 0; p < LMBI_PLANS && !(row->spread > 0); ++p) {
        sum += lmb_exp(lmbi_spread_log(&s->set->plans[p].body[feature], x)) / LMBI_PLANS;
    }
    return row->spread > 0 ? lmbi_spread_log(row, x) : lmb_log(fmaxf(sum, 1e-9f));
}

static void interpret_view(search *s, const lmbi_body_view *view, lmbi_body_plan plan,
                           float up_prior)
{
    s->view = view;
    s->plan = plan;
    memset(s->whole, 0, sizeof s->whole);
    for (int f = 0; f < LMBI_BODY_FEATURES; ++f) {
        s->whole[BODY_TERM[f]] += body_log(s, plan, f, view->body[f]);
    }
    s->whole[LMBI_TERM_UP] = up_prior;
    s->whole[LMBI_TERM_PRIOR] = s->set->plans[plan].prior;
    for (int f = 0; f < LMBI_OWN_FEATURES; ++f) {
        const lmbi_spread *own = &s->set->own[plan][f];
        s->whole[LMBI_TERM_OWN] += own->spread > 0
                                       ? lmbi_spread_log(own, view->own[f]) -
                                             lmbi_spread_log(&s->set->any[f], view->own[f])
                                       : 0;
    }
    s->bound[LMBI_CHAINS] = 0;
    s->last = 0;
    for (int c = LMBI_CHAINS - 1; c >= 0; --c) {
        list_options(s, c);
        s->last = s->last == 0 && s->chains[c].count > 0 ? c : s->last;
        s->bound[c] = s->bound[c + 1] + (s->chains[c].count > 0 ? s->chains[c].list[0].score : 0);
    }
    s->best_count = 0;
    choose_chains(s, 0, weigh(s, s->whole), 0);
    for (uint32_t k = 0; k < s->best_count; ++k) {
        s->out_count = insert_reading(s->out, s->out_count, LMBI_READINGS, &s->best[k]);
    }
}

/// Candidates for the up axis, and the logarithms of how often files use them: those of any format,
/// and of formats in which +Y is up. Of 61 characters in such files of bench/labelled_bodies.h none
/// has another: (0 + 1) in (61 + 2).
static const struct {
    lmb_vec3 up;
    float any, y_up;
} UPS[6] = {{{0, 1, 0}, 0, 0},    {{0, 0, 1}, -1.5f, -4.1f}, {{1, 0, 0}, -6, -6},
            {{-1, 0, 0}, -6, -6}, {{0, -1, 0}, -7, -7},      {{0, 0, -1}, -7, -7}};

/// Interprets the body with every plane and both facings.
static void try_up(search *s, const lmbi_mirror *planes, uint32_t count, lmb_vec3 up, float prior)
{
    const lmbi_search_opts *opts = s->opts;
    const uint32_t plans = opts->plans ? opts->plans : (1u << LMBI_PLANS) - 1;
    const bool facing = lmb_vec3_dot(opts->forward, opts->forward) > 0;
    for (uint32_t p = 0; p < count; ++p) {
        lmbi_body_view views[2];
        lmbi_body_view_measure(s->body, s->tips, s->tip_count, planes[p].normal, up,
                               planes[p].offset, planes[p].miss, &views[0]);
        lmbi_body_view_reverse(&views[0], &views[1]);
        for (int way = 0; way < 2; ++way) {
            if (facing && lmb_vec3_dot(views[way].forward, opts->forward) < 0) {
                continue;
            }
            for (int plan = 0; plan <= LMBI_PLAN_GIVEN; ++plan) {
                if (plans >> plan & 1) {
                    interpret_view(s, &views[way], (lmbi_body_plan)plan,
                                   prior + lmbi_facing_prior(up, views[way].forward));
                }
            }
        }
    }
}

uint32_t lmbi_search_readings(const lmbi_voxel_body *body, const lmbi_tip *tips, uint32_t tip_count,
                              const lmbi_search_opts *opts, lmbi_reading out[LMBI_READINGS])
{
    search s = {.body = body,
                .tips = tips,
                .tip_count = tip_count,
                .opts = opts,
                .set = opts->templates ? opts->templates : &lmbi_fitted_templates,
                .out = out};
    lmbi_mirror planes[LMBI_MIRRORS];
    if (lmb_vec3_dot(opts->up, opts->up) > 0) {
        const uint32_t count = lmbi_mirror_scan(body, opts->up, opts->forward, planes);
        try_up(&s, planes, count, opts->up, 0);
        return s.out_count;
    }
    // Opposite directions share their mirror planes.
    for (int a = 0; a < 3; ++a) {
        const uint32_t count = lmbi_mirror_scan(body, UPS[a].up, opts->forward, planes);
        for (int u = 0; u < 6; ++u) {
            if (fabsf(lmb_vec3_dot(UPS[u].up, UPS[a].up)) > 0.5f) {
                try_up(&s, planes, count, UPS[u].up, opts->y_up ? UPS[u].y_up : UPS[u].any);
            }
        }
    }
    return s.out_count;
}
