/// What it costs that a joint holds, to second order, all else following (Schur's complement). Of one that holds:
/// of Gauss and Newton's step with three more unknowns in each frame, the part of the fall of the error that they
/// add. Of one that slides: the rise of the error where it is held at its best place.
#include <string.h>

#include "base/error.h"
#include "learn/body/matrix.h"
#include "learn/cholesky.h"
#include "learn/tree_system.h"

/// Weight of a joint's place so far, where rotations leave it undetermined.
static const double PREVIOUS = 1e-6;

typedef struct scoring {
    lmbi_tree_solver s;
    double *gains; ///< [LMBI_TREE_GROUPS][bone] falls of half the sum of squares
} scoring;

/// b^T A^-1 b / 2 with A = moment I - columns^T columns, b = right - columns^T g: the fall of half the sum of
/// squares by a joint's motion, the other unknowns following.
static double fall(const lmbi_tree_frame *w, size_t n, const double *columns, const double *right,
                   double moment)
{
    double a[9], b[3];
    for (size_t r = 0; r < 3; ++r) {
        b[r] = right[r] - lmbi_row_dot(columns + r * n, w->g, n);
        for (size_t c = 0; c <= r; ++c) {
            a[3 * r + c] =
                (r == c ? moment : 0) - lmbi_row_dot(columns + r * n, columns + c * n, n);
        }
    }
    lmbi_cholesky_factor(a, 3);
    lmbi_cholesky_lower(a, 3, b);
    return lmbi_row_dot(b, b, 3) / 2;
}

static void score_frames(void *context, size_t begin, size_t end)
{
    static const double any[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const scoring *h = context;
    const lmbi_tree_solver *s = &h->s;
    const size_t n = s->unknowns,
                 group = begin / lmbi_tree_group(s->p->frame_count, LMBI_TREE_GROUPS);
    const lmbi_tree_frame w = lmbi_tree_frame_room(s, begin);
    double *gains = h->gains + group * s->bones;
    memset(gains, 0, s->bones * sizeof *gains);
    for (size_t f = begin; f < end; ++f) {
        lmbi_tree_factor(s, f, &w);
        for (uint32_t l = 1; l < s->bones; ++l) {
            const size_t first = 3 * ((size_t)l - 1);
            double *columns = w.joint + first * n;
            if (lmbi_tree_slides(s, l)) {
                continue;
            }
            lmbi_tree_assemble_mover(s, f, l, any, &w);
            for (size_t c = 0; c < 3; ++c) {
                lmbi_cholesky_lower(w.h, n, columns + c * n);
            }
            gains[l] += fall(&w, n, columns, w.joint_g + first,
                             (1 + LMBI_TREE_HOLD) * lmbi_tree_mass(s, l));
        }
    }
}

lmb_result lmbi_learn_score_joints(lmbi_learn *p, lmbi_learn_tree *tree, double *gains,
                                   lmb_error *error)
{
    scoring h;
    lmbi_arena arena;
    lmbi_arena_init(&arena, p->arena.alloc);
    bool allocated = lmbi_tree_begin(&h.s, p, tree, &arena);
    h.gains = lmbi_arena_array(&arena, LMBI_TREE_GROUPS, p->bone_count * sizeof *h.gains);
    allocated = allocated && h.gains;
    if (allocated) {
        const size_t per = lmbi_tree_group(p->frame_count, LMBI_TREE_GROUPS);
        lmbi_tree_find_arms(&h.s);
        lmb_parallel_for(p->opts.jobs, p->frame_count, per, score_frames, &h);
        memcpy(gains, h.gains, p->bone_count * sizeof *gains);
        for (size_t group = 1; group * per < p->frame_count; ++group) {
            lmbi_row_add(gains, 1, h.gains + group * p->bone_count, p->bone_count);
        }
        for (uint32_t j = 0; j < p->bone_count; ++j) {
            gains[j] *= 2.0 / ((double)p->point_count * p->frame_count);
        }
    }
    lmbi_arena_free(&arena);
    return allocated ? LMB_OK : lmbi_fail_memory(error);
}

// ---- joints that slide

typedef struct holding {
    lmbi_tree_solver s;
    /// [LMBI_TREE_GROUPS][bone][4][4] sums over the frames of V^T S V, V = [D | o]: the joint at c + x is o + D x
    /// from where its parent carries it, and S is its stiffness
    double (*sums)[16];
} holding;

/// The stiffness of shift k, the other unknowns following: the inverse of its block of the inverse of h.
static void find_stiffness(const lmbi_tree_solver *s, uint32_t k, const lmbi_tree_frame *w,
                           double out[9])
{
    const size_t n = s->unknowns, first = 3 * ((size_t)s->bones + k);
    double *columns = w->joint, block[9];
    memset(columns, 0, 3 * n * sizeof *columns);
    for (size_t c = 0; c < 3; ++c) {
        columns[c * n + first + c] = 1;
        lmbi_cholesky_lower(w->h, n, columns + c * n);
    }
    for (size_t e = 0; e < 9; ++e) {
        block[e] = lmbi_row_dot(columns + e / 3 * n, columns + e % 3 * n, n);
    }
    lmbi_m3_invert(block, out);
}

static void add_frame(const lmbi_tree_solver *s, size_t f, uint32_t k, const double *stiffness,
                      double *sums)
{
    const uint32_t bone = s->shift_of[k];
    const double *own = lmbi_tree_rotation(s, f, bone),
                 *above = lmbi_tree_rotation(s, f, (uint32_t)s->tree->parents[bone]);
    double v[4][3], force[3];
    for (size_t c = 0; c < 3; ++c) {
        for (size_t r = 0; r < 3; ++r) {
            v[c][r] = own[3 * r + c] - above[3 * r + c];
        }
    }
    memcpy(v[3], lmbi_tree_shift(s, f, k), sizeof v[3]);
    for (size_t x = 0; x < 4; ++x) {
        lmbi_m3_point(stiffness, v[x], force);
        for (size_t y = 0; y < 4; ++y) {
            sums[4 * x + y] += lmbi_row_dot(force, v[y], 3);
        }
    }
}

static void hold_frames(void *context, size_t begin, size_t end)
{
    const holding *h = context;
    const lmbi_tree_solver *s = &h->s;
    const size_t group = begin / lmbi_tree_group(s->p->frame_count, LMBI_TREE_GROUPS);
    const lmbi_tree_frame w = lmbi_tree_frame_room(s, begin);
    double(*sums)[16] = h->sums + group * s->bones;
    memset(sums, 0, s->bones * sizeof *sums);
    for (size_t f = begin; f < end; ++f) {
        lmbi_tree_find_residuals(s, f, &w);
        lmbi_tree_assemble(s, f, &w);
        lmbi_cholesky_factor(w.h, s->unknowns);
        for (uint32_t k = 1; k < s->shift_count; ++k) {
            double stiffness[9];
            find_stiffness(s, k, &w, stiffness);
            add_frame(s, f, k, stiffness, sums[s->shift_of[k]]);
        }
    }
}

/// The place at which the joint is held with the least cost, its pull to its anchor included. Returns that.
static double place_joint(const lmbi_tree_solver *s, uint32_t j, const double sums[16],
                          double place[3])
{
    const double *joint = s->tree->joints + 3 * (size_t)j,
                 *anchor = s->tree->anchors + 3 * (size_t)j;
    const double pull = s->tree->anchor_weights[j] * lmbi_tree_mass(s, j);
    double a[9], x[3], cost = sums[15];
    for (size_t r = 0; r < 3; ++r) {
        for (size_t c = 0; c < 3; ++c) {
            a[3 * r + c] = sums[4 * r + c];
        }
        a[4 * r] += pull + PREVIOUS * (sums[0] + sums[5] + sums[10]) + 1e-12;
        x[r] = pull * (anchor[r] - joint[r]) - sums[4 * r + 3];
    }
    lmbi_cholesky_factor(a, 3);
    lmbi_cholesky_lower(a, 3, x);
    lmbi_cholesky_upper(a, 3, x);
    for (size_t r = 0; r < 3; ++r) {
        cost += 2 * x[r] * sums[4 * r + 3];
        for (size_t c = 0; c < 3; ++c) {
            cost += x[r] * sums[4 * r + c] * x[c];
        }
        place[r] = joint[r] + x[r];
    }
    return cost;
}

lmb_result lmbi_learn_score_holding(lmbi_learn *p, lmbi_learn_tree *tree, double *costs,
                                    double (*joints)[3], lmb_error *error)
{
    holding h;
    lmbi_arena arena;
    lmbi_arena_init(&arena, p->arena.alloc);
    const uint32_t count = p->bone_count;
    bool allocated = lmbi_tree_begin(&h.s, p, tree, &arena);
    h.sums = lmbi_arena_array(&arena, LMBI_TREE_GROUPS, count * sizeof *h.sums);
    allocated = allocated && h.sums;
    if (allocated) {
        const size_t per = lmbi_tree_group(p->frame_count, LMBI_TREE_GROUPS);
        lmbi_tree_find_arms(&h.s);
        lmb_parallel_for(p->opts.jobs, p->frame_count, per, hold_frames, &h);
        for (size_t group = 1; group * per < p->frame_count; ++group) {
            lmbi_row_add(h.sums[0], 1, h.sums[group * count], 16 * (size_t)count);
        }
        for (uint32_t k = 1; k < h.s.shift_count; ++k) {
            const uint32_t j = h.s.shift_of[k];
            costs[j] = place_joint(&h.s, j, h.sums[j], joints[j]);
        }
    }
    lmbi_arena_free(&arena);
    return allocated ? LMB_OK : lmbi_fail_memory(error);
}
