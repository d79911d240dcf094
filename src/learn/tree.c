/// From a tree of too many bones to one of as many as were asked for. Bones that move freely lie where
/// other ones are best when they hang on each other, so a tree starts with more, loses those that are
/// missed least (Le & Deng 2014, section 4.3), and then exchanges some: a bone that misses its skin is
/// split, the one that is missed least goes, and what is no better is taken back.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "learn/tree.h"

enum {
    PRUNE_ROUNDS = 4,     ///< between which the tree is fitted
    PRUNE_ITERATIONS = 4, ///< of weights and bones in one of them
    CHANGED_STEPS = 30,   ///< of the fit to a changed tree, whose bones may start far away
    EXCHANGES = 24,       ///< at most
    FAILURES = 6, ///< exchanges in a row that gain too little, after which none is tried any more
    SETTLE = 10,  ///< iterations before the first exchange
    SPLIT_ITERATIONS = 4, ///< with the new bones
    MERGE_ITERATIONS = 6, ///< without those that went
    PART = 8,             ///< so many bones for each that is exchanged at once
};

/// An exchange has to lower the mean square error by this fraction, or the next one splits another bone.
static const double EXCHANGE_GAIN = 0.02;

/// What an exchange is taken back to.
typedef struct snapshot {
    uint32_t bone_count;
    double *bones, *row_weights;
    uint32_t *row_bones;
    lmbi_learn_tree tree;
} snapshot;

typedef struct connector {
    lmbi_learn *p;
    lmbi_learn_tree *tree;
    lmb_learn_report *report;
    double error_now; ///< mean square error
    snapshot kept;
} connector;

static bool make_room(snapshot *s, const lmbi_learn *p, lmbi_arena *arena)
{
    const size_t rows = (size_t)p->point_count * p->influences, bones = p->opts.bone_count;
    s->bones = lmbi_arena_array(arena, bones * 12, p->frame_count * sizeof *s->bones);
    s->row_weights = lmbi_arena_array(arena, rows, sizeof *s->row_weights);
    s->row_bones = lmbi_arena_array(arena, rows, sizeof *s->row_bones);
    s->tree.parents = lmbi_arena_array(arena, bones, sizeof *s->tree.parents);
    s->tree.joints = lmbi_arena_array(arena, bones, 3 * sizeof *s->tree.joints);
    s->tree.anchors = lmbi_arena_array(arena, bones, 3 * sizeof *s->tree.anchors);
    s->tree.anchor_weights = lmbi_arena_array(arena, bones, sizeof *s->tree.anchor_weights);
    return s->bones && s->row_weights && s->row_bones && s->tree.parents && s->tree.joints &&
           s->tree.anchors && s->tree.anchor_weights;
}

static void copy_tree(lmbi_learn_tree *to, const lmbi_learn_tree *from, size_t count)
{
    memcpy(to->parents, from->parents, count * sizeof *to->parents);
    memcpy(to->joints, from->joints, 3 * count * sizeof *to->joints);
    memcpy(to->anchors, from->anchors, 3 * count * sizeof *to->anchors);
    memcpy(to->anchor_weights, from->anchor_weights, count * sizeof *to->anchor_weights);
}

static void keep(connector *c)
{
    const lmbi_learn *p = c->p;
    const size_t rows = (size_t)p->point_count * p->influences, count = p->bone_count;
    c->kept.bone_count = p->bone_count;
    memcpy(c->kept.bones, p->bones, count * 12 * p->frame_count * sizeof *p->bones);
    memcpy(c->kept.row_weights, p->row_weights, rows * sizeof *p->row_weights);
    memcpy(c->kept.row_bones, p->row_bones, rows * sizeof *p->row_bones);
    copy_tree(&c->kept.tree, c->tree, count);
}

static void take_back(connector *c)
{
    lmbi_learn *p = c->p;
    const size_t rows = (size_t)p->point_count * p->influences, count = c->kept.bone_count;
    p->bone_count = c->kept.bone_count;
    memcpy(p->bones, c->kept.bones, count * 12 * p->frame_count * sizeof *p->bones);
    memcpy(p->row_weights, c->kept.row_weights, rows * sizeof *p->row_weights);
    memcpy(p->row_bones, c->kept.row_bones, rows * sizeof *p->row_bones);
    copy_tree(c->tree, &c->kept.tree, count);
    lmbi_learn_index_rows(p);
}

/// Bones first, since the tree has changed, then weights and bones in turn, `most` times (0: until it
/// pays no more).
static lmb_result settle(connector *c, uint32_t most, lmb_error *error)
{
    c->error_now = (double)INFINITY; // a changed tree may raise the error
    const lmb_result result = lmbi_learn_fit_tree(c->p, c->tree, CHANGED_STEPS, error);
    return result == LMB_OK
               ? lmbi_learn_alternate(c->p, c->tree, most, c->report, &c->error_now, error)
               : result;
}

static lmb_result prune(connector *c, lmb_error *error)
{
    lmb_result result = LMB_OK;
    const uint32_t target = c->p->target_count;
    for (uint32_t k = PRUNE_ROUNDS; result == LMB_OK && k > 0 && c->p->bone_count > target; --k) {
        result = settle(c, PRUNE_ITERATIONS, error);
        const uint32_t left = target + (c->p->bone_count - target) * (k - 1) / k;
        if (result == LMB_OK) {
            result = lmbi_learn_prune_tree(c->p, c->tree, left, error);
        }
    }
    return result;
}

/// Splits the bones that miss their skin most, `skip` of them left out, and merges as many.
static lmb_result exchange(connector *c, uint32_t skip, lmb_error *error)
{
    lmbi_learn *p = c->p;
    const uint32_t count = p->bone_count,
                   most = skip > 0 || count < PART ? count + 1 : count + count / PART;
    lmb_result result = lmbi_learn_split_tree(
        p, c->tree, most < p->opts.bone_count ? most : p->opts.bone_count, skip, error);
    if (result == LMB_OK && p->bone_count > count) {
        result = settle(c, SPLIT_ITERATIONS, error);
    }
    if (result == LMB_OK && p->bone_count > count) {
        result = lmbi_learn_prune_tree(p, c->tree, count, error);
        result = result == LMB_OK ? settle(c, MERGE_ITERATIONS, error) : result;
    }
    return result;
}

static lmb_result exchange_bones(connector *c, lmb_error *error)
{
    lmb_result result = settle(c, SETTLE, error);
    for (uint32_t k = 0, failures = 0; result == LMB_OK && k < EXCHANGES && failures < FAILURES;
         ++k) {
        const double before = c->error_now;
        keep(c);
        result = exchange(c, failures, error);
        failures = c->error_now < (1 - EXCHANGE_GAIN) * before ? 0 : failures + 1;
        if (result == LMB_OK && !(c->error_now < before)) {
            take_back(c);
            c->error_now = before;
        }
    }
    return result;
}

lmb_result lmbi_learn_connect(lmbi_learn *p, lmbi_learn_tree *tree, lmb_learn_report *report,
                              lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, p->arena.alloc);
    connector c = {.p = p, .tree = tree, .report = report};
    lmb_result result = make_room(&c.kept, p, &arena) ? prune(&c, error) : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        result = exchange_bones(&c, error);
    }
    if (result == LMB_OK) {
        lmbi_learn_measure_errors(p);
        result = lmbi_learn_reroot_tree(p, tree, error);
    }
    if (result == LMB_OK) {
        result = settle(&c, 0, error);
    }
    lmbi_arena_free(&arena);
    return result;
}
