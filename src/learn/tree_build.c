/// A hierarchy from free bones: the joint of two bones is where they agree best over all frames,
/// and the skeleton is the minimum spanning tree over the pairs (Le & Deng 2014).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "learn/learn.h"
#include "linalg/linalg.h"

/// Weight of a joint's pull to the centre of the skin common to its two bones, relative to what
/// the frames determine. It decides where they do not, as along the axis of a hinge.
static const double CENTROID_WEIGHT = 1e-3;
/// Least variance of the shared skin, in squared sizes of the mesh.
static const double LEAST_SPREAD = 1e-6;
/// Added to the shared fraction of the skin, so that bones sharing none are connected only as a
/// last resort.
static const double MIN_SHARED = 1e-6;

typedef struct pair {
    double shared;        ///< sum of the products of weights
    double centroid[3];   ///< centroid of the shared skin; times `shared` while summing
    double spread;        ///< its variance per axis; sum of squares while summing
    double noise;         ///< mean square error per coordinate of that skin; summed alike
    double anchor_weight; ///< weight of the pull to the centroid, relative to one point's frames
    double joint[3];
    double cost;
} pair;

typedef struct tree_builder {
    lmbi_learn *p;
    pair *pairs;       ///< [bone][bone], l < j
    double *masses;    ///< [bone] sums of weights
    double *centroids; ///< [bone][3] centroids of the skin
    double noise;      ///< mean square error per coordinate
    int32_t *parents;
    uint32_t *order; ///< bones, parents first
    uint32_t *number;
    double *bones; ///< room for renumbering
} tree_builder;

static pair *pair_at(const tree_builder *h, uint32_t j, uint32_t l)
{
    return &h->pairs[j > l ? (size_t)j * h->p->bone_count + l : (size_t)l * h->p->bone_count + j];
}

static void sum_shared_skin(tree_builder *h)
{
    const lmbi_learn *p = h->p;
    for (size_t i = 0; i < p->point_count; ++i) {
        const double *weights = p->row_weights + i * p->influences, *x = p->rest + 3 * i;
        const uint32_t *bones = p->row_bones + i * p->influences;
        for (uint32_t a = 0; a < p->influences && weights[a] > 0; ++a) {
            h->masses[bones[a]] += weights[a];
            for (uint32_t c = 0; c < 3; ++c) {
                h->centroids[3 * (size_t)bones[a] + c] += weights[a] * x[c];
            }
            for (uint32_t b = 0; b < a; ++b) {
                pair *shared = pair_at(h, bones[a], bones[b]);
                const double w = weights[a] * weights[b];
                shared->shared += w;
                shared->noise += w * p->point_errors[i] / 3;
                for (uint32_t c = 0; c < 3; ++c) {
                    shared->centroid[c] += w * x[c];
                    shared->spread += w * x[c] * x[c] / 3;
                }
            }
        }
    }
    for (size_t j = 0; j < p->bone_count; ++j) {
        for (uint32_t c = 0; c < 3 && h->masses[j] > 0; ++c) {
            h->centroids[3 * j + c] /= h->masses[j];
        }
    }
}

/// Sums A^T A, A^T b and returns b^T b of A_k c = b_k over the frames, where c is a point that both
/// bones move to the same position.
static double sum_normal(const lmbi_learn *p, uint32_t j, uint32_t l, double a[9], double b[3])
{
    double square = 0;
    for (uint32_t k = 0; k < p->frame_count; ++k) {
        for (uint32_t r = 0; r < 3; ++r) {
            double row[4];
            for (uint32_t c = 0; c < 4; ++c) {
                row[c] = lmbi_learn_bone(p, j, 4 * r + c)[k] - lmbi_learn_bone(p, l, 4 * r + c)[k];
            }
            for (int x = 0; x < 3; ++x) {
                for (int y = 0; y < 3; ++y) {
                    a[3 * x + y] += row[x] * row[y];
                }
                b[x] -= row[x] * row[3];
            }
            square += row[3] * row[3];
        }
    }
    return square;
}

static void finish_pair(const tree_builder *h, uint32_t j, uint32_t l)
{
    pair *at = pair_at(h, j, l);
    const double *x = h->centroids + 3 * (size_t)j, *y = h->centroids + 3 * (size_t)l;
    at->spread /= at->shared > 0 ? at->shared : 1;
    for (size_t c = 0; c < 3; ++c) {
        at->centroid[c] = at->shared > 0 ? at->centroid[c] / at->shared : (x[c] + y[c]) / 2;
        at->spread -= at->centroid[c] * at->centroid[c] / 3;
    }
    at->spread = at->spread > LEAST_SPREAD ? at->spread : LEAST_SPREAD;
    at->noise = at->shared > 0 ? at->noise / at->shared : 0;
    at->noise = at->noise > h->noise ? at->noise : h->noise;
}

/// Solves for the joint. Returns the mean squared distance between the two bones' positions of it.
static double solve_joint(const lmbi_learn *p, pair *at, const double a[9], const double b[3],
                          double square)
{
    double full[9], c[3];
    lmb_error unused;
    const double weight = CENTROID_WEIGHT * (a[0] + a[4] + a[8]) / 3 + at->anchor_weight + 1e-12;
    memcpy(full, a, sizeof full);
    for (size_t k = 0; k < 3; ++k) {
        full[4 * k] += weight;
        c[k] = b[k] + weight * at->centroid[k];
    }
    if (lmbi_dense_solve(full, 3, c, 1, &unused) != LMB_OK) {
        memcpy(c, at->centroid, sizeof c);
    }
    for (int x = 0; x < 3; ++x) {
        square -= 2 * b[x] * c[x];
        for (int y = 0; y < 3; ++y) {
            square += c[x] * a[3 * x + y] * c[y];
        }
    }
    memcpy(at->joint, c, sizeof c);
    return (square > 0 ? square : 0) / p->frame_count;
}

/// Finds the joint of two bones and its cost. Prior: the joint's variance about the centroid of the
/// shared skin equals the skin's own. Likelihood: the noise is that of the skin plus the
/// disagreement of the bones.
static void fit_joint(const tree_builder *h, uint32_t j, uint32_t l)
{
    const lmbi_learn *p = h->p;
    pair *at = pair_at(h, j, l);
    double a[9] = {0}, b[3] = {0};
    const double square = sum_normal(p, j, l, a, b);
    at->anchor_weight = p->frame_count * at->noise / at->spread;
    const double disagreement = solve_joint(p, at, a, b, square);
    at->anchor_weight += p->frame_count * disagreement / 3 / at->spread;
    const double rms = sqrt(solve_joint(p, at, a, b, square)) + sqrt(h->noise);
    at->cost = rms / (MIN_SHARED + at->shared / p->point_count);
}

/// Prim's minimum spanning tree, started at bone 0.
static void build_spanning_tree(tree_builder *h)
{
    const uint32_t count = h->p->bone_count;
    uint32_t *from = h->number; // `number` is not in use yet
    bool done[LMB_LEARN_BONES] = {true};
    h->parents[0] = LMB_NONE;
    for (uint32_t j = 1; j < count; ++j) {
        from[j] = 0;
    }
    for (uint32_t round = 1; round < count; ++round) {
        uint32_t best = UINT32_MAX;
        for (uint32_t j = 1; j < count; ++j) {
            if (!done[j] && (best == UINT32_MAX ||
                             pair_at(h, j, from[j])->cost < pair_at(h, best, from[best])->cost)) {
                best = j;
            }
        }
        done[best] = true;
        h->parents[best] = (int32_t)from[best];
        for (uint32_t j = 1; j < count; ++j) {
            if (!done[j] && pair_at(h, j, best)->cost < pair_at(h, j, from[j])->cost) {
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
    const uint32_t count = h->p->bone_count;
    double far[LMB_LEARN_BONES], sum = 0;
    uint32_t stack[LMB_LEARN_BONES], top = 0;
    reroot(h, root);
    far[root] = 0;
    stack[top++] = root;
    while (top > 0) {
        const uint32_t at = stack[--top];
        sum += h->masses[at] * far[at];
        for (uint32_t j = 0; j < count; ++j) {
            if (h->parents[j] == (int32_t)at) {
                const double *joint = pair_at(h, j, at)->joint;
                far[j] = far[at] + distance(h->centroids + 3 * (size_t)at, joint) +
                         distance(joint, h->centroids + 3 * (size_t)j);
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
    for (uint32_t j = 0; j < h->p->bone_count; ++j) {
        const double sum = sum_distances(h, j);
        if (sum < least) {
            least = sum;
            best = j;
        }
    }
    reroot(h, best);
}

/// Sorts the bones depth-first, parents before children.
static void sort_depth_first(tree_builder *h)
{
    const uint32_t count = h->p->bone_count;
    uint32_t stack[LMB_LEARN_BONES], top = 0, at = 0;
    for (uint32_t j = 0; j < count; ++j) {
        if (h->parents[j] == LMB_NONE) {
            stack[top++] = j;
        }
    }
    while (top > 0) {
        const uint32_t j = stack[--top];
        h->number[j] = at;
        h->order[at++] = j;
        for (uint32_t l = count; l-- > 0;) {
            if (h->parents[l] == (int32_t)j) {
                stack[top++] = l;
            }
        }
    }
}

static void renumber(tree_builder *h, lmbi_learn_tree *tree)
{
    lmbi_learn *p = h->p;
    const size_t block = 12 * (size_t)p->frame_count;
    for (uint32_t k = 0; k < p->bone_count; ++k) {
        const uint32_t j = h->order[k];
        const int32_t above = h->parents[j];
        tree->parents[k] = above == LMB_NONE ? LMB_NONE : (int32_t)h->number[above];
        memcpy(tree->joints + 3 * (size_t)k,
               above == LMB_NONE ? h->centroids + 3 * (size_t)j
                                 : pair_at(h, j, (uint32_t)above)->joint,
               3 * sizeof *tree->joints);
        if (above != LMB_NONE) {
            const pair *at = pair_at(h, j, (uint32_t)above);
            memcpy(tree->anchors + 3 * (size_t)k, at->centroid, sizeof at->centroid);
            tree->anchor_weights[k] = at->anchor_weight;
        }
        memcpy(h->bones + k * block, lmbi_learn_bone(p, j, 0), block * sizeof *h->bones);
    }
    memcpy(p->bones, h->bones, p->bone_count * block * sizeof *h->bones);
    for (size_t k = 0; k < (size_t)p->point_count * p->influences; ++k) {
        p->row_bones[k] = p->row_weights[k] > 0 ? h->number[p->row_bones[k]] : 0;
    }
    lmbi_learn_index_rows(p);
}

lmb_result lmbi_learn_build_tree(lmbi_learn *p, lmbi_learn_tree *tree, lmb_error *error)
{
    const size_t count = p->bone_count;
    tree_builder h = {.p = p};
    lmbi_arena *arena = &p->arena;
    h.pairs = lmbi_arena_array(arena, count * count, sizeof *h.pairs);
    h.masses = lmbi_arena_array(arena, count, sizeof *h.masses);
    h.centroids = lmbi_arena_array(arena, count, 3 * sizeof *h.centroids);
    h.parents = lmbi_arena_array(arena, count, sizeof *h.parents);
    h.order = lmbi_arena_array(arena, count, sizeof *h.order);
    h.number = lmbi_arena_array(arena, count, sizeof *h.number);
    h.bones = lmbi_arena_array(arena, count * 12, p->frame_count * sizeof *h.bones);
    tree->parents = lmbi_arena_array(arena, count, sizeof *tree->parents);
    tree->joints = lmbi_arena_array(arena, count, 3 * sizeof *tree->joints);
    tree->anchors = lmbi_arena_array(arena, count, 3 * sizeof *tree->anchors);
    tree->anchor_weights = lmbi_arena_array(arena, count, sizeof *tree->anchor_weights);
    if (!h.pairs || !h.masses || !h.centroids || !h.parents || !h.order || !h.number || !h.bones ||
        !tree->parents || !tree->joints || !tree->anchors || !tree->anchor_weights) {
        return lmbi_fail_memory(error);
    }
    h.noise = lmbi_learn_measure_errors(p) / 3 + 1e-14; // plus single-precision rounding
    sum_shared_skin(&h);
    for (uint32_t j = 0; j < count; ++j) {
        for (uint32_t l = 0; l < j; ++l) {
            finish_pair(&h, j, l);
            fit_joint(&h, j, l);
        }
    }
    build_spanning_tree(&h);
    choose_root(&h);
    sort_depth_first(&h);
    renumber(&h, tree);
    return LMB_OK;
}
