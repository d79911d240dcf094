/// The words of a template's text, in the order of the enumerations that they name.
#include "embed/template/body_template.h"

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

void lmbi_template_add(const lmb_body_template *given, lmbi_template_set *out)
{
    *out = lmbi_fitted_templates;
    out->plans[LMBI_PLAN_GIVEN] = given->plan;
    for (int f = 0; f < LMBI_OWN_FEATURES; ++f) {
        out->own[LMBI_PLAN_GIVEN][f] = given->own[f];
    }
}

lmbi_joint_rows lmbi_template_rows(const lmb_body_template *given)
{
    return (lmbi_joint_rows){.rows = given->joints,
                             .count = given->joint_count,
                             .weights = (const float(*)[3][LMBI_LOOK])given->weights,
                             .lines = given->lines};
}
