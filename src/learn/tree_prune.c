/// Fewer bones in a tree: those that another one can stand in for with the least error are merged into
/// it (Le & Deng 2014, section 4.3).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "learn/tree.h"

typedef struct pruning {
    lmbi_learn *p;
    const lmbi_learn_tree *tree;
    lmbi_learn_pairs pairs;
    double (*moments)[16]; ///< [bone] sums of w^2 u u^T, u = (x, y, z, 1)
    int32_t *parents;      ///< [bone] in the tree so far
    uint32_t *merged_into; ///< [bone] itself while it stays
    double *below;         ///< [bone] weight of the skin of the bone and what hangs on it
} pruning;

static bool stays(const pruning *s, uint32_t j)
{
    return s->merged_into[j] == j;
}

static void sum_moments(const pruning *s)
{
    const lmbi_learn *p = s->p;
    memset(s->moments, 0, p->bone_count * sizeof *s->moments);
    for (uint32_t j = 0; j < p->bone_count; ++j) {
        for (uint32_t k = p->list_first[j]; k < p->list_first[j + 1]; ++k) {
            const double *x = p->rest + 3 * (size_t)p->list_points[k];
            const double u[4] = {x[0], x[1], x[2], 1}, w = p->list_weights[k];
            for (int e = 0; e < 16; ++e) {
                s->moments[j][e] += w * w * u[e / 4] * u[e % 4];
            }
        }
    }
}

/// Squared distance that the skin of bone j moves when it follows bone k, over all frames.
static double skin_cost(const pruning *s, uint32_t j, uint32_t k)
{
    const lmbi_learn *p = s->p;
    const double *m = s->moments[j];
    double sum = 0;
    for (uint32_t f = 0; f < p->frame_count; ++f) {
        for (uint32_t r = 0; r < 3; ++r) {
            double d[4];
            for (uint32_t c = 0; c < 4; ++c) {
                d[c] = lmbi_learn_bone(p, k, 4 * r + c)[f] - lmbi_learn_bone(p, j, 4 * r + c)[f];
            }
            for (int e = 0; e < 16; ++e) {
                sum += d[e / 4] * m[e] * d[e % 4];
            }
        }
    }
    return sum;
}

static void sum_below(const pruning *s)
{
    const lmbi_learn *p = s->p;
    memcpy(s->below, s->pairs.masses, p->bone_count * sizeof *s->below);
    for (uint32_t j = p->bone_count; j-- > 0;) {
        if (s->tree->parents[j] != LMB_NONE) {
            s->below[s->tree->parents[j]] += s->below[j];
        }
    }
}

/// Weight of the skin beyond the edge from a bone to its neighbour in the tree.
static double side(const pruning *s, uint32_t bone, uint32_t neighbour)
{
    return s->parents[neighbour] == (int32_t)bone ? s->below[neighbour]
                                                  : s->p->point_count - s->below[bone];
}

static bool is_edge(const pruning *s, uint32_t a, uint32_t b)
{
    return stays(s, a) && stays(s, b) &&
           (s->parents[a] == (int32_t)b || s->parents[b] == (int32_t)a);
}

/// Cost of merging bone j into its neighbour k: the skin of j follows k, and the other neighbours of j
/// hang on k, each where the two agree best.
static double merge_cost(const pruning *s, uint32_t j, uint32_t k)
{
    double cost = skin_cost(s, j, k);
    for (uint32_t h = 0; h < s->p->bone_count; ++h) {
        if (h != k && h != j && is_edge(s, h, j)) {
            cost += s->p->frame_count * side(s, j, h) *
                    lmbi_learn_pair_at(&s->pairs, h, k)->disagreement;
        }
    }
    return cost;
}

/// Hangs the neighbours of j on k.
static void merge(pruning *s, uint32_t j, uint32_t k)
{
    if (s->parents[j] != (int32_t)k) { // else the skin of j is counted below k already
        s->parents[k] = s->parents[j];
        s->below[k] = s->below[j];
    }
    for (uint32_t h = 0; h < s->p->bone_count; ++h) {
        if (stays(s, h) && h != k && s->parents[h] == (int32_t)j) {
            s->parents[h] = (int32_t)k;
        }
    }
    s->merged_into[j] = k;
    for (int e = 0; e < 16; ++e) {
        s->moments[k][e] += s->moments[j][e];
    }
}

static void merge_cheapest(pruning *s)
{
    const uint32_t count = s->p->bone_count;
    uint32_t from = 0, to = 0;
    double least = (double)INFINITY;
    for (uint32_t j = 0; j < count; ++j) {
        for (uint32_t k = 0; k < count; ++k) {
            const double cost = j != k && is_edge(s, j, k) ? merge_cost(s, j, k) : (double)INFINITY;
            if (cost < least) {
                least = cost;
                from = j;
                to = k;
            }
        }
    }
    if (from != to) {
        merge(s, from, to);
    }
}

static bool allocate(pruning *s, lmbi_arena *arena)
{
    const size_t count = s->p->bone_count;
    s->moments = lmbi_arena_array(arena, count, sizeof *s->moments);
    s->parents = lmbi_arena_array(arena, count, sizeof *s->parents);
    s->merged_into = lmbi_arena_array(arena, count, sizeof *s->merged_into);
    s->below = lmbi_arena_array(arena, count, sizeof *s->below);
    return s->moments && s->parents && s->merged_into && s->below &&
           lmbi_learn_pairs_init(&s->pairs, s->p, arena);
}

lmb_result lmbi_learn_prune_tree(lmbi_learn *p, lmbi_learn_tree *tree, uint32_t bone_count,
                                 lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, p->arena.alloc);
    pruning s = {.p = p, .tree = tree};
    lmb_result result = allocate(&s, &arena) ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        lmbi_learn_fit_pairs(&s.pairs, lmbi_learn_measure_errors(p));
        memcpy(s.parents, tree->parents, p->bone_count * sizeof *s.parents);
        for (uint32_t j = 0; j < p->bone_count; ++j) {
            s.merged_into[j] = j;
        }
        sum_moments(&s);
        sum_below(&s);
        for (uint32_t left = p->bone_count; left > bone_count; --left) {
            merge_cheapest(&s);
        }
        result = lmbi_learn_number_tree(p, tree, &s.pairs, s.parents, s.merged_into, error);
    }
    lmbi_arena_free(&arena);
    return result;
}
