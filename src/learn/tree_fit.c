/// Transforms of bones in a hierarchy. A point is at the sum over the bones of Q_j z_ij, with Q_j = [R_j |
/// d_j], z_ij = (w_ij u_i, s_ij), where s_ij is the weight of all bones of the subtree j, and d_j = (R_p -
/// R_j) c_j moves the subtree of the joint c_j of bone j with its parent p (d = t - R c for the root). The
/// error is quadratic in Q, so sums over the points of z z^T and v z^T are all that a step needs. Gauss and
/// Newton's steps, damped, in the rotations and translations of all frames and the joints at once: frames
/// are eliminated one by one, and what is left of them is a system for the joints (Schur's complement).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "learn/body/matrix.h"
#include "learn/cholesky.h"
#include "learn/tree_system.h"

/// Damping relative to the diagonal: at first, and the least and most.
static const double DAMPING = 1e-6, LEAST_DAMPING = 1e-9, MOST_DAMPING = 1e3;
/// Weight of a joint's previous position, where rotations leave it undetermined (along a hinge's axis).
static const double PREVIOUS_JOINT = 1e-4;
/// Steps end when one lowers the error by less than this fraction.
static const double GAIN = 1e-3;

// ---- a step

/// Adds the frames of a group to its system for the joints.
static void reduce_frames(void *context, size_t begin, size_t end)
{
    const lmbi_tree_solver *s = context;
    const size_t n = s->unknowns, m = s->joint_unknowns,
                 group = begin / lmbi_tree_group(s->p->frame_count, LMBI_TREE_GROUPS);
    const lmbi_tree_frame w = lmbi_tree_frame_room(s, begin);
    double *matrix = s->matrices + group * m * m, *right = s->rights + group * m;
    memset(matrix, 0, m * m * sizeof *matrix);
    memset(right, 0, m * sizeof *right);
    for (size_t f = begin; f < end; ++f) {
        lmbi_tree_factor(s, f, &w);
        for (uint32_t l = 1; l < s->bones; ++l) {
            double d[9];
            lmbi_tree_joint_derivative(s, f, l, d);
            lmbi_tree_assemble_mover(s, f, l, d, &w);
        }
        for (uint32_t l = 1; l < s->bones; ++l) {
            double d[9], e[9], product[9];
            lmbi_tree_joint_derivative(s, f, l, d);
            for (uint32_t k = 1; k <= l; ++k) {
                const double shared =
                    s->moments.products[(4 * (size_t)l + 3) * s->width + 4 * (size_t)k + 3];
                lmbi_tree_joint_derivative(s, f, k, e);
                lmbi_m3_transpose_mul(d, e, product);
                for (uint32_t x = 0; x < 9; ++x) {
                    matrix[(3 * (size_t)(l - 1) + x / 3) * m + 3 * (size_t)(k - 1) + x % 3] +=
                        shared * product[x];
                }
            }
        }
        for (size_t a = 0; a < m; ++a) {
            double *column = w.joint + a * n;
            lmbi_cholesky_lower(w.h, n, column);
            right[a] += w.joint_g[a] - lmbi_row_dot(column, w.g, n);
            for (size_t b = 0; b <= a; ++b) {
                matrix[a * m + b] -= lmbi_row_dot(column, w.joint + b * n, n);
            }
        }
    }
}

/// How strongly a joint is pulled to its anchor: not where it slides.
static double anchor_weight(const lmbi_tree_solver *s, uint32_t j)
{
    return lmbi_tree_slides(s, j) ? 0 : s->tree->anchor_weights[j] * lmbi_tree_mass(s, j);
}

/// The step of the joints, in rights[0].
static void solve_joints(const lmbi_tree_solver *s)
{
    const size_t m = s->joint_unknowns, per = lmbi_tree_group(s->p->frame_count, LMBI_TREE_GROUPS);
    double *a = s->matrices, *x = s->rights;
    for (size_t group = 1; group * per < s->p->frame_count; ++group) {
        lmbi_row_add(a, 1, s->matrices + group * m * m, m * m);
        lmbi_row_add(x, 1, s->rights + group * m, m);
    }
    for (size_t j = 1; j < s->bones; ++j) {
        const double mass = lmbi_tree_mass(s, (uint32_t)j);
        const double anchor = anchor_weight(s, (uint32_t)j);
        double trace = 0;
        for (size_t c = 0; c < 3; ++c) {
            trace += a[(3 * (j - 1) + c) * (m + 1)];
        }
        for (size_t c = 0; c < 3; ++c) {
            const size_t at = 3 * (j - 1) + c;
            a[at * (m + 1)] +=
                anchor + (PREVIOUS_JOINT + s->damping) * fmax(trace, 0) / 3 + 1e-9 * mass + 1e-12;
            x[at] += anchor * (s->tree->anchors[3 * j + c] - s->tree->joints[3 * j + c]);
        }
    }
    lmbi_cholesky_factor(a, m);
    lmbi_cholesky_lower(a, m, x);
    lmbi_cholesky_upper(a, m, x);
}

/// The steps of the frames, given that of the joints.
static void step_frames(void *context, size_t begin, size_t end)
{
    const lmbi_tree_solver *s = context;
    const size_t n = s->unknowns, m = s->joint_unknowns;
    const lmbi_tree_frame w = lmbi_tree_frame_room(s, begin);
    for (size_t f = begin; f < end; ++f) {
        lmbi_tree_find_residuals(s, f, &w);
        lmbi_tree_assemble(s, f, &w);
        for (uint32_t l = 1; l < s->bones; ++l) {
            double d[9];
            lmbi_tree_joint_derivative(s, f, l, d);
            lmbi_tree_assemble_mover(s, f, l, d, &w);
        }
        for (size_t a = 0; a < m; ++a) {
            lmbi_row_add(w.g, -s->rights[a], w.joint + a * n, n);
        }
        lmbi_cholesky_factor(w.h, n);
        lmbi_cholesky_lower(w.h, n, w.g);
        lmbi_cholesky_upper(w.h, n, w.g);
        for (uint32_t j = 0; j < s->bones; ++j) {
            double by[9];
            lmbi_m3_rotation_by(w.g + 3 * (size_t)j, by);
            lmbi_m3_mul(by, lmbi_tree_rotation(s, f, j),
                        s->next_rotations + 9 * (f * s->bones + j));
        }
        const size_t shifts = 3 * (size_t)s->shift_count;
        for (size_t r = 0; r < shifts; ++r) {
            s->next_shifts[shifts * f + r] =
                s->shifts[shifts * f + r] + w.g[3 * (size_t)s->bones + r];
        }
    }
}

static void measure_frames(void *context, size_t begin, size_t end)
{
    const lmbi_tree_solver *s = context;
    const lmbi_tree_frame w = lmbi_tree_frame_room(s, begin);
    for (size_t f = begin; f < end; ++f) {
        s->costs[f] = lmbi_tree_find_residuals(s, f, &w);
    }
}

/// Half the sum of squares less a constant, and the joints' pull to their anchors.
static double measure(lmbi_tree_solver *s)
{
    const size_t per = lmbi_tree_group(s->p->frame_count, LMBI_TREE_GROUPS);
    lmb_parallel_for(s->p->opts.jobs, s->p->frame_count, per, measure_frames, s);
    double sum = 0;
    for (size_t f = 0; f < s->p->frame_count; ++f) {
        sum += s->costs[f];
    }
    for (size_t j = 1; j < s->bones; ++j) {
        const double anchor = anchor_weight(s, (uint32_t)j);
        for (size_t c = 0; c < 3; ++c) {
            const double d = s->tree->anchors[3 * j + c] - s->tree->joints[3 * j + c];
            sum += anchor * d * d / 2;
        }
    }
    return sum;
}

static void exchange(double **a, double **b)
{
    double *const kept = *a;
    *a = *b;
    *b = kept;
}

static void exchange_state(lmbi_tree_solver *s)
{
    exchange(&s->rotations, &s->next_rotations);
    exchange(&s->shifts, &s->next_shifts);
    for (size_t k = 0; k < 3 * (size_t)s->bones; ++k) {
        const double at = s->tree->joints[k];
        s->tree->joints[k] = s->joints[k];
        s->joints[k] = at;
    }
}

/// One step; false if it was not taken.
static bool take_step(lmbi_tree_solver *s, double *cost)
{
    const size_t per = lmbi_tree_group(s->p->frame_count, LMBI_TREE_GROUPS), m = s->joint_unknowns;
    lmb_parallel_for(s->p->opts.jobs, s->p->frame_count, per, reduce_frames, s);
    if (m > 0) {
        solve_joints(s);
    }
    lmb_parallel_for(s->p->opts.jobs, s->p->frame_count, per, step_frames, s);
    memcpy(s->joints, s->tree->joints, 3 * (size_t)s->bones * sizeof(double));
    lmbi_row_add(s->joints + 3, 1, s->rights, m);
    exchange_state(s);
    const double now = measure(s);
    if (!(now <= *cost)) {
        exchange_state(s);
        s->damping = fmin(fmax(30 * s->damping, 1e-3), MOST_DAMPING);
        return false;
    }
    *cost = now;
    s->damping = fmax(s->damping / 10, LEAST_DAMPING);
    return true;
}

static double sum_squares(const lmbi_learn *p)
{
    double sum = 0;
    for (size_t k = 0; k < 3 * (size_t)p->point_count * p->frame_count; ++k) {
        sum += (double)p->positions[k] * (double)p->positions[k];
    }
    return sum;
}

static void take_steps(lmbi_tree_solver *s, uint32_t most)
{
    const double constant = sum_squares(s->p) / 2;
    lmbi_tree_find_arms(s);
    double cost = measure(s);
    for (uint32_t k = 0; k < most; ++k) {
        const double before = cost;
        const bool taken = take_step(s, &cost);
        if (taken) {
            lmbi_tree_find_arms(s);
        }
        if (taken && !(before - cost > GAIN * (before + constant))) {
            break;
        }
    }
}

// ---- the whole

/// Writes the transforms of the tree: R (u - c) + position of the joint.
static void write_bones(const lmbi_tree_solver *s)
{
    const lmbi_learn *p = s->p;
    for (size_t f = 0; f < p->frame_count; ++f) {
        double at[LMB_LEARN_BONES][3];
        const double *shift = lmbi_tree_shift(s, f, 0);
        uint32_t next = 0; // of the shifts, which are in the order of their bones
        for (uint32_t j = 0; j < p->bone_count; ++j) {
            const int32_t above = s->tree->parents[j];
            const double *c = s->tree->joints + 3 * (size_t)j, *own = lmbi_tree_rotation(s, f, j);
            const bool moves = next < s->shift_count && s->shift_of[next] == j;
            for (uint32_t r = 0; r < 3; ++r) {
                at[j][r] = above == LMB_NONE ? 0 : at[above][r];
                for (size_t k = 0; above != LMB_NONE && k < 3; ++k) {
                    at[j][r] += lmbi_tree_rotation(s, f, (uint32_t)above)[3 * r + k] *
                                (c[k] - s->tree->joints[3 * (size_t)above + k]);
                }
                at[j][r] += moves ? shift[3 * next + r] : 0;
                const double *row = own + 3 * (size_t)r;
                for (uint32_t k = 0; k < 3; ++k) {
                    lmbi_learn_bone(p, j, 4 * r + k)[f] = row[k];
                }
                lmbi_learn_bone(p, j, 4 * r + 3)[f] =
                    at[j][r] - row[0] * c[0] - row[1] * c[1] - row[2] * c[2];
            }
            next += moves;
        }
    }
}

lmb_result lmbi_learn_fit_tree(lmbi_learn *p, lmbi_learn_tree *tree, uint32_t steps,
                               lmb_error *error)
{
    lmbi_tree_solver s;
    lmbi_arena arena;
    lmbi_arena_init(&arena, p->arena.alloc);
    const bool begun = lmbi_tree_begin(&s, p, tree, &arena);
    if (begun) {
        s.damping = DAMPING;
        take_steps(&s, steps);
        write_bones(&s);
    }
    lmbi_arena_free(&arena);
    return begun ? LMB_OK : lmbi_fail_memory(error);
}
