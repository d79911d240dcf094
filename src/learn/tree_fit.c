/// Transforms of bones in a hierarchy. A point is at t + sum of R_j y_ij over the bones, with y_ij
/// = w_ij (u_i - c_j) + sum over the children h of j of s_ih (c_h - c_j), where s_ih is the weight
/// of all bones of the subtree h. Rotations and joints enter linearly: each rotation has a nearest
/// one with the others fixed, and the joints are one least-squares problem.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "learn/learn.h"
#include "linalg/linalg.h"

/// Weight of a joint's previous position, where rotations leave it undetermined (along a hinge's
/// axis).
static const double PREVIOUS_JOINT = 1e-4;
/// Weight of a rotation's previous value.
static const double PREVIOUS_ROTATION = 1e-9;
/// Sweeps over the rotations of a frame: a change of the root has to propagate through its tree.
enum { ROTATION_SWEEPS = 8 };

typedef struct solver {
    lmbi_learn *p;
    lmbi_learn_tree *tree;
    uint32_t sweeps;
    double *below;     ///< [bone][point] s
    double *arms;      ///< [bone][bone][3][3] sums of y_l y_j^T
    double *sums;      ///< [bone][3] sums of y_j
    double *targets;   ///< [bone][3][3][frame] sums of v y_j^T
    double *means;     ///< [3][frame] means of v
    double *rotations; ///< [frame][bone][3][3]
    double *shifts;    ///< [frame][3] t
    // for the joints
    double *shared;     ///< [bone][bone] sums of s_j s_l
    double *levers;     ///< [bone][bone][3] sums of s_j w_l u
    double *point_sums; ///< [bone][3][frame] sums of s_j v
    double *weights;    ///< [bone] sums of s_j
    double *matrix, *right;
} solver;

static double *arm(const solver *s, uint32_t l, uint32_t j)
{
    return s->arms + 9 * ((size_t)l * s->p->bone_count + j);
}

static double *rotation_at(const solver *s, size_t frame, uint32_t bone)
{
    return s->rotations + 9 * (frame * s->p->bone_count + bone);
}

/// Sums the weights of each bone's subtree.
static void sum_below(solver *s)
{
    const lmbi_learn *p = s->p;
    const size_t n = p->point_count;
    memset(s->below, 0, p->bone_count * n * sizeof *s->below);
    for (uint32_t j = p->bone_count; j-- > 0;) {
        double *own = s->below + j * n;
        for (uint32_t k = p->list_first[j]; k < p->list_first[j + 1]; ++k) {
            own[p->list_points[k]] += p->list_weights[k];
        }
        const int32_t above = s->tree->parents[j];
        for (size_t i = 0; above != LMB_NONE && i < n; ++i) {
            s->below[(size_t)above * n + i] += own[i];
        }
    }
}

/// y_ij; false when it is 0 because the subtree of j does not move the point.
static bool arm_of(const solver *s, uint32_t j, size_t i, double y[3])
{
    const size_t n = s->p->point_count;
    double own = s->below[j * n + i];
    if (!(own > 0)) {
        return false;
    }
    const double *c = s->tree->joints + 3 * (size_t)j, *u = s->p->rest + 3 * i;
    y[0] = y[1] = y[2] = 0;
    for (uint32_t h = j + 1; h < s->p->bone_count; ++h) {
        if (s->tree->parents[h] == (int32_t)j) {
            const double part = s->below[h * n + i];
            own -= part;
            for (size_t k = 0; k < 3; ++k) {
                y[k] += part * (s->tree->joints[3 * (size_t)h + k] - c[k]);
            }
        }
    }
    for (size_t k = 0; k < 3; ++k) {
        y[k] += own * (u[k] - c[k]);
    }
    return true;
}

static void sum_arms(void *context, size_t begin, size_t end)
{
    const solver *s = context;
    const lmbi_learn *p = s->p;
    const size_t m = p->frame_count;
    for (size_t j = begin; j < end; ++j) {
        memset(arm(s, (uint32_t)j, 0), 0, p->bone_count * 9 * sizeof(double));
        memset(s->targets + j * 9 * m, 0, 9 * m * sizeof(double));
        memset(s->sums + 3 * j, 0, 3 * sizeof(double));
        for (size_t i = 0; i < p->point_count; ++i) {
            double y[3], z[3];
            if (!arm_of(s, (uint32_t)j, i, y)) {
                continue;
            }
            for (size_t r = 0; r < 3; ++r) {
                const float *v = p->positions + (3 * i + r) * m;
                s->sums[3 * j + r] += y[r];
                for (size_t c = 0; c < 3; ++c) {
                    double *to = s->targets + (9 * j + 3 * r + c) * m;
                    for (size_t f = 0; f < m; ++f) {
                        to[f] += y[c] * (double)v[f];
                    }
                }
            }
            for (uint32_t l = 0; l <= j; ++l) {
                if (arm_of(s, l, i, z)) {
                    double *to = arm(s, (uint32_t)j, l);
                    for (int k = 0; k < 9; ++k) {
                        to[k] += y[k / 3] * z[k % 3];
                    }
                }
            }
        }
    }
}

/// Fills the other triangle: y_l y_j^T from y_j y_l^T.
static void mirror_arms(const solver *s)
{
    for (uint32_t j = 0; j < s->p->bone_count; ++j) {
        for (uint32_t l = 0; l < j; ++l) {
            for (int k = 0; k < 9; ++k) {
                arm(s, l, j)[k] = arm(s, j, l)[3 * (k % 3) + k / 3];
            }
        }
    }
}

/// Solves for t with fixed rotations.
static void solve_shift(const solver *s, size_t f)
{
    const lmbi_learn *p = s->p;
    for (size_t r = 0; r < 3; ++r) {
        double sum = s->means[r * p->frame_count + f] * p->point_count;
        for (uint32_t l = 0; l < p->bone_count; ++l) {
            for (size_t c = 0; c < 3; ++c) {
                sum -= rotation_at(s, f, l)[3 * r + c] * s->sums[3 * (size_t)l + c];
            }
        }
        s->shifts[3 * f + r] = sum / p->point_count;
    }
}

/// Finds the nearest rotation of one bone with the others and t fixed.
static void fit_rotation(const solver *s, size_t f, uint32_t j)
{
    const lmbi_learn *p = s->p;
    double n[3][3], rotation[3][3], *now = rotation_at(s, f, j);
    const double *own = arm(s, j, j), size = own[0] + own[4] + own[8];
    if (!(size > 0)) {
        return;
    }
    for (size_t r = 0; r < 3; ++r) {
        for (size_t c = 0; c < 3; ++c) {
            n[r][c] = s->targets[(9 * (size_t)j + 3 * r + c) * p->frame_count + f] -
                      s->shifts[3 * f + r] * s->sums[3 * (size_t)j + c] +
                      PREVIOUS_ROTATION * size * now[3 * r + c];
        }
    }
    for (uint32_t l = 0; l < p->bone_count; ++l) {
        const double *a = arm(s, l, j), *t = rotation_at(s, f, l);
        for (int k = 0; l != j && k < 9; ++k) {
            const int r = k / 3, c = k % 3;
            n[r][c] -= t[3 * r] * a[c] + t[3 * r + 1] * a[3 + c] + t[3 * r + 2] * a[6 + c];
        }
    }
    lmbi_polar3((const double(*)[3])n, rotation);
    memcpy(now, rotation, sizeof rotation);
}

static void fit_frames(void *context, size_t begin, size_t end)
{
    const solver *s = context;
    for (size_t f = begin; f < end; ++f) {
        for (uint32_t k = 0; k < s->sweeps * ROTATION_SWEEPS; ++k) {
            solve_shift(s, f);
            for (uint32_t j = 0; j < s->p->bone_count; ++j) {
                fit_rotation(s, f, j);
            }
        }
        solve_shift(s, f);
    }
}

// ---- joints

static void sum_levers(void *context, size_t begin, size_t end)
{
    const solver *s = context;
    const lmbi_learn *p = s->p;
    const size_t n = p->point_count, m = p->frame_count, count = p->bone_count;
    for (size_t j = begin; j < end; ++j) {
        const double *own = s->below + j * n;
        s->weights[j] = 0;
        memset(s->point_sums + 3 * j * m, 0, 3 * m * sizeof(double));
        for (size_t i = 0; i < n; ++i) {
            s->weights[j] += own[i];
            for (size_t r = 0; own[i] > 0 && r < 3; ++r) {
                for (size_t f = 0; f < m; ++f) {
                    s->point_sums[(3 * j + r) * m + f] +=
                        own[i] * (double)p->positions[(3 * i + r) * m + f];
                }
            }
        }
        for (size_t l = 0; l < count; ++l) {
            double shared = 0, lever[3] = {0, 0, 0};
            for (size_t i = 0; i < n; ++i) {
                shared += own[i] * s->below[l * n + i];
            }
            for (uint32_t k = p->list_first[l]; k < p->list_first[l + 1]; ++k) {
                const double w = own[p->list_points[k]] * p->list_weights[k];
                for (size_t c = 0; c < 3; ++c) {
                    lever[c] += w * p->rest[3 * (size_t)p->list_points[k] + c];
                }
            }
            s->shared[j * count + l] = shared;
            memcpy(s->levers + 3 * (j * count + l), lever, sizeof lever);
        }
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

/// Weighted sum of the residuals of the subtree j, with all joints at 0.
static void sum_residuals(const solver *s, size_t f, uint32_t j, const double t[3], double out[3])
{
    const lmbi_learn *p = s->p;
    for (size_t r = 0; r < 3; ++r) {
        out[r] = s->point_sums[(3 * (size_t)j + r) * p->frame_count + f] - t[r] * s->weights[j];
        for (uint32_t l = 0; l < p->bone_count; ++l) {
            const double *u = s->levers + 3 * ((size_t)j * p->bone_count + l);
            const double *rotation = rotation_at(s, f, l) + 3 * r;
            out[r] -= rotation[0] * u[0] + rotation[1] * u[1] + rotation[2] * u[2];
        }
    }
}

/// Adds one frame to the normal equations of all joints except the root's.
static void add_joint_equations(const solver *s, size_t f)
{
    const uint32_t count = s->p->bone_count;
    const size_t width = 3 * ((size_t)count - 1);
    const double *root = s->tree->joints, *rotation = rotation_at(s, f, 0);
    double t[3], a[9], b[9], left[3];
    for (size_t r = 0; r < 3; ++r) { // t for a root at the origin
        t[r] = s->shifts[3 * f + r] - rotation[3 * r] * root[0] - rotation[3 * r + 1] * root[1] -
               rotation[3 * r + 2] * root[2];
    }
    for (uint32_t j = 1; j < count; ++j) {
        joint_derivative(s, f, j, a);
        sum_residuals(s, f, j, t, left);
        for (size_t c = 0; c < 3; ++c) {
            s->right[3 * (size_t)(j - 1) + c] +=
                a[c] * left[0] + a[3 + c] * left[1] + a[6 + c] * left[2];
        }
        for (uint32_t l = 1; l < count; ++l) {
            const double w = s->shared[(size_t)j * count + l];
            if (!(w > 0)) {
                continue;
            }
            joint_derivative(s, f, l, b);
            for (size_t k = 0; k < 9; ++k) {
                const size_t x = k / 3, y = k % 3;
                s->matrix[(3 * (size_t)(j - 1) + x) * width + 3 * (size_t)(l - 1) + y] +=
                    w * (a[x] * b[y] + a[3 + x] * b[3 + y] + a[6 + x] * b[6 + y]);
            }
        }
    }
}

static void solve_joints(solver *s)
{
    const size_t width = 3 * ((size_t)s->p->bone_count - 1);
    memset(s->matrix, 0, width * width * sizeof *s->matrix);
    memset(s->right, 0, width * sizeof *s->right);
    for (size_t f = 0; f < s->p->frame_count; ++f) {
        add_joint_equations(s, f);
    }
    for (size_t j = 1; j < s->p->bone_count; ++j) {
        double *own = s->matrix + 3 * (j - 1) * (width + 1);
        const double previous_weight =
            PREVIOUS_JOINT * (own[0] + own[width + 1] + own[2 * width + 2]) / 3 + 1e-12;
        const double anchor_weight =
            s->tree->anchor_weights[j] * s->shared[j * s->p->bone_count + j];
        for (size_t c = 0; c < 3; ++c) {
            own[c * (width + 1)] += previous_weight + anchor_weight;
            s->right[3 * (j - 1) + c] += previous_weight * s->tree->joints[3 * j + c] +
                                         anchor_weight * s->tree->anchors[3 * j + c];
        }
    }
    lmb_error unused;
    if (lmbi_dense_solve(s->matrix, (uint32_t)width, s->right, 1, &unused) == LMB_OK) {
        memcpy(s->tree->joints + 3, s->right, width * sizeof *s->right);
    }
}

// ---- the whole

/// Reads the rotations of the bones.
static void read_rotations(const solver *s)
{
    const lmbi_learn *p = s->p;
    for (size_t f = 0; f < p->frame_count; ++f) {
        for (uint32_t j = 0; j < p->bone_count; ++j) {
            for (uint32_t k = 0; k < 9; ++k) {
                rotation_at(s, f, j)[k] = lmbi_learn_bone(p, j, 4 * (k / 3) + k % 3)[f];
            }
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
    const lmbi_learn *p = s->p;
    const size_t count = p->bone_count, m = p->frame_count, width = 3 * (count - 1);
    s->below = lmbi_arena_array(arena, count * sizeof *s->below, p->point_count);
    s->arms = lmbi_arena_array(arena, count * count, 9 * sizeof *s->arms);
    s->sums = lmbi_arena_array(arena, count, 3 * sizeof *s->sums);
    s->targets = lmbi_arena_array(arena, count * 9, m * sizeof *s->targets);
    s->means = lmbi_arena_array(arena, m, 3 * sizeof *s->means);
    s->rotations = lmbi_arena_array(arena, count * 9, m * sizeof *s->rotations);
    s->shifts = lmbi_arena_array(arena, m, 3 * sizeof *s->shifts);
    s->shared = lmbi_arena_array(arena, count * count, sizeof *s->shared);
    s->levers = lmbi_arena_array(arena, count * count, 3 * sizeof *s->levers);
    s->point_sums = lmbi_arena_array(arena, count * 3, m * sizeof *s->point_sums);
    s->weights = lmbi_arena_array(arena, count, sizeof *s->weights);
    s->matrix = lmbi_arena_array(arena, width, width * sizeof *s->matrix);
    s->right = lmbi_arena_array(arena, width, sizeof *s->right);
    return s->below && s->arms && s->sums && s->targets && s->means && s->rotations && s->shifts &&
           s->shared && s->levers && s->point_sums && s->weights && s->matrix && s->right;
}

static void sum_means(const solver *s)
{
    const lmbi_learn *p = s->p;
    const size_t m = p->frame_count;
    for (size_t i = 0; i < p->point_count; ++i) {
        for (size_t k = 0; k < 3 * m; ++k) {
            s->means[k] += (double)p->positions[3 * i * m + k] / p->point_count;
        }
    }
}

lmb_result lmbi_learn_fit_tree(lmbi_learn *p, lmbi_learn_tree *tree, uint32_t sweeps,
                               lmb_error *error)
{
    solver s = {.p = p, .tree = tree, .sweeps = sweeps};
    lmbi_arena arena;
    lmbi_arena_init(&arena, p->arena.alloc);
    const bool allocated = allocate(&s, &arena);
    if (allocated) {
        read_rotations(&s);
        sum_below(&s);
        sum_means(&s);
        lmb_parallel_for(p->opts.jobs, p->bone_count, 1, sum_arms, &s);
        mirror_arms(&s);
        lmb_parallel_for(p->opts.jobs, p->frame_count, 1, fit_frames, &s);
        if (p->bone_count > 1) {
            lmb_parallel_for(p->opts.jobs, p->bone_count, 1, sum_levers, &s);
            solve_joints(&s);
        }
        // The joints changed, so t changes too.
        lmb_parallel_for(p->opts.jobs, p->bone_count, 1, sum_arms, &s);
        mirror_arms(&s);
        for (size_t f = 0; f < p->frame_count; ++f) {
            solve_shift(&s, f);
        }
        write_bones(&s);
    }
    lmbi_arena_free(&arena);
    return allocated ? LMB_OK : lmbi_fail_memory(error);
}
