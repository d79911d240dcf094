/// Numbers of the bones of a tree: depth-first, parents before children.
#include <string.h>

#include "base/error.h"
#include "learn/tree.h"

typedef struct numbering {
    lmbi_learn *p;
    const int32_t *parents;
    const uint32_t *merged_into;
    uint32_t count;
    uint32_t *order;  ///< bones, parents first
    uint32_t *number; ///< [bone]
    double *bones;    ///< room for renumbering
    /// The tree before, of which edges that stay keep their joints; NULL for a first tree
    int32_t *old_parents;
    double *old_joints;
} numbering;

static bool stays(const numbering *h, uint32_t bone)
{
    return !h->merged_into || h->merged_into[bone] == bone;
}

static void sort_depth_first(numbering *h)
{
    const uint32_t all = h->p->bone_count;
    uint32_t stack[LMB_LEARN_BONES], top = 0;
    for (uint32_t j = 0; j < all; ++j) {
        if (stays(h, j) && h->parents[j] == LMB_NONE) {
            stack[top++] = j;
        }
    }
    while (top > 0) {
        const uint32_t j = stack[--top];
        h->number[j] = h->count;
        h->order[h->count++] = j;
        for (uint32_t l = all; l-- > 0;) {
            if (stays(h, l) && h->parents[l] == (int32_t)j) {
                stack[top++] = l;
            }
        }
    }
}

/// Number of the bone that a row's bone has become.
static uint32_t number_of(const numbering *h, uint32_t bone)
{
    while (!stays(h, bone)) {
        bone = h->merged_into[bone];
    }
    return h->number[bone];
}

/// Adds an entry to a row of falling weights, the lower bone first among equals.
static void add_entry(uint32_t *bones, double *weights, uint32_t *count, uint32_t bone,
                      double weight)
{
    for (uint32_t k = 0; k < *count; ++k) {
        if (bones[k] == bone) {
            weight += weights[k];
            memmove(bones + k, bones + k + 1, (*count - k - 1) * sizeof *bones);
            memmove(weights + k, weights + k + 1, (*count - k - 1) * sizeof *weights);
            --*count;
            break;
        }
    }
    uint32_t at = (*count)++;
    for (; at > 0 &&
           (weights[at - 1] < weight || (!(weights[at - 1] > weight) && bones[at - 1] > bone));
         --at) {
        bones[at] = bones[at - 1];
        weights[at] = weights[at - 1];
    }
    bones[at] = bone;
    weights[at] = weight;
}

static void renumber_rows(const numbering *h)
{
    lmbi_learn *p = h->p;
    for (size_t i = 0; i < p->point_count; ++i) {
        uint32_t bones[LMB_LEARN_INFLUENCES] = {0}, count = 0;
        double weights[LMB_LEARN_INFLUENCES] = {0};
        uint32_t *row = p->row_bones + i * p->influences;
        double *row_weights = p->row_weights + i * p->influences;
        for (uint32_t k = 0; k < p->influences && row_weights[k] > 0; ++k) {
            add_entry(bones, weights, &count, number_of(h, row[k]), row_weights[k]);
        }
        for (uint32_t k = 0; k < p->influences; ++k) {
            row[k] = k < count ? bones[k] : 0;
            row_weights[k] = k < count ? weights[k] : 0;
        }
    }
}

/// The joint of an edge that was there before; NULL for a new one.
static const double *old_joint(const numbering *h, uint32_t j, uint32_t above)
{
    const int32_t *parents = h->old_parents;
    return !parents                       ? NULL
           : parents[j] == (int32_t)above ? h->old_joints + 3 * (size_t)j
           : parents[above] == (int32_t)j ? h->old_joints + 3 * (size_t)above
                                          : NULL;
}

static void set_joint(const numbering *h, const lmbi_learn_pairs *pairs, uint32_t k,
                      lmbi_learn_tree *tree)
{
    const uint32_t j = h->order[k];
    const int32_t above = h->parents[j];
    const lmbi_learn_pair *at =
        above == LMB_NONE ? NULL : lmbi_learn_pair_at(pairs, j, (uint32_t)above);
    tree->parents[k] = at ? (int32_t)h->number[above] : LMB_NONE;
    tree->anchor_weights[k] = at ? at->anchor_weight : 0;
    tree->slides[k] = false;
    const double *kept = at ? old_joint(h, j, (uint32_t)above) : NULL;
    memcpy(tree->joints + 3 * (size_t)k,
           kept ? kept
           : at ? at->joint
                : pairs->centroids + 3 * (size_t)j,
           3 * sizeof *tree->joints);
    memcpy(tree->anchors + 3 * (size_t)k, at ? at->centroid : pairs->centroids + 3 * (size_t)j,
           3 * sizeof *tree->anchors);
}

static lmb_result make_room(numbering *h, lmbi_learn_tree *tree, lmbi_arena *arena,
                            lmb_error *error)
{
    lmbi_learn *p = h->p;
    const size_t count = p->bone_count;
    if (tree->parents) {
        h->old_parents = lmbi_arena_array(arena, count, sizeof *h->old_parents);
        h->old_joints = lmbi_arena_array(arena, count, 3 * sizeof *h->old_joints);
        if (!h->old_parents || !h->old_joints) {
            return lmbi_fail_memory(error);
        }
        memcpy(h->old_parents, tree->parents, count * sizeof *h->old_parents);
        memcpy(h->old_joints, tree->joints, 3 * count * sizeof *h->old_joints);
    } else {
        const size_t most = p->opts.bone_count; // bones may be split later
        tree->parents = lmbi_arena_array(&p->arena, most, sizeof *tree->parents);
        tree->joints = lmbi_arena_array(&p->arena, most, 3 * sizeof *tree->joints);
        tree->anchors = lmbi_arena_array(&p->arena, most, 3 * sizeof *tree->anchors);
        tree->anchor_weights = lmbi_arena_array(&p->arena, most, sizeof *tree->anchor_weights);
        tree->slides = lmbi_arena_array(&p->arena, most, sizeof *tree->slides);
    }
    return tree->parents && tree->joints && tree->anchors && tree->anchor_weights && tree->slides
               ? LMB_OK
               : lmbi_fail_memory(error);
}

lmb_result lmbi_learn_number_tree(lmbi_learn *p, lmbi_learn_tree *tree,
                                  const lmbi_learn_pairs *pairs, const int32_t *parents,
                                  const uint32_t *merged_into, lmb_error *error)
{
    const size_t count = p->bone_count, block = 12 * (size_t)p->frame_count;
    lmbi_arena arena;
    lmbi_arena_init(&arena, p->arena.alloc);
    numbering h = {.p = p, .parents = parents, .merged_into = merged_into};
    h.order = lmbi_arena_array(&arena, count, sizeof *h.order);
    h.number = lmbi_arena_array(&arena, count, sizeof *h.number);
    h.bones = lmbi_arena_array(&arena, count, block * sizeof *h.bones);
    lmb_result result = h.order && h.number && h.bones ? make_room(&h, tree, &arena, error)
                                                       : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        sort_depth_first(&h);
        for (uint32_t k = 0; k < h.count; ++k) {
            set_joint(&h, pairs, k, tree);
            memcpy(h.bones + k * block, lmbi_learn_bone(p, h.order[k], 0), block * sizeof *h.bones);
        }
        memcpy(p->bones, h.bones, h.count * block * sizeof *h.bones);
        renumber_rows(&h);
        p->bone_count = h.count;
        lmbi_learn_index_rows(p);
    }
    lmbi_arena_free(&arena);
    return result;
}
