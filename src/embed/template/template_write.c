/// Templates as rows for the search and the placer, the words of their text, and the text of a built-in
/// kind or of a template that was read.
#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "embed/kinds.h"
#include "embed/template/body_template.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const lmbi_chain_words[LMBI_CHAINS] = {"legs",   "fore",  "head", "tail",
                                                   "middle", "third", "upper"};

const lmbi_measure_word lmbi_tip_words[LMBI_TIP_FEATURES] = {
    {"height", false, 0},    {"base-height", false, 0},   {"length", true, 0.02f},
    {"side", false, 0},      {"forward", false, 0},       {"base-forward", false, 0},
    {"radius", true, 0.02f}, {"points-forward", false, 0}};
const lmbi_measure_word lmbi_pair_words[LMBI_PAIR_FEATURES] = {{"unlike", false, 0},
                                                               {"unequal", false, 0}};
const lmbi_measure_word lmbi_body_words[LMBI_BODY_FEATURES] = {
    {"tall", true, 0},       {"wide", true, 0},
    {"long", true, 0},       {"mass-height", false, 0},
    {"asymmetry", false, 0}, {"skew-forward", false, 0},
    {"skew-up", false, 0},   {"ground-forward", false, 0},
    {"stance", false, 0}};
const lmbi_measure_word lmbi_own_words[LMBI_OWN_FEATURES] = {
    {"slim", true, 0}, {"rise", false, 0}, {"thick-forward", false, 0}};

const char *const lmbi_anchor_words[LMBI_LOOK] = {
    "tip",       "sixth1", "sixth2",     "sixth3",     "sixth4",    "sixth5",     "root",
    "beyond",    "bend",   "outer-bend", "inner-bend", "narrow",    "below-root", "above-root",
    "centroid",  "center", "hind-low",   "hind-high",  "mid-low",   "mid-high",   "fore-low",
    "fore-high", "back",   "front",      "tail-tip",   "tail-root", "head-tip",   "head-root"};
const char *const lmbi_mark_words[3] = {"", "bend", "narrow"};

lmbi_joint_rows lmbi_template_rows(const lmb_body_template *given)
{
    return (lmbi_joint_rows){.rows = given->joints,
                             .count = given->joint_count,
                             .weights = (const float(*)[3][LMBI_LOOK])given->weights,
                             .lines = given->lines};
}

// ---- built-in kinds

/// The plan of a kind, or LMBI_PLANS.
static lmbi_body_plan plan_of(lmb_skeleton_kind kind)
{
    int plan = 0;
    while (plan < LMBI_PLANS &&
           lmbi_reading_kind(&(lmbi_reading){.plan = (lmbi_body_plan)plan}) != kind) {
        ++plan;
    }
    return (lmbi_body_plan)plan;
}

/// Copies the rows of chains that the plan has; others share its rows.
static void copy_joints(const lmbi_joint_rows *rows, lmb_body_template *t)
{
    int8_t copy[LMBI_MOST_ROWS];
    for (uint32_t k = 0; k < rows->count; ++k) {
        const lmbi_joint_row *row = &rows->rows[k];
        const bool back = row->chain == LMBI_CHAIN_UPPER && rows->lines.back_fin;
        const uint32_t j = t->joint_count;
        if (!t->plan.chains[row->chain].exists && !(row->flags & LMBI_JOINT_ALWAYS) && !back) {
            continue;
        }
        copy[k] = (int8_t)t->joint_count++;
        t->joints[j] = *row;
        (void)snprintf(t->names[j], sizeof t->names[j], "%s", row->name);
        t->joints[j].name = t->names[j];
        t->joints[j].parent = row->parent == LMB_NONE ? LMB_NONE : copy[row->parent];
        if (row->weights != LMB_NONE) {
            t->joints[j].weights = (int16_t)j;
            memcpy(t->weights[j], rows->weights[row->weights], sizeof t->weights[j]);
        }
    }
}

lmb_result lmb_body_template_of_kind(lmb_skeleton_kind kind, const lmb_allocator *alloc,
                                     lmb_body_template **out, lmb_error *error)
{
    const lmbi_body_plan plan = plan_of(kind);
    const lmbi_joint_rows *rows = plan < LMBI_PLANS ? lmbi_plan_rows(plan) : NULL;
    if (!rows || rows->count == 0) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED,
                         "a kind that a template describes: quadruped, bird, fish, snake, spider "
                         "or biped",
                         "%s", lmb_skeleton_kind_name(kind));
    }
    lmb_body_template *t = lmbi_alloc(alloc, sizeof *t);
    if (!t) {
        return lmbi_fail_memory(error);
    }
    memset(t, 0, sizeof *t);
    t->alloc = alloc;
    t->kind = kind;
    (void)snprintf(t->name, sizeof t->name, "%s", lmb_skeleton_kind_name(kind));
    t->plan = lmbi_fitted_templates.plans[plan];
    memcpy(t->own, lmbi_fitted_templates.own[plan], sizeof t->own);
    lmbi_plan_chains(plan, &t->needed, &t->both);
    t->lines = rows->lines;
    copy_joints(rows, t);
    *out = t;
    return LMB_OK;
}

// ---- text

/// Rounding may carry a number out of the range that the reader takes.
static float clamp(float x, float low, float high)
{
    return fminf(fmaxf(x, low), high);
}

static void write_measure(lmbi_text *text, const char *prefix, const lmbi_measure_word *word,
                          lmbi_spread s)
{
    if (s.spread > 0) {
        const float ratio = clamp(lmb_exp(s.mean) - word->more, 0, LMBI_MOST_NUMBER);
        lmbi_text_format(text, "  %s%s ", prefix, word->name);
        lmbi_text_float(text, word->ratio ? ratio : s.mean);
        lmbi_text_add(text, " ");
        lmbi_text_float(text, s.spread);
        lmbi_text_add(text, "\n");
    }
}

static void write_probability(lmbi_text *text, const char *before, float logarithm)
{
    lmbi_text_add(text, before);
    lmbi_text_float(text, clamp(lmb_exp(logarithm), LMBI_LEAST_PROBABILITY, 1));
}

static void write_chain(lmbi_text *text, const lmb_body_template *t, int chain)
{
    const lmbi_chain_row *row = &t->plan.chains[chain];
    const bool back = chain == LMBI_CHAIN_UPPER && t->lines.back_fin;
    if (!row->exists && !back) {
        return;
    }
    lmbi_text_format(text, "\nchain %s %s%s%s%s%s\n", lmbi_chain_words[chain],
                     row->paired && !back ? "pair" : "single",
                     t->needed >> chain & 1 ? " needed" : "", t->both >> chain & 1 ? " both" : "",
                     chain == LMBI_CHAIN_HEAD && t->lines.through ? " through" : "",
                     back ? " back" : "");
    if (back) {
        return;
    }
    write_probability(text, "  seen ", row->none);
    if (row->paired) {
        write_probability(text, " ", row->one);
    }
    write_probability(text, " ", row->all);
    lmbi_text_add(text, "\n");
    for (int f = 0; f < LMBI_TIP_FEATURES; ++f) {
        write_measure(text, "", &lmbi_tip_words[f], row->tip[f]);
    }
    for (int f = 0; f < LMBI_PAIR_FEATURES && row->paired; ++f) {
        write_measure(text, "", &lmbi_pair_words[f], row->pair[f]);
    }
    if (row->paired && row->uneven[0].spread > 0) {
        write_probability(text, "  posed ", row->rarer);
        lmbi_text_add(text, "\n");
    }
    for (int f = 0; f < LMBI_PAIR_FEATURES && row->paired; ++f) {
        write_measure(text, "posed-", &lmbi_pair_words[f], row->uneven[f]);
    }
}

/// Writes the weights of an axis; false if all are 0.
static bool write_weights(lmbi_text *text, char axis, const float w[LMBI_LOOK])
{
    bool any = false;
    for (int k = 0; k < LMBI_LOOK; ++k) {
        if (w[k] > 0 || w[k] < 0) {
            if (!any) {
                lmbi_text_format(text, "  %c", axis);
            }
            any = true;
            lmbi_text_format(text, " %s ", lmbi_anchor_words[k]);
            lmbi_text_float(text, w[k]);
        }
    }
    lmbi_text_add(text, any ? "\n" : "");
    return any;
}

static void write_joint(lmbi_text *text, const lmb_body_template *t, uint32_t joint)
{
    const lmbi_joint_row *row = &t->joints[joint];
    lmbi_text_format(text, "\njoint %s on %s", row->name, lmbi_chain_words[row->chain]);
    if (row->parent != LMB_NONE) {
        lmbi_text_format(text, " under %s", t->names[row->parent]);
    }
    lmbi_text_format(text, "%s%s%s sure ", row->flags & LMBI_JOINT_ALWAYS ? " always" : "",
                     row->flags & LMBI_JOINT_HINGE ? " hinge" : "",
                     row->flags & LMBI_JOINT_NUMBERED ? " numbered" : "");
    lmbi_text_float(text, row->confidence);
    lmbi_text_add(text, "\n");
    if (row->weights == LMB_NONE) {
        lmbi_text_add(text, "  at ");
        lmbi_text_float(text, row->at);
        if (row->mark) {
            lmbi_text_add(text, " ");
            lmbi_text_float(text, row->spread);
            lmbi_text_format(text, " %s", lmbi_mark_words[row->mark]);
        }
        lmbi_text_add(text, "\n");
    }
    static const char axes[3] = {'x', 'y', 'z'};
    bool any = row->weights == LMB_NONE;
    for (int axis = 0; axis < 3 && row->weights != LMB_NONE; ++axis) {
        any = write_weights(text, axes[axis], t->weights[row->weights][axis]) || any;
    }
    lmbi_text_add(text, any ? "" : "  all tip 0\n"); // a joint has a line in any case
}

lmb_result lmb_body_template_write(const lmb_body_template *t, const lmb_allocator *alloc,
                                   lmb_buffer *out, lmb_error *error)
{
    lmbi_text text;
    lmbi_text_init(&text, alloc);
    lmbi_text_format(&text, "limber-template 1\nname %s\nkind %s\n", t->name,
                     lmb_skeleton_kind_name(t->kind));
    write_probability(&text, "common ", t->plan.prior);
    lmbi_text_add(&text, "\n\nbody\n");
    for (int f = 0; f < LMBI_BODY_FEATURES; ++f) {
        write_measure(&text, "", &lmbi_body_words[f], t->plan.body[f]);
    }
    for (int f = 0; f < LMBI_OWN_FEATURES; ++f) {
        write_measure(&text, "", &lmbi_own_words[f], t->own[f]);
    }
    for (int c = 0; c < LMBI_CHAINS; ++c) {
        write_chain(&text, t, c);
    }
    for (uint32_t j = 0; j < t->joint_count; ++j) {
        write_joint(&text, t, j);
    }
    return lmbi_buffer_take(&text, out, error);
}
