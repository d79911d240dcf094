/// The preconditioner of a population's refinement: poses of a scan, joints, columns of a vertex and weights of a vertex
/// each as if the others stood still. Blends count as rotations in the columns' equations, which are then the same for
/// all vertices of a group.
#include <math.h>
#include <string.h>

#include "learn/body/refine.h"
#include "learn/cholesky.h"

/// Of the mean diagonal entry: joints without skin.
static const double LEAST_PIVOT = 1e-9;
/// Of a joint's skin in all scans, added to what its rotations tell: joints that hardly bend move little.
static const double LEAST_BEND = 1e-3;

static void factor_poses(void *context, size_t begin, size_t end)
{
    const lmbi_refinement *r = context;
    lmbi_population *p = r->p;
    const size_t n = r->pose_size;
    for (size_t k = begin; k < end; ++k) {
        const uint32_t f = r->first_scan + (uint32_t)k;
        double *square = r->pose_factors + f * n * n, trace = 0;
        lmbi_scan_shape shape = {.rest = lmbi_population_rest(p, p->person_of[f]),
                                 .joints = lmbi_population_joints(p, p->person_of[f]),
                                 .pose_weight = r->pose_cost / p->body.vertex_count};
        const lmbi_scan_target target = {.positions = lmbi_population_scan(p, f)};
        lmbi_scan_square(p->fitters[k], &shape, &target, &p->poses[f], square);
        for (size_t i = 0; i < n * n; ++i) {
            square[i] *= p->body.vertex_count; // sums, not means
            trace += i % (n + 1) == 0 ? square[i] : 0;
        }
        for (size_t i = 0; i < n; ++i) {
            square[i * (n + 1)] += LEAST_PIVOT * trace / (double)n;
        }
        lmbi_cholesky_factor(square, n);
    }
}

/// Sum over the vertices of the squared weight at or below a joint.
static double skin_below(const lmbi_scan_body *body, int32_t joint)
{
    double sum = 0;
    for (uint32_t v = 0; v < body->vertex_count; ++v) {
        double below = 0;
        for (uint32_t k = body->row_first[v]; k < body->row_first[v + 1]; ++k) {
            int32_t a = (int32_t)body->row_joints[k];
            while (a > joint) { // parents precede children
                a = body->parents[a];
            }
            below += a == joint ? body->row_weights[k] : 0;
        }
        sum += below * below;
    }
    return sum;
}

/// A joint's position moves the skin below it by I - R, with |I - R|^2 = 2 (3 - trace R).
static void scale_joints(lmbi_refinement *r)
{
    const lmbi_population *p = r->p;
    const size_t joints = p->body.joint_count;
    for (size_t j = 0; j < joints; ++j) {
        const double skin = skin_below(&p->body, (int32_t)j);
        for (size_t i = 0; i < r->space; ++i) {
            double bend = LEAST_BEND * p->scan_count;
            for (size_t f = 0; f < p->scan_count; ++f) {
                const double *m = p->poses[f].rotations + 9 * j, x = r->rows[f * r->basis + i];
                bend += x * x * 2 * (3 - m[0] - m[4] - m[8]) / 3;
            }
            r->joint_scales[i * joints + j] = 1 / ((skin + 1) * bend);
        }
    }
}

/// One of many matrices of n rows and columns, set to zeros.
static double *cleared(double *matrices, size_t index, size_t n)
{
    return memset(matrices + index * n * n, 0, n * n * sizeof *matrices);
}

static void factor_columns(void *context, size_t begin, size_t end)
{
    const lmbi_refinement *r = context;
    const size_t n = r->basis;
    for (size_t j = begin; j < end; ++j) {
        double *square = cleared(r->column_factors, j, n);
        for (size_t f = 0; f < r->p->scan_count; ++f) {
            const double *row = r->rows + f * n;
            for (size_t a = 0; a < n; ++a) {
                lmbi_row_add(square + a * n, row[a], row, a + 1);
            }
        }
        for (size_t a = 0; a < n; ++a) {
            square[a * (n + 1)] += r->costs[j * n + a] + LEAST_PIVOT * r->p->scan_count;
        }
        lmbi_cholesky_factor(square, n);
    }
}

/// Products of where the joints alone would take a vertex, about their mean: changes of weights sum to 0.
static void factor_weights(void *context, size_t begin, size_t end)
{
    const lmbi_refinement *r = context;
    const size_t n = r->room;
    for (size_t v = begin; v < end; ++v) {
        double *square = cleared(r->weight_factors, v, n);
        for (size_t f = 0; n > 0 && f < r->p->scan_count; ++f) {
            double at[3][LMBI_POPULATION_INFLUENCES];
            for (size_t k = 0; k < n; ++k) {
                double point[3];
                lmbi_refinement_candidate(r, f, v, k, point);
                for (int c = 0; c < 3; ++c) {
                    at[c][k] = point[c];
                }
            }
            for (int c = 0; c < 3; ++c) {
                lmbi_refinement_balance(r, v, at[c]);
                for (size_t k = 0; k < n; ++k) {
                    lmbi_row_add(square + k * n, at[c][k], at[c], k + 1);
                }
            }
        }
        for (size_t k = 0; k < n; ++k) {
            square[k * (n + 1)] += r->weight_cost;
        }
        lmbi_cholesky_factor(square, n);
    }
}

void lmbi_refinement_condition(lmbi_refinement *r)
{
    const lmbi_population *p = r->p;
    for (r->first_scan = 0; r->first_scan < p->scan_count; r->first_scan += LMBI_POPULATION_SLOTS) {
        const uint32_t left = p->scan_count - r->first_scan;
        lmb_parallel_for(p->opts.jobs, left < LMBI_POPULATION_SLOTS ? left : LMBI_POPULATION_SLOTS,
                         1, factor_poses, r);
    }
    scale_joints(r);
    lmb_parallel_for(p->opts.jobs, r->groups.count, 1, factor_columns, r);
    lmb_parallel_for(p->opts.jobs, p->body.vertex_count, 64, factor_weights, r);
}

static void solve_factored(const double *l, size_t n, double *x)
{
    lmbi_cholesky_lower(l, n, x);
    lmbi_cholesky_upper(l, n, x);
}

typedef struct conditioning {
    const lmbi_refinement *r;
    double *to;
} conditioning;

static void solve_poses(void *context, size_t begin, size_t end)
{
    const conditioning *q = context;
    const size_t n = q->r->pose_size;
    for (size_t f = begin; f < end; ++f) {
        solve_factored(q->r->pose_factors + f * n * n, n, q->to + f * n);
    }
}

static void solve_vertices(void *context, size_t begin, size_t end)
{
    const conditioning *q = context;
    const lmbi_refinement *r = q->r;
    const size_t n = r->basis, room = r->room;
    for (size_t v = begin; v < end; ++v) {
        for (size_t c = 0; c < 3; ++c) {
            solve_factored(r->column_factors + r->groups.of[v] * n * n, n,
                           q->to + r->vertices + (3 * v + c) * n);
        }
        double *weights = q->to + r->weights + v * room;
        solve_factored(r->weight_factors + v * room * room, room, weights);
        lmbi_refinement_balance(r, v, weights);
    }
}

void lmbi_refinement_precondition(const lmbi_refinement *r, const double *from, double *to)
{
    const lmbi_population *p = r->p;
    conditioning q = {r, to};
    memcpy(to, from, r->size * sizeof *to);
    lmb_parallel_for(p->opts.jobs, p->scan_count, 1, solve_poses, &q);
    for (size_t k = 0; k < r->shape_count; ++k) {
        const double *d = p->directions + 3 * k * p->body.vertex_count;
        const double square = lmbi_row_dot(d, d, 3 * (size_t)p->body.vertex_count);
        for (size_t person = 0; person < p->person_count; ++person) {
            const uint32_t scans = p->first_scan[person + 1] - p->first_scan[person];
            to[r->coefficients + person * r->shape_count + k] /= scans * square + 1e-300;
        }
    }
    for (size_t i = 0; i < 3 * r->space * p->body.joint_count; ++i) {
        to[r->joints + i] *= r->joint_scales[i / 3];
    }
    lmb_parallel_for(p->opts.jobs, p->body.vertex_count, 64, solve_vertices, &q);
}
