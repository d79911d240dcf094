/// Joints as weighted sums of vertices (SMPL, Loper et al. 2015, equation 10): of the vertices about a joint, the weights
/// nearest to equal ones that give the joint of the mean and of every direction of the shape space. Weights sum to 1; some
/// may be negative, which SMPL's are not.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "learn/body/population.h"
#include "linalg/linalg.h"

enum { MOST_VERTICES = 96, LEAST_VERTICES = 12 };

/// In units of a mean square entry: what keeps equations solvable that say the same twice.
static const double DAMPING = 1e-10;

typedef struct ring {
    uint32_t count, vertices[MOST_VERTICES];
    double distances[MOST_VERTICES];
} ring;

/// Keeps the nearest vertices, the lower number first among equals.
static void add_vertex(ring *r, uint32_t vertex, double distance)
{
    uint32_t at = r->count < MOST_VERTICES ? r->count++ : MOST_VERTICES;
    for (; at > 0 && r->distances[at - 1] > distance; --at) {
        if (at < MOST_VERTICES) {
            r->vertices[at] = r->vertices[at - 1];
            r->distances[at] = r->distances[at - 1];
        }
    }
    if (at < MOST_VERTICES) {
        r->vertices[at] = vertex;
        r->distances[at] = distance;
    }
}

static double weight_of(const lmbi_scan_body *b, uint32_t vertex, int32_t joint)
{
    double sum = 0;
    for (uint32_t k = b->row_first[vertex]; k < b->row_first[vertex + 1]; ++k) {
        sum += (int32_t)b->row_joints[k] == joint ? b->row_weights[k] : 0;
    }
    return sum;
}

/// The nearest vertices that follow the joint and its parent; where there are few, those that follow the joint; else all.
static ring find_ring(const lmbi_population *p, uint32_t joint)
{
    const double *at = p->mean_joints + 3 * (size_t)joint;
    ring r = {0};
    for (int loose = 0; loose < 3 && r.count < LEAST_VERTICES; ++loose) {
        r.count = 0;
        for (uint32_t v = 0; v < p->body.vertex_count; ++v) {
            const double own = weight_of(&p->body, v, (int32_t)joint);
            const double above = weight_of(&p->body, v, p->body.parents[joint]);
            if (loose == 2 || (own > 0.01 && (loose == 1 || above > 0.01))) {
                const double *x = p->mean + 3 * (size_t)v;
                const double d[3] = {x[0] - at[0], x[1] - at[1], x[2] - at[2]};
                add_vertex(&r, v, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            }
        }
    }
    return r;
}

/// Row k of the conditions on the weights, at one vertex: that they sum to 1, the mean's coordinates, the directions'.
static double condition(const lmbi_population *p, uint32_t k, uint32_t vertex)
{
    if (k == 0) {
        return p->height;
    }
    const uint32_t axis = (k - 1) % 3, direction = (k - 1) / 3;
    const size_t at = 3 * (size_t)vertex + axis;
    return direction == 0 ? p->mean[at]
                          : p->directions[3 * (size_t)(direction - 1) * p->body.vertex_count + at];
}

static double wanted(const lmbi_population *p, uint32_t k, uint32_t joint)
{
    if (k == 0) {
        return p->height;
    }
    const uint32_t axis = (k - 1) % 3, direction = (k - 1) / 3;
    const size_t at = 3 * (size_t)joint + axis;
    return direction == 0
               ? p->mean_joints[at]
               : p->joint_directions[3 * (size_t)(direction - 1) * p->body.joint_count + at];
}

/// The smallest change of equal weights that fulfils the conditions.
static lmb_result solve_joint(const lmbi_population *p, uint32_t joint, const ring *r,
                              double *square, double *right, double *weights, lmb_error *error)
{
    const uint32_t size = 1 + 3 * (1 + p->direction_count);
    double trace = 0;
    for (uint32_t a = 0; a < size; ++a) {
        right[a] = wanted(p, a, joint);
        for (uint32_t k = 0; k < r->count; ++k) {
            right[a] -= condition(p, a, r->vertices[k]) / r->count;
        }
        for (uint32_t b = 0; b < size; ++b) {
            double sum = 0;
            for (uint32_t k = 0; k < r->count; ++k) {
                sum += condition(p, a, r->vertices[k]) * condition(p, b, r->vertices[k]);
            }
            square[(size_t)a * size + b] = sum;
        }
        trace += square[(size_t)a * size + a];
    }
    for (uint32_t a = 0; a < size; ++a) {
        square[(size_t)a * size + a] += DAMPING * trace / size;
    }
    const lmb_result result = lmbi_dense_solve(square, size, right, 1, error);
    for (uint32_t k = 0; k < r->count; ++k) {
        weights[k] = 1.0 / r->count;
        for (uint32_t a = 0; a < size; ++a) {
            weights[k] += right[a] * condition(p, a, r->vertices[k]);
        }
    }
    return result;
}

lmb_result lmbi_population_solve_regressor(lmbi_population *p, lmb_body_model *out,
                                           lmb_error *error)
{
    const uint32_t joints = p->body.joint_count, size = 1 + 3 * (1 + p->direction_count);
    lmbi_arena *arena = &p->arena;
    double *square = lmbi_arena_array(arena, (size_t)size * size, sizeof(double));
    double *right = lmbi_arena_array(arena, size, sizeof(double));
    out->regressor_first = lmbi_arena_array(arena, (size_t)joints + 1, sizeof(uint32_t));
    out->regressor_vertices =
        lmbi_arena_array(arena, (size_t)joints * MOST_VERTICES, sizeof(uint32_t));
    out->regressor_weights = lmbi_arena_array(arena, (size_t)joints * MOST_VERTICES, sizeof(float));
    if (!square || !right || !out->regressor_first || !out->regressor_vertices ||
        !out->regressor_weights) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = LMB_OK;
    for (uint32_t j = 0, at = 0; result == LMB_OK && j < joints; ++j) {
        const ring r = find_ring(p, j);
        double weights[MOST_VERTICES];
        result = solve_joint(p, j, &r, square, right, weights, error);
        for (uint32_t k = 0; k < r.count; ++k) {
            out->regressor_vertices[at] = r.vertices[k];
            out->regressor_weights[at++] = (float)weights[k];
        }
        out->regressor_first[j + 1] = at;
    }
    return result;
}
