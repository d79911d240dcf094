/// Which joints of a tree slide: those whose holding costs most, one after another, each weighed anew when all
/// else has followed.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "learn/tree_connect.h"

enum { FAILURES = 3 /* joints in a row that cannot be held, after which none is tried any more */ };

/// Of more than two thirds of its joints a tree is none.
static uint32_t most_sliding(const lmbi_learn *p)
{
    return 2 * (p->bone_count - 1) / 3;
}

bool lmbi_tree_is_near(const lmbi_learn *p)
{
    const double most = p->near_error / p->size;
    double sum = 0;
    for (uint32_t v = 0; v < p->def->vertex_count; ++v) {
        sum += p->point_errors[p->point_of[v]];
    }
    return sum <= most * most * p->def->vertex_count;
}

/// The joint that holds and costs most; 0: none.
static lmb_result find_costliest(const lmbi_tree_connector *c, uint32_t *out, lmb_error *error)
{
    double gains[LMB_LEARN_BONES];
    const lmb_result result = lmbi_learn_score_joints(c->p, c->tree, gains, error);
    *out = 0;
    for (uint32_t j = 1; result == LMB_OK && j < c->p->bone_count; ++j) {
        *out = gains[j] > (*out > 0 ? gains[*out] : 0) ? j : *out;
    }
    return result;
}

/// Puts each joint that slides where it slides least.
static lmb_result center_joints(lmbi_tree_connector *c, lmb_error *error)
{
    const lmbi_learn *p = c->p;
    lmbi_learn_pairs pairs;
    lmbi_arena arena;
    lmbi_arena_init(&arena, p->arena.alloc);
    const bool allocated = lmbi_learn_pairs_init(&pairs, p, &arena);
    if (allocated) {
        lmbi_learn_fit_pairs(&pairs, c->error_now);
    }
    for (uint32_t j = 1; allocated && j < p->bone_count; ++j) {
        if (c->tree->slides[j]) {
            memcpy(c->tree->joints + 3 * (size_t)j,
                   lmbi_learn_pair_at(&pairs, j, (uint32_t)c->tree->parents[j])->joint,
                   3 * sizeof *c->tree->joints);
        }
    }
    lmbi_arena_free(&arena);
    return allocated ? LMB_OK : lmbi_fail_memory(error);
}

lmb_result lmbi_tree_free_joints(lmbi_tree_connector *c, lmb_error *error)
{
    lmbi_learn *p = c->p;
    lmb_result result = LMB_OK;
    for (uint32_t left = most_sliding(p); left > 0 && !lmbi_tree_is_near(p); --left) {
        const double before = c->error_now;
        uint32_t joint = 0;
        lmbi_tree_keep(c);
        result = find_costliest(c, &joint, error);
        if (result != LMB_OK || joint == 0) {
            break;
        }
        c->tree->slides[joint] = true;
        result = lmbi_tree_settle(c, 0, error);
        if (result == LMB_OK && !(c->error_now < before)) {
            lmbi_tree_take_back(c);
            break;
        }
        result = result == LMB_OK ? center_joints(c, error) : result;
    }
    return result;
}

/// The sliding joint that costs least to hold and has not failed; 0: none.
static lmb_result find_cheapest(const lmbi_tree_connector *c, const bool *failed, uint32_t *out,
                                double *at, lmb_error *error)
{
    double costs[LMB_LEARN_BONES], joints[LMB_LEARN_BONES][3];
    const lmb_result result = lmbi_learn_score_holding(c->p, c->tree, costs, joints, error);
    *out = 0;
    for (uint32_t j = 1; result == LMB_OK && j < c->p->bone_count; ++j) {
        if (c->tree->slides[j] && !failed[j] && (*out == 0 || costs[j] < costs[*out])) {
            *out = j;
        }
    }
    memcpy(at, joints[*out], 3 * sizeof *at);
    return result;
}

/// Holds a joint, or takes that back where it cannot be afforded.
static lmb_result hold_joint(lmbi_tree_connector *c, uint32_t joint, const double *at, bool must,
                             bool *done, lmb_error *error)
{
    const double before = c->error_now;
    lmbi_tree_keep(c);
    c->tree->slides[joint] = false;
    memcpy(c->tree->joints + 3 * (size_t)joint, at, 3 * sizeof *at);
    lmb_result result = lmbi_tree_settle(c, 0, error);
    *done = result == LMB_OK && (must || lmbi_tree_is_near(c->p));
    if (result == LMB_OK && !*done) {
        lmbi_tree_take_back(c);
        c->error_now = before;
    }
    return result == LMB_OK ? center_joints(c, error) : result;
}

lmb_result lmbi_tree_hold_joints(lmbi_tree_connector *c, lmb_error *error)
{
    const uint32_t bones = c->p->bone_count, most = most_sliding(c->p);
    bool failed[LMB_LEARN_BONES] = {false};
    lmb_result result = lmbi_tree_settle(c, 0, error);
    for (uint32_t sliding = bones - 1, failures = 0; result == LMB_OK && failures < FAILURES;) {
        uint32_t joint = 0;
        double at[3];
        result = find_cheapest(c, failed, &joint, at, error);
        if (result != LMB_OK || joint == 0) {
            break;
        }
        bool done = false;
        result = hold_joint(c, joint, at, sliding > most, &done, error);
        failed[joint] = !done;
        failures = done ? 0 : failures + 1;
        sliding -= done;
    }
    return result;
}
