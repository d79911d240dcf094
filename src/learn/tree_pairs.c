/// The joint of every two bones: where they agree best over all frames (Le & Deng 2014, section 4.2).
#include <math.h>
#include <string.h>

#include "learn/tree.h"
#include "linalg/linalg.h"

/// Weight of a joint's pull to the centre of the skin common to its two bones, relative to what
/// the frames determine. It decides where they do not, as along the axis of a hinge.
static const double CENTROID_WEIGHT = 1e-3;
/// So many of the errors of a joint's skin, in all points and frames, count as independent measurements
/// of the joint: neighbours and frames err alike. If all counted, joints would lie far outside the body;
/// as a single one, the pull is half of what the fit minimises.
static const double INDEPENDENT_ERRORS = 10;
/// Least variance of the shared skin, in squared sizes of the mesh.
static const double LEAST_SPREAD = 1e-6;
/// Added to the shared fraction of the skin, so that bones sharing none are connected only as a
/// last resort.
static const double MIN_SHARED = 1e-6;

static void sum_shared_skin(lmbi_learn_pairs *h)
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
                lmbi_learn_pair *shared = lmbi_learn_pair_at(h, bones[a], bones[b]);
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

static void finish_pair(const lmbi_learn_pairs *h, uint32_t j, uint32_t l)
{
    lmbi_learn_pair *at = lmbi_learn_pair_at(h, j, l);
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
static double solve_joint(const lmbi_learn *p, lmbi_learn_pair *at, const double a[9],
                          const double b[3], double square)
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
static void fit_joint(const lmbi_learn_pairs *h, uint32_t j, uint32_t l)
{
    const lmbi_learn *p = h->p;
    lmbi_learn_pair *at = lmbi_learn_pair_at(h, j, l);
    double a[9] = {0}, b[3] = {0};
    const double square = sum_normal(p, j, l, a, b);
    const double certainty = p->frame_count / (at->spread * INDEPENDENT_ERRORS);
    at->anchor_weight = certainty * at->noise;
    const double disagreement = solve_joint(p, at, a, b, square);
    at->anchor_weight += certainty * disagreement / 3;
    at->disagreement = solve_joint(p, at, a, b, square);
    const double rms = sqrt(at->disagreement) + sqrt(h->noise);
    at->cost = rms / (MIN_SHARED + at->shared / p->point_count);
}

bool lmbi_learn_pairs_init(lmbi_learn_pairs *h, const lmbi_learn *p, lmbi_arena *arena)
{
    const size_t count = p->bone_count;
    *h = (lmbi_learn_pairs){.p = p};
    h->items = lmbi_arena_array(arena, count * count, sizeof *h->items);
    h->masses = lmbi_arena_array(arena, count, sizeof *h->masses);
    h->centroids = lmbi_arena_array(arena, count, 3 * sizeof *h->centroids);
    return h->items && h->masses && h->centroids;
}

void lmbi_learn_fit_pairs(lmbi_learn_pairs *h, double mean_square)
{
    const size_t count = h->p->bone_count;
    memset(h->items, 0, count * count * sizeof *h->items);
    memset(h->masses, 0, count * sizeof *h->masses);
    memset(h->centroids, 0, 3 * count * sizeof *h->centroids);
    h->noise = mean_square / 3 + 1e-14; // plus single-precision rounding
    sum_shared_skin(h);
    for (uint32_t j = 0; j < count; ++j) {
        for (uint32_t l = 0; l < j; ++l) {
            finish_pair(h, j, l);
            fit_joint(h, j, l);
        }
    }
}
