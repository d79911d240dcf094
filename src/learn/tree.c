/// From a tree of too many bones to one of as many as were asked for. Bones that move freely lie where
/// other ones are best when they hang on each other, so a tree starts with more, loses those that are
/// missed least (Le & Deng 2014, section 4.3), and then exchanges some: a bone that misses its skin is
/// split, the one that is missed least goes, and what is no better is taken back.
#include <math.h>

#include "base/error.h"
#include "learn/tree_connect.h"

enum {
    PRUNE_ROUNDS = 4,     ///< between which the tree is fitted
    PRUNE_ITERATIONS = 4, ///< of weights and bones in one of them
    EXCHANGES = 24,       ///< at most
    FAILURES = 6, ///< exchanges in a row that gain too little, after which none is tried any more
    SETTLE = 10,  ///< iterations before the first exchange
    SPLIT_ITERATIONS = 4, ///< with the new bones
    MERGE_ITERATIONS = 6, ///< without those that went
    PART = 8,             ///< so many bones for each that is exchanged at once
};

/// An exchange has to lower the mean square error by this fraction, or the next one splits another bone.
static const double EXCHANGE_GAIN = 0.02;

static lmb_result prune(lmbi_tree_connector *c, lmb_error *error)
{
    lmb_result result = LMB_OK;
    const uint32_t target = c->p->target_count;
    for (uint32_t k = PRUNE_ROUNDS; result == LMB_OK && k > 0 && c->p->bone_count > target; --k) {
        result = lmbi_tree_settle(c, PRUNE_ITERATIONS, error);
        const uint32_t left = target + (c->p->bone_count - target) * (k - 1) / k;
        if (result == LMB_OK) {
            result = lmbi_learn_prune_tree(c->p, c->tree, left, error);
        }
    }
    return result;
}

/// Splits the bones that miss their skin most, `skip` of them left out, and merges as many.
static lmb_result exchange(lmbi_tree_connector *c, uint32_t skip, lmb_error *error)
{
    lmbi_learn *p = c->p;
    const uint32_t count = p->bone_count,
                   most = skip > 0 || count < PART ? count + 1 : count + count / PART;
    lmb_result result = lmbi_learn_split_tree(
        p, c->tree, most < p->opts.bone_count ? most : p->opts.bone_count, skip, error);
    if (result == LMB_OK && p->bone_count > count) {
        result = lmbi_tree_settle(c, SPLIT_ITERATIONS, error);
    }
    if (result == LMB_OK && p->bone_count > count) {
        result = lmbi_learn_prune_tree(p, c->tree, count, error);
        result = result == LMB_OK ? lmbi_tree_settle(c, MERGE_ITERATIONS, error) : result;
    }
    return result;
}

static lmb_result exchange_bones(lmbi_tree_connector *c, lmb_error *error)
{
    lmb_result result = lmbi_tree_settle(c, SETTLE, error);
    for (uint32_t k = 0, failures = 0; result == LMB_OK && k < EXCHANGES && failures < FAILURES;
         ++k) {
        const double before = c->error_now;
        lmbi_tree_keep(c);
        result = exchange(c, failures, error);
        failures = c->error_now < (1 - EXCHANGE_GAIN) * before ? 0 : failures + 1;
        if (result == LMB_OK && !(c->error_now < before)) {
            lmbi_tree_take_back(c);
            c->error_now = before;
        }
    }
    return result;
}

lmb_result lmbi_learn_connect(lmbi_learn *p, lmbi_learn_tree *tree, lmb_learn_report *report,
                              lmb_error *error)
{
    lmbi_tree_connector c = {.p = p, .tree = tree, .report = report};
    lmb_result result = lmbi_tree_connect_begin(&c, error);
    if (result == LMB_OK) {
        result = prune(&c, error);
    }
    if (result == LMB_OK) {
        result = exchange_bones(&c, error);
    }
    if (result == LMB_OK) {
        lmbi_learn_measure_errors(p);
        result = lmbi_learn_reroot_tree(p, tree, error);
    }
    if (result == LMB_OK) {
        result = lmbi_tree_settle(&c, 0, error);
    }
    return result == LMB_OK && p->near_error > 0 ? lmbi_tree_free_joints(&c, error) : result;
}

lmb_result lmbi_learn_slide(lmbi_learn *p, lmbi_learn_tree *tree, lmb_learn_report *report,
                            lmb_error *error)
{
    lmbi_tree_connector c = {.p = p, .tree = tree, .report = report};
    for (uint32_t j = 1; j < p->bone_count; ++j) {
        tree->slides[j] = true;
    }
    lmb_result result = LMB_OK;
    if (p->near_error > 0) {
        result = lmbi_tree_connect_begin(&c, error);
        result = result == LMB_OK ? lmbi_tree_hold_joints(&c, error) : result;
    }
    return result;
}
