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
#include "learn/tree.h"

enum {
    GROUPS = 8, ///< of frames, each with a matrix of its own
};
/// Damping relative to the diagonal: at first, and the least and most.
static const double DAMPING = 1e-6, LEAST_DAMPING = 1e-9, MOST_DAMPING = 1e3;
/// Weight of a joint's previous position, where rotations leave it undetermined (along a hinge's axis).
static const double PREVIOUS_JOINT = 1e-4;
/// Steps end when one lowers the error by less than this fraction.
static const double GAIN = 1e-3;

typedef struct solver {
    lmbi_learn *p;
    lmbi_learn_tree *tree;
    lmbi_tree_moments moments;
    uint32_t bones, width, unknowns, joint_unknowns; ///< P, 4 P, 3 P + 3, 3 P - 3
    double damping;
    double
        *half; ///< [bone][3][width] sums of y_j z^T, with y_ij = the arm of bone j about its joint
    double *arms;      ///< [bone][bone][3][3] sums of y_j y_l^T
    double *rotations; ///< [frame][bone][3][3]
    double *shifts;    ///< [frame][3] t, where the root's joint is
    double *next_rotations, *next_shifts, *joints, *step;
    double *matrices, *rights; ///< [GROUPS] for the joints
    double *costs;             ///< [frame] half the sum of squares, less a constant
    size_t room_size;          ///< doubles of a worker's room
} solver;

/// One frame being solved.
typedef struct frame_room {
    double *q, *residuals; ///< [3][width]
    double *h;             ///< [unknowns][unknowns] lower triangle
    double *g;             ///< [unknowns]
    double *joint;         ///< [joint_unknowns][unknowns] columns of H between frame and joints
    double *joint_g;       ///< [joint_unknowns]
} frame_room;

static const double *rotation_at(const solver *s, size_t frame, uint32_t bone)
{
    return s->rotations + 9 * (frame * s->bones + bone);
}

// ---- what all frames have in common

/// The arms from the sums: y_j = w_j u - s_j c_j + sum over the children h of s_h c_h.
static void find_arms(const solver *s)
{
    const double *g = s->moments.products, *c = s->tree->joints;
    const int32_t *parents = s->tree->parents;
    for (uint32_t j = 0; j < s->bones; ++j) {
        for (uint32_t r = 0; r < 3; ++r) {
            double *row = s->half + ((size_t)3 * j + r) * s->width;
            memcpy(row, g + (4 * (size_t)j + r) * s->width, s->width * sizeof *row);
            for (uint32_t h = j; h < s->bones; ++h) {
                if (h == j || parents[h] == (int32_t)j) {
                    const double at = c[3 * (size_t)h + r];
                    lmbi_row_add(row, h == j ? -at : at, g + (4 * (size_t)h + 3) * s->width,
                                 s->width);
                }
            }
        }
    }
    for (uint32_t j = 0; j < s->bones; ++j) {
        for (uint32_t r = 0; r < 3; ++r) {
            const double *row = s->half + ((size_t)3 * j + r) * s->width;
            for (uint32_t l = 0; l < s->bones; ++l) {
                double *own = s->arms + 9 * ((size_t)j * s->bones + l) + 3 * r;
                for (uint32_t k = 0; k < 3; ++k) {
                    own[k] = row[4 * l + k] - c[3 * (size_t)l + k] * row[4 * l + 3];
                }
            }
            for (uint32_t h = 1; h < s->bones; ++h) {
                double *above = s->arms + 9 * ((size_t)j * s->bones + (uint32_t)parents[h]) + 3 * r;
                lmbi_row_add(above, row[4 * h + 3], c + 3 * (size_t)h, 3);
            }
        }
    }
}

// ---- one frame

static frame_room divide_room(const solver *s, double *room)
{
    const size_t n = s->unknowns, m = s->joint_unknowns;
    frame_room out = {.q = room, .residuals = room + 3 * s->width};
    out.h = out.residuals + 3 * s->width;
    out.g = out.h + n * n;
    out.joint = out.g + n;
    out.joint_g = out.joint + m * n;
    return out;
}

/// Fills q and the sums of residuals r z^T; returns half the sum of squares, less a constant.
static double find_residuals(const solver *s, size_t f, const frame_room *w)
{
    const size_t m = s->p->frame_count;
    double cost = 0;
    for (uint32_t r = 0; r < 3; ++r) {
        double *q = w->q + r * s->width, *left = w->residuals + r * s->width;
        for (uint32_t j = 0; j < s->bones; ++j) {
            const int32_t above = s->tree->parents[j];
            const double *own = rotation_at(s, f, j) + 3 * r, *c = s->tree->joints + 3 * (size_t)j;
            const double *up =
                above == LMB_NONE ? NULL : rotation_at(s, f, (uint32_t)above) + 3 * r;
            memcpy(q + 4 * j, own, 3 * sizeof *q);
            q[4 * j + 3] =
                (up ? up[0] * c[0] + up[1] * c[1] + up[2] * c[2] : s->shifts[3 * f + r]) -
                (own[0] * c[0] + own[1] * c[1] + own[2] * c[2]);
        }
        memset(left, 0, s->width * sizeof *left);
        for (uint32_t k = 0; k < s->width; ++k) {
            lmbi_row_add(left, -q[k], s->moments.products + (size_t)k * s->width, s->width);
        }
        for (uint32_t k = 0; k < s->width; ++k) {
            const double target = s->moments.targets[(3 * (size_t)k + r) * m + f];
            cost -= q[k] * (target + left[k] / 2);
            left[k] += target;
        }
    }
    return cost;
}

/// The gradient by a rotation about bone j's joint: sum of a x r, with a = R y.
static void rotation_gradient(const solver *s, size_t f, uint32_t j, const frame_room *w)
{
    double sums[9], k[9];
    for (uint32_t r = 0; r < 3; ++r) {
        const double *left = w->residuals + r * s->width;
        for (uint32_t c = 0; c < 3; ++c) {
            sums[3 * r + c] =
                left[4 * j + c] - s->tree->joints[3 * (size_t)j + c] * left[4 * j + 3];
        }
        for (uint32_t h = j + 1; h < s->bones; ++h) {
            if (s->tree->parents[h] == (int32_t)j) {
                lmbi_row_add(sums + 3 * r, left[4 * h + 3], s->tree->joints + 3 * (size_t)h, 3);
            }
        }
    }
    lmbi_m3_mul_transpose(sums, rotation_at(s, f, j), k);
    w->g[3 * j] = k[7] - k[5];
    w->g[3 * j + 1] = k[2] - k[6];
    w->g[3 * j + 2] = k[3] - k[1];
}

/// Sum of (a_j . a_l) I - a_l a_j^T.
static void rotation_block(const solver *s, size_t f, uint32_t j, uint32_t l, const frame_room *w)
{
    double half[9], k[9];
    lmbi_m3_mul(rotation_at(s, f, j), s->arms + 9 * ((size_t)j * s->bones + l), half);
    lmbi_m3_mul_transpose(half, rotation_at(s, f, l), k);
    const double trace = k[0] + k[4] + k[8];
    for (uint32_t r = 0; r < 3; ++r) {
        for (uint32_t c = 0; c < 3; ++c) {
            w->h[(size_t)(3 * j + r) * s->unknowns + 3 * l + c] =
                (r == c ? trace : 0) - k[3 * c + r];
        }
    }
}

/// Fills g and h of the rotations and the translation.
static void assemble(const solver *s, size_t f, const frame_room *w)
{
    const size_t n = s->unknowns, shift = 3 * (size_t)s->bones;
    for (uint32_t j = 0; j < s->bones; ++j) {
        double mean[3], x[3];
        rotation_gradient(s, f, j, w);
        for (uint32_t l = 0; l <= j; ++l) {
            rotation_block(s, f, j, l, w);
        }
        for (uint32_t r = 0; r < 3; ++r) {
            mean[r] = s->half[((size_t)3 * j + r) * s->width + 3];
        }
        lmbi_m3_point(rotation_at(s, f, j), mean, x);
        const double cross[9] = {0, x[2], -x[1], -x[2], 0, x[0], x[1], -x[0], 0}; // of -x
        for (uint32_t k = 0; k < 9; ++k) {
            w->h[(shift + k / 3) * n + 3 * j + k % 3] = cross[k];
        }
    }
    for (uint32_t r = 0; r < 3; ++r) {
        w->g[shift + r] = w->residuals[r * s->width + 3];
        for (uint32_t c = 0; c < 3; ++c) {
            w->h[(shift + r) * n + shift + c] = r == c ? s->p->point_count : 0;
        }
    }
    double trace = 0;
    for (size_t k = 0; k < n; ++k) {
        trace += w->h[k * (n + 1)];
    }
    for (size_t k = 0; k < n; ++k) {
        w->h[k * (n + 1)] += s->damping * w->h[k * (n + 1)] + 1e-12 * trace;
    }
}

/// R of the parent minus R of the bone: derivative of the subtree's position by the joint.
static void joint_derivative(const solver *s, size_t f, uint32_t j, double out[9])
{
    const double *own = rotation_at(s, f, j),
                 *above = rotation_at(s, f, (uint32_t)s->tree->parents[j]);
    for (int k = 0; k < 9; ++k) {
        out[k] = above[k] - own[k];
    }
}

/// Columns of H between the frame's unknowns and joint l, and the gradient by the joint.
static void assemble_joint(const solver *s, size_t f, uint32_t l, const frame_room *w)
{
    const size_t n = s->unknowns, first = 3 * ((size_t)l - 1);
    double d[9];
    joint_derivative(s, f, l, d);
    for (uint32_t j = 0; j <= s->bones; ++j) {
        double q[3] = {0, 0, 0}, x[3] = {0, 0, 0};
        for (uint32_t r = 0; j < s->bones && r < 3; ++r) {
            q[r] = s->half[((size_t)3 * j + r) * s->width + 4 * l + 3];
        }
        if (j < s->bones) {
            lmbi_m3_point(rotation_at(s, f, j), q, x);
        }
        const double sum = s->moments.products[(4 * (size_t)l + 3) * s->width + 3];
        const bool turns = j < s->bones;
        const double cross[9] = {turns ? 0 : sum, -x[2], x[1], x[2],           turns ? 0 : sum,
                                 -x[0],           -x[1], x[0], turns ? 0 : sum};
        for (uint32_t c = 0; c < 3; ++c) {
            for (uint32_t r = 0; r < 3; ++r) {
                w->joint[(first + c) * n + 3 * j + r] =
                    cross[3 * r] * d[c] + cross[3 * r + 1] * d[3 + c] + cross[3 * r + 2] * d[6 + c];
            }
        }
    }
    for (uint32_t c = 0; c < 3; ++c) {
        w->joint_g[first + c] = 0;
        for (uint32_t r = 0; r < 3; ++r) {
            w->joint_g[first + c] += d[3 * r + c] * w->residuals[r * s->width + 4 * l + 3];
        }
    }
}

// ---- a step

/// Adds the frames of a group to its system for the joints.
static void reduce_frames(void *context, size_t begin, size_t end)
{
    const solver *s = context;
    const size_t n = s->unknowns, m = s->joint_unknowns,
                 group = begin / lmbi_tree_group(s->p->frame_count, GROUPS);
    const frame_room w = divide_room(s, s->step + group * s->room_size);
    double *matrix = s->matrices + group * m * m, *right = s->rights + group * m;
    memset(matrix, 0, m * m * sizeof *matrix);
    memset(right, 0, m * sizeof *right);
    for (size_t f = begin; f < end; ++f) {
        find_residuals(s, f, &w);
        assemble(s, f, &w);
        lmbi_cholesky_factor(w.h, n);
        lmbi_cholesky_lower(w.h, n, w.g);
        for (uint32_t l = 1; l < s->bones; ++l) {
            assemble_joint(s, f, l, &w);
        }
        for (uint32_t l = 1; l < s->bones; ++l) {
            double d[9], e[9], product[9];
            joint_derivative(s, f, l, d);
            for (uint32_t k = 1; k <= l; ++k) {
                const double shared =
                    s->moments.products[(4 * (size_t)l + 3) * s->width + 4 * (size_t)k + 3];
                joint_derivative(s, f, k, e);
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

/// The step of the joints, in rights[0].
static void solve_joints(const solver *s)
{
    const size_t m = s->joint_unknowns, per = lmbi_tree_group(s->p->frame_count, GROUPS);
    double *a = s->matrices, *x = s->rights;
    for (size_t group = 1; group * per < s->p->frame_count; ++group) {
        lmbi_row_add(a, 1, s->matrices + group * m * m, m * m);
        lmbi_row_add(x, 1, s->rights + group * m, m);
    }
    for (size_t j = 1; j < s->bones; ++j) {
        const double *shared = s->moments.products + (4 * j + 3) * (s->width + 1);
        const double anchor = s->tree->anchor_weights[j] * *shared;
        double trace = 0;
        for (size_t c = 0; c < 3; ++c) {
            trace += a[(3 * (j - 1) + c) * (m + 1)];
        }
        for (size_t c = 0; c < 3; ++c) {
            const size_t at = 3 * (j - 1) + c;
            a[at * (m + 1)] += anchor + (PREVIOUS_JOINT + s->damping) * fmax(trace, 0) / 3 +
                               1e-9 * *shared + 1e-12;
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
    const solver *s = context;
    const size_t n = s->unknowns, m = s->joint_unknowns,
                 group = begin / lmbi_tree_group(s->p->frame_count, GROUPS);
    const frame_room w = divide_room(s, s->step + group * s->room_size);
    for (size_t f = begin; f < end; ++f) {
        find_residuals(s, f, &w);
        assemble(s, f, &w);
        for (uint32_t l = 1; l < s->bones; ++l) {
            assemble_joint(s, f, l, &w);
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
            lmbi_m3_mul(by, rotation_at(s, f, j), s->next_rotations + 9 * (f * s->bones + j));
        }
        for (size_t r = 0; r < 3; ++r) {
            s->next_shifts[3 * f + r] = s->shifts[3 * f + r] + w.g[3 * (size_t)s->bones + r];
        }
    }
}

static void measure_frames(void *context, size_t begin, size_t end)
{
    const solver *s = context;
    const size_t group = begin / lmbi_tree_group(s->p->frame_count, GROUPS);
    const frame_room w = divide_room(s, s->step + group * s->room_size);
    for (size_t f = begin; f < end; ++f) {
        s->costs[f] = find_residuals(s, f, &w);
    }
}

/// Half the sum of squares less a constant, and the joints' pull to their anchors.
static double measure(solver *s)
{
    const size_t per = lmbi_tree_group(s->p->frame_count, GROUPS);
    lmb_parallel_for(s->p->opts.jobs, s->p->frame_count, per, measure_frames, s);
    double sum = 0;
    for (size_t f = 0; f < s->p->frame_count; ++f) {
        sum += s->costs[f];
    }
    for (size_t j = 1; j < s->bones; ++j) {
        const double shared = s->moments.products[(4 * j + 3) * (s->width + 1)];
        for (size_t c = 0; c < 3; ++c) {
            const double d = s->tree->anchors[3 * j + c] - s->tree->joints[3 * j + c];
            sum += s->tree->anchor_weights[j] * shared * d * d / 2;
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

static void exchange_state(solver *s)
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
static bool take_step(solver *s, double *cost)
{
    const size_t per = lmbi_tree_group(s->p->frame_count, GROUPS), m = s->joint_unknowns;
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

static void take_steps(solver *s, uint32_t most)
{
    const double constant = sum_squares(s->p) / 2;
    find_arms(s);
    double cost = measure(s);
    for (uint32_t k = 0; k < most; ++k) {
        const double before = cost;
        const bool taken = take_step(s, &cost);
        if (taken) {
            find_arms(s);
        }
        if (taken && !(before - cost > GAIN * (before + constant))) {
            break;
        }
    }
}

// ---- the whole

/// Reads the rotations of the bones, and where the root's joint is.
static void read_bones(const solver *s)
{
    const lmbi_learn *p = s->p;
    for (size_t f = 0; f < p->frame_count; ++f) {
        for (uint32_t j = 0; j < p->bone_count; ++j) {
            for (uint32_t k = 0; k < 9; ++k) {
                s->rotations[9 * (f * s->bones + j) + k] =
                    lmbi_learn_bone(p, j, 4 * (k / 3) + k % 3)[f];
            }
        }
        for (uint32_t r = 0; r < 3; ++r) {
            const double *row = rotation_at(s, f, 0) + 3 * r, *c = s->tree->joints;
            s->shifts[3 * f + r] =
                lmbi_learn_bone(p, 0, 4 * r + 3)[f] + row[0] * c[0] + row[1] * c[1] + row[2] * c[2];
        }
    }
}

/// Writes the transforms of the tree: R (u - c) + position of the joint.
static void write_bones(const solver *s)
{
    const lmbi_learn *p = s->p;
    for (size_t f = 0; f < p->frame_count; ++f) {
        double at[LMB_LEARN_BONES][3];
        for (uint32_t j = 0; j < p->bone_count; ++j) {
            const int32_t above = s->tree->parents[j];
            const double *c = s->tree->joints + 3 * (size_t)j, *own = rotation_at(s, f, j);
            for (uint32_t r = 0; r < 3; ++r) {
                at[j][r] = above == LMB_NONE ? s->shifts[3 * f + r] : at[above][r];
                for (size_t k = 0; above != LMB_NONE && k < 3; ++k) {
                    at[j][r] += rotation_at(s, f, (uint32_t)above)[3 * r + k] *
                                (c[k] - s->tree->joints[3 * (size_t)above + k]);
                }
                const double *row = own + 3 * (size_t)r;
                for (uint32_t k = 0; k < 3; ++k) {
                    lmbi_learn_bone(p, j, 4 * r + k)[f] = row[k];
                }
                lmbi_learn_bone(p, j, 4 * r + 3)[f] =
                    at[j][r] - row[0] * c[0] - row[1] * c[1] - row[2] * c[2];
            }
        }
    }
}

static bool allocate(solver *s, lmbi_arena *arena)
{
    const size_t count = s->bones, frames = s->p->frame_count, n = s->unknowns,
                 m = s->joint_unknowns;
    s->room_size = 6 * (size_t)s->width + n * n + n + m * n + m;
    s->half = lmbi_arena_array(arena, 3 * count, s->width * sizeof(double));
    s->arms = lmbi_arena_array(arena, count * count, 9 * sizeof(double));
    s->rotations = lmbi_arena_array(arena, count * 9, frames * sizeof(double));
    s->next_rotations = lmbi_arena_array(arena, count * 9, frames * sizeof(double));
    s->shifts = lmbi_arena_array(arena, frames, 3 * sizeof(double));
    s->next_shifts = lmbi_arena_array(arena, frames, 3 * sizeof(double));
    s->joints = lmbi_arena_array(arena, count, 3 * sizeof(double));
    s->step = lmbi_arena_array(arena, GROUPS, s->room_size * sizeof(double));
    s->matrices = lmbi_arena_array(arena, GROUPS, (m * m + 1) * sizeof(double));
    s->rights = lmbi_arena_array(arena, GROUPS, (m + 1) * sizeof(double));
    s->costs = lmbi_arena_array(arena, frames, sizeof(double));
    return s->half && s->arms && s->rotations && s->next_rotations && s->shifts && s->next_shifts &&
           s->joints && s->step && s->matrices && s->rights && s->costs &&
           lmbi_tree_moments_init(&s->moments, s->p, arena);
}

lmb_result lmbi_learn_fit_tree(lmbi_learn *p, lmbi_learn_tree *tree, uint32_t steps,
                               lmb_error *error)
{
    const uint32_t count = p->bone_count;
    solver s = {.p = p,
                .tree = tree,
                .bones = count,
                .width = 4 * count,
                .unknowns = 3 * count + 3,
                .joint_unknowns = 3 * count - 3,
                .damping = DAMPING};
    lmbi_arena arena;
    lmbi_arena_init(&arena, p->arena.alloc);
    const bool allocated = allocate(&s, &arena);
    if (allocated) {
        read_bones(&s);
        lmbi_tree_moments_sum(&s.moments, p, tree);
        take_steps(&s, steps);
        write_bones(&s);
    }
    lmbi_arena_free(&arena);
    return allocated ? LMB_OK : lmbi_fail_memory(error);
}
