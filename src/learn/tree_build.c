/// A hierarchy from free bones: the minimum spanning tree over the pairs of bones, by how well they
/// agree on a joint (Le & Deng 2014, section 4.2).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "learn/tree.h"

typedef struct tree_builder {
    const lmbi_learn_pairs *pairs;
    int32_t *parents; ///< [bone]
} tree_builder;

/// Prim's minimum spanning tree, started at bone 0.
static void build_spanning_tree(tree_builder *h)
{
    const uint32_t count = h->pairs->p->bone_count;
    uint32_t from[LMB_LEARN_BONES];
    bool done[LMB_LEARN_BONES] = {true};
    h->parents[0] = LMB_NONE;
    for (uint32_t j = 1; j < count; ++j) {
        from[j] = 0;
    }
    for (uint32_t round = 1; round < count; ++round) {
        uint32_t best = UINT32_MAX;
        for (uint32_t j = 1; j < count; ++j) {
            if (!done[j] &&
                (best == UINT32_MAX || lmbi_learn_pair_at(h->pairs, j, from[j])->cost <
                                           lmbi_learn_pair_at(h->pairs, best, from[best])->cost)) {
                best = j;
            }
        }
        done[best] = true;
        h->parents[best] = (int32_t)from[best];
        for (uint32_t j = 1; j < count; ++j) {
            if (!done[j] && lmbi_learn_pair_at(h->pairs, j, best)->cost <
                                lmbi_learn_pair_at(h->pairs, j, from[j])->cost) {
                from[j] = best;
            }
        }
    }
}

/// Reroots the tree in `parents` at `root`.
static void reroot(tree_builder *h, uint32_t root)
{
    int32_t child = LMB_NONE, at = (int32_t)root;
    while (at != LMB_NONE) {
        const int32_t above = h->parents[at];
        h->parents[at] = child;
        child = at;
        at = above;
    }
}

static double distance(const double *a, const double *b)
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

/// Total distance of all skin from a bone, along the tree.
static double sum_distances(tree_builder *h, uint32_t root)
{
    const uint32_t count = h->pairs->p->bone_count;
    double far[LMB_LEARN_BONES], sum = 0;
    uint32_t stack[LMB_LEARN_BONES], top = 0;
    reroot(h, root);
    far[root] = 0;
    stack[top++] = root;
    while (top > 0) {
        const uint32_t at = stack[--top];
        sum += h->pairs->masses[at] * far[at];
        for (uint32_t j = 0; j < count; ++j) {
            if (h->parents[j] == (int32_t)at) {
                const double *joint = lmbi_learn_pair_at(h->pairs, j, at)->joint;
                far[j] = far[at] + distance(h->pairs->centroids + 3 * (size_t)at, joint) +
                         distance(joint, h->pairs->centroids + 3 * (size_t)j);
                stack[top++] = j;
            }
        }
    }
    return sum;
}

static void choose_root(tree_builder *h)
{
    uint32_t best = 0;
    double least = (double)INFINITY;
    for (uint32_t j = 0; j < h->pairs->p->bone_count; ++j) {
        const double sum = sum_distances(h, j);
        if (sum < least) {
            least = sum;
            best = j;
        }
    }
    reroot(h, best);
}

/// The tree of the present bones, or with `tree` that one from another root.
static lmb_result build(lmbi_learn *p, lmbi_learn_tree *tree, bool is_first, lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, p->arena.alloc);
    lmbi_learn_pairs pairs;
    tree_builder h = {.pairs = &pairs};
    h.parents = lmbi_arena_array(&arena, p->bone_count, sizeof *h.parents);
    lmb_result result =
        lmbi_learn_pairs_init(&pairs, p, &arena) && h.parents ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        lmbi_learn_fit_pairs(&pairs, lmbi_learn_measure_errors(p));
        if (is_first) {
            build_spanning_tree(&h);
        } else {
            memcpy(h.parents, tree->parents, p->bone_count * sizeof *h.parents);
        }
        choose_root(&h);
        result = lmbi_learn_number_tree(p, tree, &pairs, h.parents, NULL, error);
    }
    lmbi_arena_free(&arena);
    return result;
}

lmb_result lmbi_learn_build_tree(lmbi_learn *p, lmbi_learn_tree *tree, lmb_error *error)
{
    return build(p, tree, true, error);
}

lmb_result lmbi_learn_reroot_tree(lmbi_learn *p, lmbi_learn_tree *tree, lmb_error *error)
{
    return build(p, tree, false, error);
}
