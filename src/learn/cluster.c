/// Initial bones: clusters that move nearly rigidly, split where they do not (Linde, Buzo, Gray
/// 1980, as in Le & Deng 2012 and Dem Bones).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "learn/learn.h"

enum {
    ROUNDS = 10,         ///< of fitting and growing after each split, while labels change
    SPLITS = 64,         ///< rounds of splitting
    LEAST_POINTS = 3,    ///< per cluster
    POINTS_TO_SPLIT = 7, ///< smaller clusters are not split
};
/// Clusters with an error below this fraction of the mean are not split.
static const double MIN_RELATIVE_ERROR = 0.01;
/// Mean square error of a rigid cluster, in squared sizes of the mesh: rounding of the positions.
static const double RIGID_ERROR = 1e-12;

typedef struct clusters {
    lmbi_learn *p;
    lmbi_growing grow;
    uint32_t least;
    double *totals;  ///< [bone capacity] sums of errors
    double *centers; ///< [bone capacity][3]
    uint32_t *order; ///< [bone capacity]
    uint32_t tried;  ///< number of the worst clusters whose splits did not last
} clusters;

/// Binds every point to the bone of its label.
static void write_label_rows(clusters *c)
{
    lmbi_learn *p = c->p;
    memset(p->row_weights, 0, (size_t)p->point_count * p->influences * sizeof *p->row_weights);
    memset(p->row_bones, 0, (size_t)p->point_count * p->influences * sizeof *p->row_bones);
    for (size_t i = 0; i < p->point_count; ++i) {
        p->row_bones[i * p->influences] = c->grow.labels[i];
        p->row_weights[i * p->influences] = 1;
    }
    lmbi_learn_index_rows(p);
}

static lmb_result refine_clusters(clusters *c, lmb_error *error)
{
    lmb_result result = LMB_OK;
    uint32_t changed = 1;
    for (int round = 0; result == LMB_OK && changed > 0 && round < ROUNDS; ++round) {
        write_label_rows(c);
        result = lmbi_learn_fit_transforms(c->p, 1, error);
        if (result == LMB_OK) {
            changed = lmbi_grow_labels(&c->grow, c->least);
        }
    }
    write_label_rows(c);
    return result == LMB_OK ? lmbi_learn_fit_transforms(c->p, 1, error) : result;
}

static void measure_clusters(clusters *c)
{
    const lmbi_learn *p = c->p;
    memset(c->totals, 0, p->opts.bone_count * sizeof *c->totals);
    memset(c->centers, 0, p->opts.bone_count * 3 * sizeof *c->centers);
    for (uint32_t i = 0; i < p->point_count; ++i) {
        const uint32_t j = c->grow.labels[i];
        c->totals[j] += p->point_errors[i];
        for (size_t k = 0; k < 3; ++k) {
            c->centers[3 * (size_t)j + k] += p->rest[3 * (size_t)i + k] / c->grow.members[j];
        }
    }
}

/// Sorts the clusters by falling error.
static void sort_by_error(clusters *c)
{
    for (uint32_t j = 0; j < c->p->bone_count; ++j) {
        uint32_t at = j;
        for (; at > 0 && c->totals[c->order[at - 1]] < c->totals[j]; --at) {
            c->order[at] = c->order[at - 1];
        }
        c->order[at] = j;
    }
}

/// The point of a cluster with the largest product of error and distance from the centre.
static uint32_t find_seed(const clusters *c, uint32_t bone)
{
    const lmbi_learn *p = c->p;
    uint32_t best = UINT32_MAX;
    double most = -1;
    for (uint32_t i = 0; i < p->point_count; ++i) {
        if (c->grow.labels[i] != bone) {
            continue;
        }
        double square = 0;
        for (size_t k = 0; k < 3; ++k) {
            const double d = p->rest[3 * (size_t)i + k] - c->centers[3 * (size_t)bone + k];
            square += d * d;
        }
        const double far = sqrt(p->point_errors[i]) * sqrt(square);
        if (far > most) {
            most = far;
            best = i;
        }
    }
    return best;
}

/// Makes a new bone of the seed and its neighbours, within two edges where one gives too few.
static void split_cluster(clusters *c, uint32_t bone)
{
    lmbi_learn *p = c->p;
    const uint32_t seed = find_seed(c, bone), new_bone = p->bone_count;
    uint32_t *labels = c->grow.labels;
    if (seed == UINT32_MAX) {
        return;
    }
    labels[seed] = new_bone;
    for (uint32_t k = p->neighbour_first[seed]; k < p->neighbour_first[seed + 1]; ++k) {
        const uint32_t at = p->neighbours[k];
        labels[at] = new_bone;
        for (uint32_t l = p->neighbour_first[at];
             p->neighbour_first[seed + 1] - p->neighbour_first[seed] < LEAST_POINTS &&
             l < p->neighbour_first[at + 1];
             ++l) {
            labels[p->neighbours[l]] = new_bone;
        }
    }
    // Starts with the cluster's transforms, in case the new points leave a rotation undetermined.
    memcpy(lmbi_learn_bone(p, new_bone, 0), lmbi_learn_bone(p, bone, 0),
           12 * sizeof(double) * p->frame_count);
    ++p->bone_count;
}

/// Splits the worst clusters not tried yet. False when there is nothing to split.
static bool split_worst(clusters *c)
{
    lmbi_learn *p = c->p;
    const uint32_t before = p->bone_count;
    const double mean = lmbi_learn_measure_errors(p);
    measure_clusters(c);
    sort_by_error(c);
    for (uint32_t k = c->tried; k < before && p->bone_count < p->opts.bone_count; ++k) {
        const uint32_t j = c->order[k];
        const double total = c->totals[j];
        const uint32_t members = c->grow.members[j];
        if (members >= POINTS_TO_SPLIT &&
            total > MIN_RELATIVE_ERROR * mean * p->point_count / before &&
            total > RIGID_ERROR * members) {
            split_cluster(c, j);
        }
    }
    return p->bone_count > before;
}

/// Sets all bones to the identity, the initial guess of the fit.
static void reset_bones(lmbi_learn *p)
{
    p->bone_count = 1;
    for (size_t j = 0; j < p->opts.bone_count; ++j) {
        for (size_t e = 0; e < 12; e += 5) {
            for (size_t f = 0; f < p->frame_count; ++f) {
                p->bones[(12 * j + e) * p->frame_count + f] = 1;
            }
        }
    }
}

lmb_result lmbi_learn_cluster(lmbi_learn *p, lmb_error *error)
{
    clusters c = {.p = p};
    const uint32_t capacity = p->opts.bone_count;
    c.totals = lmbi_arena_array(&p->arena, capacity, sizeof *c.totals);
    c.centers = lmbi_arena_array(&p->arena, capacity, 3 * sizeof *c.centers);
    c.order = lmbi_arena_array(&p->arena, capacity, sizeof *c.order);
    lmb_result result = c.totals && c.centers && c.order ? lmbi_grow_init(&c.grow, p, error)
                                                         : lmbi_fail_memory(error);
    if (result != LMB_OK) {
        return result;
    }
    c.least = p->point_count / capacity < LEAST_POINTS ? p->point_count / capacity : LEAST_POINTS;
    reset_bones(p);
    c.grow.members[0] = p->point_count;
    write_label_rows(&c);
    result = lmbi_learn_fit_transforms(p, 1, error);
    for (int k = 0; result == LMB_OK && k < SPLITS; ++k) {
        const uint32_t before = p->bone_count;
        if (!split_worst(&c)) {
            break;
        }
        const uint32_t split_count = p->bone_count - before;
        result = refine_clusters(&c, error);
        // A new cluster may lose all its points to neighbours.
        c.tried = p->bone_count > before ? 0 : c.tried + split_count;
    }
    return result;
}
