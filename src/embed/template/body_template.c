/// Templates as rows for the search and the placer, those of built-in kinds, and the words of their
/// text in the order of the enumerations that they name.
#include "embed/template/body_template.h"

#include "base/alloc.h"
#include "base/error.h"
#include "embed/kinds.h"

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
