/// Rest shape and joints of one person in known poses. With rotations fixed, a vertex is linear in its own rest position
/// and in the joints: point = blend * rest + sum over joints of (weight at or below the joint) (R of its parent - R of
/// the joint) joint + translation. The rest positions are eliminated vertex by vertex, so both come out at once.
#include "learn/body/population.h"

#include <math.h>
#include <string.h>

#include "learn/body/matrix.h"
#include "linalg/linalg.h"

/// Weight of the pull of a joint to where the shape space has it, relative to its vertices in one scan: joints that
/// hardly bend in the scans stay there.
static const double JOINT_PULL = 1e-3;

typedef struct lmbi_person_solver {
    double *space_rest, *space_joints; ///< the person in the shape space
    double *square, *right;            ///< [3 joints][3 joints], [3 joints]
    double *inverse, *goal;            ///< [vertex_count][9], [vertex_count][3]
    double *below;                     ///< [joint_count] weight at or below a joint, of one vertex
    uint32_t *touched;                 ///< [joint_count]
    double *cross;                     ///< [joint_count][9] of one vertex
    double *products; ///< [joint_count][joint_count] sums over vertices of `below` times `below`
    double *rows;     ///< `square`, by rows
} person_solver;

struct lmbi_person_solver *lmbi_person_solver_create(const lmbi_scan_body *body, lmbi_arena *arena)
{
    const uint32_t n = body->vertex_count, joints = body->joint_count;
    person_solver *s = lmbi_arena_array(arena, 1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->space_rest = lmbi_arena_array(arena, n, 3 * sizeof(double));
    s->space_joints = lmbi_arena_array(arena, joints, 3 * sizeof(double));
    s->square = lmbi_arena_array(arena, (size_t)joints * joints, 9 * sizeof(double));
    s->right = lmbi_arena_array(arena, joints, 3 * sizeof(double));
    s->inverse = lmbi_arena_array(arena, n, 9 * sizeof(double));
    s->goal = lmbi_arena_array(arena, n, 3 * sizeof(double));
    s->below = lmbi_arena_array(arena, joints, sizeof(double));
    s->touched = lmbi_arena_array(arena, joints, sizeof(uint32_t));
    s->cross = lmbi_arena_array(arena, joints, 9 * sizeof(double));
    s->products = lmbi_arena_array(arena, (size_t)joints * joints, sizeof(double));
    s->rows = lmbi_arena_array(arena, (size_t)joints * joints, 9 * sizeof(double));
    const bool ok = s->products && s->rows && s->space_rest && s->space_joints && s->square &&
                    s->right && s->inverse && s->goal && s->below && s->touched && s->cross;
    return ok ? s : NULL;
}

/// One person's part of the problem.
typedef struct problem {
    person_solver *s;
    const lmbi_population *p;
    uint32_t begin, end; ///< scans
    double pull;
} problem;

/// Fills `below` and `touched`; returns how many joints move the vertex.
static uint32_t find_joints(const problem *q, uint32_t vertex)
{
    const lmbi_scan_body *body = &q->p->body;
    uint32_t count = 0;
    for (uint32_t k = body->row_first[vertex]; k < body->row_first[vertex + 1]; ++k) {
        const double w = body->row_weights[k];
        for (int32_t j = (int32_t)body->row_joints[k]; w > 0 && j != LMB_NONE;
             j = body->parents[j]) {
            if (!(q->s->below[j] > 0)) {
                q->s->touched[count++] = (uint32_t)j;
            }
            q->s->below[j] += w;
        }
    }
    return count;
}

/// How the joint's position moves the skin at or below it: R of the parent - R of the joint.
static void joint_effect(const lmbi_scan_body *body, const lmbi_scan_pose *pose, uint32_t joint,
                         double out[9])
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int32_t parent = body->parents[joint];
    const double *above = parent == LMB_NONE ? identity : pose->global + 9 * (size_t)parent;
    for (int k = 0; k < 9; ++k) {
        out[k] = above[k] - pose->global[9 * (size_t)joint + (size_t)k];
    }
}

static void blend_of(const lmbi_scan_body *body, const lmbi_scan_pose *pose, uint32_t vertex,
                     double out[9])
{
    memset(out, 0, 9 * sizeof *out);
    for (uint32_t k = body->row_first[vertex]; k < body->row_first[vertex + 1]; ++k) {
        for (size_t c = 0; c < 9; ++c) {
            out[c] += body->row_weights[k] * pose->global[9 * (size_t)body->row_joints[k] + c];
        }
    }
}

/// Where the scan has the vertex, less what neither its rest position nor the joints decide.
static void goal_of(const problem *q, uint32_t scan, uint32_t vertex, const double blend[9],
                    double out[3])
{
    const lmbi_scan_pose *pose = &q->p->poses[scan];
    const float *at = &lmbi_population_scan(q->p, scan)[vertex].x;
    double shift[3] = {0, 0, 0}, moved[3];
    if (q->p->body.correctives != NULL) {
        const uint32_t count = q->p->body.feature_count;
        const double *rows = q->p->body.correctives + 3 * (size_t)vertex * count;
        for (uint32_t f = 0; f < count; ++f) {
            for (size_t c = 0; c < 3; ++c) {
                shift[c] += rows[c * count + f] * pose->features[f];
            }
        }
    }
    lmbi_m3_point(blend, shift, moved);
    for (int c = 0; c < 3; ++c) {
        out[c] = (double)at[c] - pose->translation[c] - moved[c];
    }
}

/// Adds a^T b to sum.
static void add_transposed(double *sum, const double a[9], const double b[9], double weight)
{
    double product[9];
    lmbi_m3_transpose_mul(a, b, product);
    for (int k = 0; k < 9; ++k) {
        sum[k] += weight * product[k];
    }
}

static double *block_at(const problem *q, uint32_t row, uint32_t column)
{
    return q->s->square + 9 * ((size_t)row * q->p->body.joint_count + column);
}

/// Sums of a vertex over the scans: its own equations, and those of the joints that move it.
static void sum_vertex(const problem *q, uint32_t vertex, uint32_t count, double own[9])
{
    const lmbi_scan_body *body = &q->p->body;
    person_solver *s = q->s;
    double *goal = s->goal + 3 * (size_t)vertex;
    memset(own, 0, 9 * sizeof *own);
    for (size_t c = 0; c < 3; ++c) {
        own[4 * c] = q->pull;
        goal[c] = q->pull * s->space_rest[3 * (size_t)vertex + c];
    }
    memset(s->cross, 0, 9 * (size_t)body->joint_count * sizeof(double));
    for (uint32_t f = q->begin; f < q->end; ++f) {
        double blend[9], at[3], part[3];
        blend_of(body, &q->p->poses[f], vertex, blend);
        goal_of(q, f, vertex, blend, at);
        add_transposed(own, blend, blend, 1);
        lmbi_m3_transpose_point(blend, at, part);
        for (int c = 0; c < 3; ++c) {
            goal[c] += part[c];
        }
        for (uint32_t a = 0; a < count; ++a) {
            const uint32_t j = s->touched[a];
            double effect[9];
            joint_effect(body, &q->p->poses[f], j, effect);
            add_transposed(s->cross + 9 * (size_t)j, blend, effect, s->below[j]);
            lmbi_m3_transpose_point(effect, at, part);
            for (size_t c = 0; c < 3; ++c) {
                s->right[3 * (size_t)j + c] += s->below[j] * part[c];
            }
        }
    }
}

/// Takes the vertex out of the joints' equations (Schur complement).
static void eliminate_vertex(const problem *q, uint32_t vertex, uint32_t count)
{
    person_solver *s = q->s;
    const double *inverse = s->inverse + 9 * (size_t)vertex;
    for (uint32_t a = 0; a < count; ++a) {
        const double *left = s->cross + 9 * (size_t)s->touched[a];
        double solved[9], part[3], at[3];
        lmbi_m3_point(inverse, s->goal + 3 * (size_t)vertex, at);
        lmbi_m3_transpose_point(left, at, part);
        for (size_t c = 0; c < 3; ++c) {
            s->right[3 * (size_t)s->touched[a] + c] -= part[c];
        }
        for (uint32_t b = 0; b < count; ++b) {
            lmbi_m3_mul(inverse, s->cross + 9 * (size_t)s->touched[b], solved);
            add_transposed(block_at(q, s->touched[a], s->touched[b]), left, solved, -1);
        }
    }
}

/// Products of the joints' own terms: sums over vertices of weights, times sums over scans of effects.
static void add_joint_products(const problem *q, const double *products)
{
    const lmbi_scan_body *body = &q->p->body;
    const uint32_t joints = body->joint_count;
    for (uint32_t f = q->begin; f < q->end; ++f) {
        for (uint32_t a = 0; a < joints; ++a) {
            double left[9], right[9];
            joint_effect(body, &q->p->poses[f], a, left);
            for (uint32_t b = 0; b < joints; ++b) {
                const double w = products[(size_t)a * joints + b];
                if (w > 0) {
                    joint_effect(body, &q->p->poses[f], b, right);
                    add_transposed(block_at(q, a, b), left, right, w);
                }
            }
        }
    }
}

static void pull_joints(const problem *q, const double *products)
{
    const uint32_t joints = q->p->body.joint_count;
    for (uint32_t j = 0; j < joints; ++j) {
        const double weight = JOINT_PULL * (1 + products[(size_t)j * joints + j]);
        for (size_t c = 0; c < 3; ++c) {
            block_at(q, j, j)[4 * c] += weight;
            q->s->right[3 * (size_t)j + c] += weight * q->s->space_joints[3 * (size_t)j + c];
        }
    }
}

/// From blocks of 3x3 to rows, then solved; the joints come out in `right`.
static bool solve_joints(const problem *q, double *rows)
{
    const size_t joints = q->p->body.joint_count, size = 3 * joints;
    for (size_t a = 0; a < joints; ++a) {
        for (size_t b = 0; b < joints; ++b) {
            const double *block = block_at(q, (uint32_t)a, (uint32_t)b);
            for (size_t k = 0; k < 9; ++k) {
                rows[(3 * a + k / 3) * size + 3 * b + k % 3] = block[k];
            }
        }
    }
    return lmbi_dense_solve(rows, (uint32_t)size, q->s->right, 1, NULL) == LMB_OK;
}

/// Rest positions that go with the joints.
static void place_vertices(const problem *q, double *rest)
{
    const lmbi_scan_body *body = &q->p->body;
    person_solver *s = q->s;
    for (uint32_t v = 0; v < body->vertex_count; ++v) {
        const uint32_t count = find_joints(q, v);
        double goal[3];
        memcpy(goal, s->goal + 3 * (size_t)v, sizeof goal);
        for (uint32_t f = q->begin; f < q->end; ++f) {
            double blend[9], effect[9], moved[3], part[3], sum[3] = {0, 0, 0};
            for (uint32_t a = 0; a < count; ++a) {
                const uint32_t j = s->touched[a];
                joint_effect(body, &q->p->poses[f], j, effect);
                lmbi_m3_point(effect, s->right + 3 * (size_t)j, moved);
                for (int c = 0; c < 3; ++c) {
                    sum[c] += s->below[j] * moved[c];
                }
            }
            blend_of(body, &q->p->poses[f], v, blend);
            lmbi_m3_transpose_point(blend, sum, part);
            for (int c = 0; c < 3; ++c) {
                goal[c] -= part[c];
            }
        }
        lmbi_m3_point(s->inverse + 9 * (size_t)v, goal, rest + 3 * (size_t)v);
        for (uint32_t a = 0; a < count; ++a) {
            s->below[s->touched[a]] = 0;
        }
    }
}

bool lmbi_person_solve(struct lmbi_person_solver *solver, lmbi_population *p, uint32_t person,
                       double pull)
{
    const uint32_t joints = p->body.joint_count;
    const problem q = {.s = solver,
                       .p = p,
                       .begin = p->first_scan[person],
                       .end = p->first_scan[person + 1],
                       .pull = pull};
    double *products = solver->products;
    memset(solver->square, 0, 9 * (size_t)joints * joints * sizeof(double));
    memset(solver->right, 0, 3 * (size_t)joints * sizeof(double));
    memset(products, 0, (size_t)joints * joints * sizeof(double));
    lmbi_population_in_space(p, person, solver->space_rest, solver->space_joints);
    for (uint32_t v = 0; v < p->body.vertex_count; ++v) {
        const uint32_t count = find_joints(&q, v);
        double own[9];
        sum_vertex(&q, v, count, own);
        lmbi_m3_invert(own, solver->inverse + 9 * (size_t)v);
        eliminate_vertex(&q, v, count);
        for (uint32_t a = 0; a < count; ++a) {
            for (uint32_t b = 0; b < count; ++b) {
                products[(size_t)solver->touched[a] * joints + solver->touched[b]] +=
                    solver->below[solver->touched[a]] * solver->below[solver->touched[b]];
            }
        }
        for (uint32_t a = 0; a < count; ++a) {
            solver->below[solver->touched[a]] = 0;
        }
    }
    add_joint_products(&q, products);
    pull_joints(&q, products);
    if (!solve_joints(&q, solver->rows)) {
        return false;
    }
    memcpy(lmbi_population_joints(p, person), solver->right, 3 * (size_t)joints * sizeof(double));
    place_vertices(&q, lmbi_population_rest(p, person));
    return true;
}
