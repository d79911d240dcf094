/// The sums, gradients and matrices of a tree's fit; tree_fit.c says what is solved.
#include <string.h>

#include "learn/body/matrix.h"
#include "learn/cholesky.h"
#include "learn/tree_system.h"

// ---- what all frames have in common

/// The arms from the sums: y_j = w_j u - s_j c_j + sum over the children h of s_h c_h.
void lmbi_tree_find_arms(const lmbi_tree_solver *s)
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

lmbi_tree_frame lmbi_tree_frame_room(const lmbi_tree_solver *s, size_t frame)
{
    const size_t n = s->unknowns, m = s->joint_unknowns,
                 group = frame / lmbi_tree_group(s->p->frame_count, LMBI_TREE_GROUPS);
    double *room = s->step + group * s->room_size;
    lmbi_tree_frame out = {.q = room, .residuals = room + 3 * s->width};
    out.h = out.residuals + 3 * s->width;
    out.g = out.h + n * n;
    out.joint = out.g + n;
    out.joint_g = out.joint + m * n;
    return out;
}

/// How strongly a shift is drawn to 0; the root's is not.
static double hold(const lmbi_tree_solver *s, uint32_t k)
{
    return k == 0 ? 0 : LMBI_TREE_HOLD * lmbi_tree_mass(s, s->shift_of[k]);
}

double lmbi_tree_find_residuals(const lmbi_tree_solver *s, size_t f, const lmbi_tree_frame *w)
{
    const size_t m = s->p->frame_count;
    double cost = 0;
    for (uint32_t r = 0; r < 3; ++r) {
        double *q = w->q + r * s->width, *left = w->residuals + r * s->width;
        for (uint32_t j = 0; j < s->bones; ++j) {
            const int32_t above = s->tree->parents[j];
            const double *own = lmbi_tree_rotation(s, f, j) + 3 * r,
                         *c = s->tree->joints + 3 * (size_t)j;
            const double *up =
                above == LMB_NONE ? NULL : lmbi_tree_rotation(s, f, (uint32_t)above) + 3 * r;
            memcpy(q + 4 * j, own, 3 * sizeof *q);
            q[4 * j + 3] = (up ? up[0] * c[0] + up[1] * c[1] + up[2] * c[2] : 0) -
                           (own[0] * c[0] + own[1] * c[1] + own[2] * c[2]);
        }
        for (uint32_t k = 0; k < s->shift_count; ++k) {
            const double shift = lmbi_tree_shift(s, f, k)[r];
            q[4 * s->shift_of[k] + 3] += shift;
            cost += hold(s, k) * shift * shift / 2;
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
static void rotation_gradient(const lmbi_tree_solver *s, size_t f, uint32_t j,
                              const lmbi_tree_frame *w)
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
    lmbi_m3_mul_transpose(sums, lmbi_tree_rotation(s, f, j), k);
    w->g[3 * j] = k[7] - k[5];
    w->g[3 * j + 1] = k[2] - k[6];
    w->g[3 * j + 2] = k[3] - k[1];
}

/// Sum of (a_j . a_l) I - a_l a_j^T.
static void rotation_block(const lmbi_tree_solver *s, size_t f, uint32_t j, uint32_t l,
                           const lmbi_tree_frame *w)
{
    double half[9], k[9];
    lmbi_m3_mul(lmbi_tree_rotation(s, f, j), s->arms + 9 * ((size_t)j * s->bones + l), half);
    lmbi_m3_mul_transpose(half, lmbi_tree_rotation(s, f, l), k);
    const double trace = k[0] + k[4] + k[8];
    for (uint32_t r = 0; r < 3; ++r) {
        for (uint32_t c = 0; c < 3; ++c) {
            w->h[(size_t)(3 * j + r) * s->unknowns + 3 * l + c] =
                (r == c ? trace : 0) - k[3 * c + r];
        }
    }
}

/// Fills g and h of one shift: of the rotations' columns, and those of the shifts before it.
static void assemble_shift(const lmbi_tree_solver *s, size_t f, uint32_t k,
                           const lmbi_tree_frame *w)
{
    const size_t n = s->unknowns, first = 3 * ((size_t)s->bones + k);
    const uint32_t column = 4 * s->shift_of[k] + 3;
    for (uint32_t j = 0; j < s->bones; ++j) {
        double mean[3], x[3];
        for (uint32_t r = 0; r < 3; ++r) {
            mean[r] = s->half[((size_t)3 * j + r) * s->width + column];
        }
        lmbi_m3_point(lmbi_tree_rotation(s, f, j), mean, x);
        const double cross[9] = {0, x[2], -x[1], -x[2], 0, x[0], x[1], -x[0], 0}; // of -x
        for (uint32_t e = 0; e < 9; ++e) {
            w->h[(first + e / 3) * n + 3 * j + e % 3] = cross[e];
        }
    }
    for (uint32_t r = 0; r < 3; ++r) {
        w->g[first + r] =
            w->residuals[r * s->width + column] - hold(s, k) * lmbi_tree_shift(s, f, k)[r];
        for (uint32_t e = 0; e < 3 * (k + 1); ++e) {
            w->h[(first + r) * n + 3 * (size_t)s->bones + e] =
                e % 3 == r
                    ? s->moments.products[(size_t)column * s->width + 4 * s->shift_of[e / 3] + 3]
                    : 0;
        }
        w->h[(first + r) * (n + 1)] += hold(s, k);
    }
}

void lmbi_tree_assemble(const lmbi_tree_solver *s, size_t f, const lmbi_tree_frame *w)
{
    const size_t n = s->unknowns;
    for (uint32_t j = 0; j < s->bones; ++j) {
        rotation_gradient(s, f, j, w);
        for (uint32_t l = 0; l <= j; ++l) {
            rotation_block(s, f, j, l, w);
        }
    }
    for (uint32_t k = 0; k < s->shift_count; ++k) {
        assemble_shift(s, f, k, w);
    }
    double trace = 0;
    for (size_t k = 0; k < n; ++k) {
        trace += w->h[k * (n + 1)];
    }
    for (size_t k = 0; k < n; ++k) {
        w->h[k * (n + 1)] += s->damping * w->h[k * (n + 1)] + 1e-12 * trace;
    }
}

void lmbi_tree_factor(const lmbi_tree_solver *s, size_t f, const lmbi_tree_frame *w)
{
    lmbi_tree_find_residuals(s, f, w);
    lmbi_tree_assemble(s, f, w);
    lmbi_cholesky_factor(w->h, s->unknowns);
    lmbi_cholesky_lower(w->h, s->unknowns, w->g);
}

void lmbi_tree_joint_derivative(const lmbi_tree_solver *s, size_t f, uint32_t j, double out[9])
{
    const double *own = lmbi_tree_rotation(s, f, j),
                 *above = lmbi_tree_rotation(s, f, (uint32_t)s->tree->parents[j]);
    for (int k = 0; k < 9; ++k) {
        out[k] = lmbi_tree_slides(s, j) ? 0 : above[k] - own[k];
    }
}

void lmbi_tree_assemble_mover(const lmbi_tree_solver *s, size_t f, uint32_t l, const double d[9],
                              const lmbi_tree_frame *w)
{
    const size_t n = s->unknowns, first = 3 * ((size_t)l - 1);
    const uint32_t column = 4 * l + 3;
    for (uint32_t j = 0; j < s->bones + s->shift_count; ++j) {
        const bool turns = j < s->bones;
        double q[3] = {0, 0, 0}, x[3] = {0, 0, 0}, sum = 0;
        for (uint32_t r = 0; turns && r < 3; ++r) {
            q[r] = s->half[((size_t)3 * j + r) * s->width + column];
        }
        if (turns) {
            lmbi_m3_point(lmbi_tree_rotation(s, f, j), q, x);
        } else {
            sum =
                s->moments.products[(size_t)column * s->width + 4 * s->shift_of[j - s->bones] + 3];
        }
        const double cross[9] = {sum, -x[2], x[1], x[2], sum, -x[0], -x[1], x[0], sum};
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
            w->joint_g[first + c] += d[3 * r + c] * w->residuals[r * s->width + column];
        }
    }
}

// ---- the state

/// The bones whose joints move in their parents, the root first.
static void list_shifts(lmbi_tree_solver *s)
{
    for (uint32_t j = 0; j < s->bones; ++j) {
        if (j == 0 || lmbi_tree_slides(s, j)) {
            s->shift_of[s->shift_count++] = j;
        }
    }
    s->unknowns = 3 * (s->bones + s->shift_count);
}

/// Where a bone carries a point in a frame.
static void carry(const lmbi_learn *p, uint32_t bone, size_t f, const double *x, double out[3])
{
    for (uint32_t r = 0; r < 3; ++r) {
        out[r] = lmbi_learn_bone(p, bone, 4 * r + 3)[f];
        for (uint32_t c = 0; c < 3; ++c) {
            out[r] += lmbi_learn_bone(p, bone, 4 * r + c)[f] * x[c];
        }
    }
}

static void read_bones(const lmbi_tree_solver *s)
{
    const lmbi_learn *p = s->p;
    for (size_t f = 0; f < p->frame_count; ++f) {
        for (uint32_t j = 0; j < p->bone_count; ++j) {
            for (uint32_t k = 0; k < 9; ++k) {
                s->rotations[9 * (f * s->bones + j) + k] =
                    lmbi_learn_bone(p, j, 4 * (k / 3) + k % 3)[f];
            }
        }
        for (uint32_t k = 0; k < s->shift_count; ++k) {
            const uint32_t bone = s->shift_of[k];
            const double *joint = s->tree->joints + 3 * (size_t)bone;
            double *shift = lmbi_tree_shift(s, f, k), above[3];
            carry(p, bone, f, joint, shift);
            if (k > 0) {
                carry(p, (uint32_t)s->tree->parents[bone], f, joint, above);
                lmbi_row_add(shift, -1, above, 3);
            }
        }
    }
}

static bool allocate(lmbi_tree_solver *s, lmbi_arena *arena)
{
    const size_t count = s->bones, frames = s->p->frame_count, n = s->unknowns,
                 m = s->joint_unknowns, shifts = 3 * (size_t)s->shift_count;
    s->room_size = 6 * (size_t)s->width + n * n + n + m * n + m;
    s->half = lmbi_arena_array(arena, 3 * count, s->width * sizeof(double));
    s->arms = lmbi_arena_array(arena, count * count, 9 * sizeof(double));
    s->rotations = lmbi_arena_array(arena, count * 9, frames * sizeof(double));
    s->next_rotations = lmbi_arena_array(arena, count * 9, frames * sizeof(double));
    s->shifts = lmbi_arena_array(arena, frames, shifts * sizeof(double));
    s->next_shifts = lmbi_arena_array(arena, frames, shifts * sizeof(double));
    s->joints = lmbi_arena_array(arena, count, 3 * sizeof(double));
    s->step = lmbi_arena_array(arena, LMBI_TREE_GROUPS, s->room_size * sizeof(double));
    s->matrices = lmbi_arena_array(arena, LMBI_TREE_GROUPS, (m * m + 1) * sizeof(double));
    s->rights = lmbi_arena_array(arena, LMBI_TREE_GROUPS, (m + 1) * sizeof(double));
    s->costs = lmbi_arena_array(arena, frames, sizeof(double));
    return s->half && s->arms && s->rotations && s->next_rotations && s->shifts && s->next_shifts &&
           s->joints && s->step && s->matrices && s->rights && s->costs &&
           lmbi_tree_moments_init(&s->moments, s->p, arena);
}

bool lmbi_tree_begin(lmbi_tree_solver *s, lmbi_learn *p, lmbi_learn_tree *tree, lmbi_arena *arena)
{
    *s = (lmbi_tree_solver){.p = p,
                            .tree = tree,
                            .bones = p->bone_count,
                            .width = 4 * p->bone_count,
                            .joint_unknowns = 3 * p->bone_count - 3};
    s->shift_of = lmbi_arena_array(arena, s->bones, sizeof *s->shift_of);
    if (!s->shift_of) {
        return false;
    }
    list_shifts(s);
    if (!allocate(s, arena)) {
        return false;
    }
    read_bones(s);
    lmbi_tree_moments_sum(&s->moments, p, tree);
    return true;
}
