/// Bones from weights: each bone's nearest rigid transform with the others fixed, repeatedly (Le &
/// Deng 2012, eq. 7 to 9, in the sums of Dem Bones).
#include <string.h>

#include "base/error.h"
#include "learn/learn.h"
#include "linalg/linalg.h"

/// Bones with a smaller sum of squared weights keep their transforms.
static const double LEAST_WEIGHT = 1e-9;
/// Weight of the previous rotation, for bones whose points leave it undetermined, such as points on
/// a line.
static const double PREVIOUS_WEIGHT = 1e-9;
/// Weight of the previous linear part of an affine bone, as a fraction of the moments' trace: a flat
/// patch of points leaves the direction across it undetermined.
static const double PREVIOUS_AFFINE = 1e-7;

/// For a tree with smoothed weights: weight of the points that a bone moves most, as if they followed
/// it alone (Dem Bones' translation affinity). Without it bones that share all their skin drift
/// apart, and agree on no joint.
static const double AFFINITY = 10;

typedef struct solver {
    lmbi_learn *p;
    uint32_t sweeps;
    double *moments; ///< [bone][bone][4][4] sums of w_j w_l u u^T over the points, u = (x, y, z, 1)
    double *own;     ///< [bone][4][4] moments weighted by w_j^4, scaled to the affinity
    double *targets; ///< [bone][3][4][frame] sums of w_j v u^T, and the affinity's
} solver;

static double *moment(const solver *s, uint32_t j, uint32_t l)
{
    return s->moments + 16 * ((size_t)j * s->p->bone_count + l);
}

static void add_moment(double *to, const double u[4], double weight)
{
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c) {
            to[4 * r + c] += weight * u[r] * u[c];
        }
    }
}

/// How much a point counts: more where the error is large, for a norm above 2.
static double importance(const lmbi_learn *p, uint32_t point)
{
    return p->importance ? p->importance[point] : 1;
}

static void sum_moments(solver *s)
{
    const lmbi_learn *p = s->p;
    for (uint32_t i = 0; i < p->point_count; ++i) {
        const double *x = p->rest + 3 * (size_t)i, u[4] = {x[0], x[1], x[2], 1};
        const uint32_t *bones = p->row_bones + (size_t)i * p->influences;
        const double *weights = p->row_weights + (size_t)i * p->influences;
        for (uint32_t a = 0; a < p->influences && weights[a] > 0; ++a) {
            for (uint32_t b = 0; b < p->influences && weights[b] > 0; ++b) {
                add_moment(moment(s, bones[a], bones[b]), u,
                           importance(p, i) * weights[a] * weights[b]);
            }
        }
    }
}

/// Affinity weight of an entry of a bone's list.
static double affinity_weight(const solver *s, size_t bone, uint32_t entry)
{
    const double w = s->p->list_weights[entry], square = w * w;
    return s->own[16 * bone + 15] * square * square;
}

/// Stores in own[15] the factor of the fourth powers.
static void scale_affinity(const solver *s, size_t bone)
{
    const lmbi_learn *p = s->p;
    double sum = 0, fourth = 0;
    for (uint32_t k = p->list_first[bone]; k < p->list_first[bone + 1]; ++k) {
        const double w = p->list_weights[k];
        sum += w;
        fourth += w * w * w * w;
    }
    const bool is_tree = p->opts.skeleton == LMB_LEARN_TREE;
    s->own[16 * bone + 15] =
        is_tree && p->opts.smooth > 0 && fourth > 0 ? AFFINITY * sum / fourth : 0;
}

static void sum_targets(void *context, size_t begin, size_t end)
{
    const solver *s = context;
    const lmbi_learn *p = s->p;
    const size_t m = p->frame_count;
    for (size_t j = begin; j < end; ++j) {
        double own[16] = {0};
        scale_affinity(s, j);
        for (uint32_t k = p->list_first[j]; k < p->list_first[j + 1]; ++k) {
            const uint32_t i = p->list_points[k];
            const double *x = p->rest + 3 * (size_t)i, one[4] = {x[0], x[1], x[2], 1};
            const double extra = affinity_weight(s, j, k);
            const double w = importance(p, i) * p->list_weights[k] + extra;
            const double u[4] = {w * x[0], w * x[1], w * x[2], w};
            add_moment(own, one, extra);
            for (size_t e = 0; e < 12; ++e) {
                double *to = s->targets + (12 * j + e) * m;
                const float *v = p->positions + (3 * (size_t)i + e / 4) * m;
                for (size_t f = 0; f < m; ++f) {
                    to[f] += u[e % 4] * (double)v[f];
                }
            }
        }
        memcpy(s->own + 16 * j, own, sizeof own);
    }
}

/// Target of bone j less the contributions of the other bones.
static void find_residual_target(const solver *s, const double (*bones)[12], uint32_t j,
                                 size_t frame, double out[12])
{
    const lmbi_learn *p = s->p;
    for (size_t e = 0; e < 12; ++e) {
        out[e] = s->targets[(12 * (size_t)j + e) * p->frame_count + frame];
    }
    for (uint32_t l = 0; l < p->bone_count; ++l) {
        const double *shared = moment(s, l, j);
        if (l == j || !(shared[15] > 0)) {
            continue;
        }
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 4; ++c) {
                double sum = 0;
                for (int e = 0; e < 4; ++e) {
                    sum += bones[l][4 * r + e] * shared[4 * e + c];
                }
                out[4 * r + c] -= sum;
            }
        }
    }
}

/// The rigid transform nearest to the target.
static void fit_bone(const double *own, const double target[12], double bone[12])
{
    const double total = own[15];
    double n[3][3], rotation[3][3];
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            n[r][c] = target[4 * r + c] - target[4 * r + 3] * own[12 + c] / total +
                      PREVIOUS_WEIGHT * total * bone[4 * r + c];
        }
    }
    lmbi_polar3((const double(*)[3])n, rotation);
    for (int r = 0; r < 3; ++r) {
        double t = target[4 * r + 3];
        for (int c = 0; c < 3; ++c) {
            bone[4 * r + c] = rotation[r][c];
            t -= rotation[r][c] * own[12 + c];
        }
        bone[4 * r + 3] = t / total;
    }
}

/// The affine transform nearest to the target: bone own = target, with the moments about the bone's
/// own centroid, so that the linear part and the translation part separate.
static void fit_affine_bone(const double *own, const double target[12], double bone[12])
{
    const double total = own[15];
    double a[9], b[9], linear[9];
    double trace = 0;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            a[3 * r + c] = own[4 * r + c] - own[4 * r + 3] * own[12 + c] / total;
        }
        trace += a[4 * r];
    }
    const double previous = PREVIOUS_AFFINE * (trace + PREVIOUS_WEIGHT * total);
    for (int r = 0; r < 3; ++r) {
        a[4 * r] += previous;
        for (int c = 0; c < 3; ++c) {
            // Column r of the right-hand sides is row r of the bone.
            b[3 * c + r] = target[4 * r + c] - target[4 * r + 3] * own[12 + c] / total +
                           previous * bone[4 * r + c];
        }
    }
    if (lmbi_dense_solve(a, 3, b, 3, NULL) != LMB_OK) {
        return;
    }
    for (int r = 0; r < 3; ++r) {
        double t = target[4 * r + 3];
        for (int c = 0; c < 3; ++c) {
            linear[3 * r + c] = b[3 * c + r];
            t -= linear[3 * r + c] * own[12 + c];
        }
        memcpy(bone + 4 * r, linear + 3 * r, 3 * sizeof *bone);
        bone[4 * r + 3] = t / total;
    }
}

/// Adds the affinity's moments to each bone's own.
static void add_own(const solver *s)
{
    for (uint32_t j = 0; j < s->p->bone_count; ++j) {
        for (size_t e = 0; e < 16; ++e) {
            moment(s, j, j)[e] += s->own[16 * (size_t)j + e];
        }
    }
}

static void solve_frames(void *context, size_t begin, size_t end)
{
    const solver *s = context;
    const lmbi_learn *p = s->p;
    const bool affine = p->fits_affine;
    double bones[LMB_LEARN_BONES][12], target[12];
    for (size_t f = begin; f < end; ++f) {
        for (uint32_t j = 0; j < p->bone_count; ++j) {
            for (uint32_t e = 0; e < 12; ++e) {
                bones[j][e] = lmbi_learn_bone(p, j, e)[f];
            }
        }
        for (uint32_t sweep = 0; sweep < s->sweeps; ++sweep) {
            for (uint32_t j = p->fixed_count; j < p->bone_count; ++j) {
                if (moment(s, j, j)[15] > LEAST_WEIGHT) {
                    find_residual_target(s, (const double(*)[12])bones, j, f, target);
                    (affine ? fit_affine_bone : fit_bone)(moment(s, j, j), target, bones[j]);
                }
            }
        }
        for (uint32_t j = 0; j < p->bone_count; ++j) {
            for (uint32_t e = 0; e < 12; ++e) {
                lmbi_learn_bone(p, j, e)[f] = bones[j][e];
            }
        }
    }
}

void lmbi_learn_fit_bone(lmbi_learn *p, uint32_t bone, const uint32_t *points, uint32_t count)
{
    double own[16] = {0};
    for (uint32_t k = 0; k < count; ++k) {
        const double *x = p->rest + 3 * (size_t)points[k], u[4] = {x[0], x[1], x[2], 1};
        add_moment(own, u, 1);
    }
    for (uint32_t f = 0; f < p->frame_count; ++f) {
        double target[12] = {0}, now[12];
        for (uint32_t k = 0; k < count; ++k) {
            const double *x = p->rest + 3 * (size_t)points[k], u[4] = {x[0], x[1], x[2], 1};
            for (uint32_t e = 0; e < 12; ++e) {
                const size_t at = 3 * (size_t)points[k] + e / 4;
                target[e] += u[e % 4] * (double)p->positions[at * p->frame_count + f];
            }
        }
        for (uint32_t e = 0; e < 12; ++e) {
            now[e] = lmbi_learn_bone(p, bone, e)[f];
        }
        fit_bone(own, target, now);
        for (uint32_t e = 0; e < 12; ++e) {
            lmbi_learn_bone(p, bone, e)[f] = now[e];
        }
    }
}

lmb_result lmbi_learn_fit_transforms(lmbi_learn *p, uint32_t sweeps, lmb_error *error)
{
    solver s = {.p = p, .sweeps = sweeps};
    lmbi_arena arena;
    lmbi_arena_init(&arena, p->arena.alloc);
    const size_t count = p->bone_count;
    s.moments = lmbi_arena_array(&arena, count * count, 16 * sizeof *s.moments);
    s.targets = lmbi_arena_array(&arena, count * 12, p->frame_count * sizeof *s.targets);
    s.own = lmbi_arena_array(&arena, count, 16 * sizeof *s.own);
    const bool allocated = s.moments && s.targets && s.own;
    if (allocated) {
        sum_moments(&s);
        lmb_parallel_for(p->opts.jobs, count, 1, sum_targets, &s);
        add_own(&s);
        lmb_parallel_for(p->opts.jobs, p->frame_count, 1, solve_frames, &s);
    }
    lmbi_arena_free(&arena);
    return allocated ? LMB_OK : lmbi_fail_memory(error);
}
