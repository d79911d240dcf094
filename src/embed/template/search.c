/// Branch and bound over the chains of a template, for every view of the body.
#include "embed/template/template.h"

#include "limber/asset.h"

#include <math.h>
#include <string.h>

float lmbi_spread_log(const lmbi_spread *row, float x)
{
    const float d = (x - row->mean) / row->spread;
    return -2.5f * lmb_log(1 + 0.25f * d * d) - lmb_log(row->spread);
}

/// How far the middle of a left limb may lie on the right side, in gyration radii.
static const float ACROSS = 0.15f;

/// Measurements are not independent: one is worth half as much as what is known before of axes.
static const float PRIOR = 2;

/// The likelihood of measurements, how far it lies below that of their means, and how many there are.
typedef struct likelihood {
    float log, miss;
    float count;
} likelihood;

/// Tips for one chain, and what they add to the score.
typedef struct option {
    int32_t tips[2];
    uint32_t taken; ///< the tips as bits
    likelihood measured;
} option;

enum { MAX_OPTIONS = 1 + LMBI_VIEW_TIPS + LMBI_VIEW_TIPS * (LMBI_VIEW_TIPS - 1) / 2 };

typedef struct chain_options {
    uint32_t count;
    option list[MAX_OPTIONS]; ///< highest score first
} chain_options;

/// Most readings of one view that are kept, so that others are left in the list.
enum { VIEW_READINGS = 3 };

typedef struct search {
    const lmbi_voxel_body *body;
    const lmbi_tip *tips;
    uint32_t tip_count;
    const lmbi_search_opts *opts;
    const lmb_body_template *kind;
    const lmbi_body_view *view;
    chain_options chains[LMBI_TEMPLATE_CHAINS];
    float bound[LMBI_TEMPLATE_CHAINS + 1]; ///< most that the chains from this one on can add
    likelihood whole;                      ///< of the body
    const option *chosen[LMBI_TEMPLATE_CHAINS];
    lmbi_reading best[VIEW_READINGS]; ///< of this view, highest score first
    uint32_t best_count;
    lmbi_reading *out;
    uint32_t out_count;
} search;

static void add(likelihood *sum, const lmbi_spread *row, float x)
{
    if (row->spread > 0) {
        const float log = lmbi_spread_log(row, x);
        sum->log += log;
        sum->miss += log - lmbi_spread_log(row, row->mean);
        sum->count += 1;
    }
}

/// Logarithm of the density of a measurement of a tip that belongs to no chain. A branch that is
/// longer than usual pays in full, as a normal density has it: few bodies have a limb too many.
static float other_log(int feature, float x)
{
    const lmbi_spread *row = &lmbi_template_standard.other[feature];
    if (feature == LMBI_TIP_LENGTH && x > row->mean) {
        const float d = (x - row->mean) / row->spread;
        return -0.5f * d * d - lmb_log(row->spread);
    }
    return lmbi_spread_log(row, x);
}

/// Adds the likelihood of a tip as the end of a chain, against that of a tip of no chain.
static void add_tip(const search *s, const lmbi_template_chain *row, int32_t tip, likelihood *sum)
{
    for (int f = 0; f < LMBI_TIP_FEATURES; ++f) {
        const float x = s->view->tips[tip][f];
        add(sum, &row->tip[f], x);
        sum->log -= row->tip[f].spread > 0 ? other_log(f, x) : 0;
    }
}

static void add_pair(const search *s, const lmbi_template_chain *row, const int32_t tips[2],
                     likelihood *sum)
{
    float pair[LMBI_PAIR_FEATURES];
    lmbi_body_view_pair(s->view, (uint32_t)tips[0], (uint32_t)tips[1], pair);
    for (int f = 0; f < LMBI_PAIR_FEATURES; ++f) {
        add(sum, &row->pair[f], pair[f]);
    }
}

static void add_option(search *s, uint32_t chain, int32_t a, int32_t b)
{
    const lmbi_template_chain *row = &s->kind->chains[chain];
    chain_options *c = &s->chains[chain];
    const int seen = (a != LMB_NONE) + (b != LMB_NONE), all = row->paired ? 2 : 1;
    option o = {.tips = {a, b}};
    o.measured.log = lmbi_template_standard.seen[seen == all ? 2 : seen];
    for (int k = 0; k < 2; ++k) {
        if (o.tips[k] != LMB_NONE) {
            o.taken |= 1u << o.tips[k];
            add_tip(s, row, o.tips[k], &o.measured);
        }
    }
    if (seen == 2) {
        add_pair(s, row, o.tips, &o.measured);
    }
    uint32_t at = c->count++;
    for (; at > 0 && c->list[at - 1].measured.log < o.measured.log; --at) {
        c->list[at] = c->list[at - 1];
    }
    c->list[at] = o;
}

/// Whether a template tells what the tips of a chain are like. Of one that is always there none is looked for otherwise.
static bool has_tips(const lmbi_template_chain *row)
{
    bool any = false;
    for (int f = 0; f < LMBI_TIP_FEATURES; ++f) {
        any = any || row->tip[f].spread > 0;
    }
    return any;
}

static void list_options(search *s, uint32_t chain)
{
    const lmbi_template_chain *row = &s->kind->chains[chain];
    const int32_t count = row->end == 0 || has_tips(row) ? (int32_t)s->view->tip_count : 0;
    s->chains[chain].count = 0;
    if (!row->needed) {
        add_option(s, chain, LMB_NONE, LMB_NONE);
    }
    for (int32_t a = 0; a < count; ++a) {
        const bool left = s->view->side[a] > 0;
        add_option(s, chain, row->paired && !left ? LMB_NONE : a,
                   row->paired && !left ? a : LMB_NONE);
        for (int32_t b = a + 1; row->paired && b < count; ++b) {
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

static void keep_reading(search *s, float score)
{
    lmbi_reading r = {.left = s->view->left,
                      .up = s->view->up,
                      .forward = s->view->forward,
                      .offset = s->view->offset,
                      .score = score};
    likelihood all = s->whole;
    for (uint32_t c = 0; c < s->kind->chain_count; ++c) {
        r.tips[c][0] = s->chosen[c]->tips[0];
        r.tips[c][1] = s->chosen[c]->tips[1];
        all.miss += s->chosen[c]->measured.miss;
        all.count += s->chosen[c]->measured.count;
    }
    r.fit = all.count > 0 ? all.miss / all.count : 0;
    s->best_count = insert_reading(s->best, s->best_count, VIEW_READINGS, &r);
}

/// Tries the options of the chains from one on whose tips the ones before have not taken.
static void choose_chains(search *s, uint32_t chain, float score, uint32_t taken)
{
    if (chain == s->kind->chain_count) {
        if (score > least_kept(s)) {
            keep_reading(s, score);
        }
        return;
    }
    const chain_options *c = &s->chains[chain];
    for (uint32_t n = 0; n < c->count; ++n) {
        const option *o = &c->list[n];
        const float with = score + o->measured.log;
        if (with + s->bound[chain + 1] <= least_kept(s)) {
            break;
        }
        if (!(o->taken & taken)) {
            s->chosen[chain] = o;
            choose_chains(s, chain + 1, with, taken | o->taken);
            // Readings that differ in the last chain alone would crowd out others.
            if (chain + 1 == s->kind->chain_count) {
                break;
            }
        }
    }
}

static void interpret_view(search *s, const lmbi_body_view *view, float axes_prior)
{
    const uint32_t count = s->kind->chain_count;
    s->view = view;
    s->whole = (likelihood){.log = PRIOR * axes_prior};
    for (int f = 0; f < LMBI_BODY_FEATURES; ++f) {
        add(&s->whole, &s->kind->body[f], view->body[f]);
    }
    s->bound[count] = 0;
    for (uint32_t c = count; c-- > 0;) {
        list_options(s, c);
        const chain_options *options = &s->chains[c];
        s->bound[c] = s->bound[c + 1] + (options->count > 0 ? options->list[0].measured.log : 0);
    }
    s->best_count = 0;
    choose_chains(s, 0, s->whole.log, 0);
    for (uint32_t k = 0; k < s->best_count; ++k) {
        s->out_count = insert_reading(s->out, s->out_count, LMBI_READINGS, &s->best[k]);
    }
}

/// Candidates for the up axis, and the logarithms of how often files use them: those of any format,
/// and of formats in which +Y is up. Of 61 characters in such files none
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
    const bool facing = lmb_vec3_dot(opts->forward, opts->forward) > 0;
    for (uint32_t p = 0; p < count; ++p) {
        lmbi_body_view views[2];
        lmbi_body_view_measure(s->body, s->tips, s->tip_count, &planes[p], up, &views[0]);
        lmbi_body_view_reverse(&views[0], &views[1]);
        for (int way = 0; way < 2; ++way) {
            if (!facing || lmb_vec3_dot(views[way].forward, opts->forward) > 0) {
                interpret_view(s, &views[way], prior + lmbi_facing_prior(up, views[way].forward));
            }
        }
    }
}

uint32_t lmbi_search_readings(const lmbi_voxel_body *body, const lmbi_tip *tips, uint32_t tip_count,
                              const lmb_body_template *body_template, const lmbi_search_opts *opts,
                              lmbi_reading out[LMBI_READINGS])
{
    search s = {.body = body,
                .tips = tips,
                .tip_count = tip_count,
                .opts = opts,
                .kind = body_template,
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
