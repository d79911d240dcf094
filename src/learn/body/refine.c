/// Steps of a population's refinement: Gauss and Newton's equations by preconditioned conjugate gradients (Hestenes and
/// Stiefel 1952), as far as the cost itself falls. Rest poses that persons could share with their poses make long, bent
/// valleys: a step goes along one, two short ones from there go back to its floor.
#include "learn/body/refine.h"

#include <math.h>
#include <string.h>

#include "learn/body/matrix.h"
#include "learn/cholesky.h"

enum {
    FIRST_STEPS = 40,
    MOST_STEPS = 200,
    CORRECTIONS = 2,
    CORRECTION_STEPS = 8,
};
/// Conjugate gradients end when the preconditioned residual is this fraction of the first.
static const double ENOUGH = 1e-3;
/// As POSE_COST of learning, of which too much would hide what the skin between joints tells.
static const double POSE_COST = 2e-10;

// ---- memory

static void lay_out(lmbi_refinement *r)
{
    const lmbi_population *p = r->p;
    const size_t joints = p->body.joint_count, n = p->body.vertex_count;
    r->pose_size = 3 * joints + 3;
    r->shape_count = p->direction_count;
    r->feature_count = p->body.feature_count;
    r->space = 1 + r->shape_count;
    r->basis = r->space + r->feature_count;
    r->room = p->opts.keep_weights ? 0 : p->body.row_first[1];
    r->coefficients = p->scan_count * r->pose_size;
    r->joints = r->coefficients + p->person_count * r->shape_count;
    r->vertices = r->joints + 3 * r->space * joints;
    r->weights = r->vertices + 3 * n * r->basis;
    r->size = r->weights + n * r->room;
}

/// Of all that copy_state keeps.
static size_t state_size(const lmbi_refinement *r)
{
    const lmbi_population *p = r->p;
    return p->scan_count * (9 * (size_t)p->body.joint_count + 3) +
           (size_t)p->person_count * p->most_directions + (r->size - r->joints);
}

static bool make_room(lmbi_refinement *r, lmbi_arena *arena)
{
    const lmbi_population *p = r->p;
    const size_t joints = p->body.joint_count, n = p->body.vertex_count, scans = p->scan_count,
                 basis = r->basis, room = r->room;
    const struct {
        void *to;
        size_t count, size;
    } blocks[] = {
        {&r->costs, r->groups.most * basis, sizeof(double)},
        {&r->first_weights, n, room * sizeof(double)},
        {&r->rows, scans * basis, sizeof(double)},
        {&r->rests, scans * n, 3 * sizeof(double)},
        {&r->fields, scans * n, 3 * sizeof(double)},
        {&r->forces, scans * n, 3 * sizeof(double)},
        {&r->moves, scans * joints, sizeof *r->moves},
        {&r->turns, scans, r->feature_count * sizeof(double)},
        {&r->coefficient_pulls, scans, r->shape_count * sizeof(double)},
        {&r->pose_factors, scans * r->pose_size, r->pose_size * sizeof(double)},
        {&r->joint_scales, joints * r->space, sizeof(double)},
        {&r->column_factors, r->groups.most * basis, basis * sizeof(double)},
        {&r->weight_factors, n, room * room * sizeof(double)},
        {&r->vectors[0], r->size, sizeof(double)},
        {&r->vectors[1], r->size, sizeof(double)},
        {&r->vectors[2], r->size, sizeof(double)},
        {&r->vectors[3], r->size, sizeof(double)},
        {&r->vectors[4], r->size, sizeof(double)},
        {&r->kept, state_size(r), sizeof(double)},
    };
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) {
        void *made = lmbi_arena_array(arena, blocks[k].count, blocks[k].size);
        if (made == NULL) {
            return false;
        }
        memcpy(blocks[k].to, &made, sizeof made);
    }
    return true;
}

bool lmbi_refinement_init(lmbi_refinement *r, lmbi_population *p, lmbi_arena *arena)
{
    *r = (lmbi_refinement){.p = p, .gradient_steps = FIRST_STEPS};
    lay_out(r);
    r->pose_cost = POSE_COST * p->height * p->height * p->body.vertex_count;
    r->weight_cost = LMBI_POPULATION_WEIGHT_PULL * p->height * p->height * p->scan_count;
    return lmbi_corrective_groups_init(&r->groups, p, arena) && make_room(r, arena);
}

// ---- the state

/// What weights are drawn to, and what correctives cost: joints of rows change between steps.
static void find_priors(lmbi_refinement *r)
{
    const lmbi_population *p = r->p;
    const lmb_influences *first = &p->def->influences;
    for (size_t k = 0; k < p->body.vertex_count * r->room; ++k) {
        const size_t v = k / r->room;
        r->first_weights[k] = 0;
        for (uint32_t i = first->first[v]; i < first->first[v + 1]; ++i) {
            r->first_weights[k] +=
                first->items[i].joint == p->row_joints[k] ? (double)first->items[i].weight : 0;
        }
    }
    lmbi_corrective_groups_find(&r->groups, p);
    lmbi_population_corrective_costs(p, &r->groups, r->basis, r->costs + r->space);
}

static void measure_scans(void *context, size_t begin, size_t end)
{
    const lmbi_refinement *r = context;
    lmbi_population *p = r->p;
    const size_t n = p->body.vertex_count;
    for (size_t f = begin; f < end; ++f) {
        const uint32_t person = p->person_of[f];
        const double *joints = lmbi_population_joints(p, person);
        double *row = r->rows + f * r->basis;
        lmbi_scan_pose_update(&p->body, joints, &p->poses[f]);
        row[0] = 1;
        memcpy(row + 1, p->coefficients + (size_t)person * p->most_directions,
               r->shape_count * sizeof *row);
        memcpy(row + r->space, p->poses[f].features, r->feature_count * sizeof *row);
        for (uint32_t v = 0; v < n; ++v) {
            double *rest = r->rests + 3 * (f * n + v), *off = r->fields + 3 * (f * n + v);
            const lmbi_scan_blend b = lmbi_scan_vertex_blend(&p->body, joints, &p->poses[f], v);
            const float *goal = &lmbi_population_scan(p, (uint32_t)f)[v].x;
            double moved[3];
            lmbi_scan_vertex_rest(&p->body, lmbi_population_rest(p, person), &p->poses[f], v, rest);
            lmbi_m3_point(b.blend, rest, moved);
            for (int c = 0; c < 3; ++c) {
                off[c] = (double)goal[c] - moved[c] - b.offset[c];
            }
        }
    }
}

static double prior_cost(const lmbi_refinement *r)
{
    const lmbi_population *p = r->p;
    double sum = 0;
    for (size_t f = 0; f < p->scan_count; ++f) {
        for (size_t j = 1; j < p->body.joint_count; ++j) {
            double half[3];
            lmbi_scan_half_angle(p->poses[f].rotations + 9 * j, half);
            sum += r->pose_cost * lmbi_row_dot(half, half, 3);
        }
    }
    for (size_t k = 0; k < p->body.vertex_count * r->room; ++k) {
        const double off = p->row_weights[k] - r->first_weights[k];
        sum += r->weight_cost * off * off;
    }
    for (size_t v = 0; v < p->body.vertex_count; ++v) {
        const double *costs = r->costs + r->groups.of[v] * r->basis + r->space;
        for (size_t k = 0; k < 3 * r->feature_count; ++k) {
            const double x = p->correctives[3 * v * r->feature_count + k];
            sum += costs[k % r->feature_count] * x * x;
        }
    }
    return sum;
}

double lmbi_refinement_measure(lmbi_refinement *r)
{
    const lmbi_population *p = r->p;
    lmb_parallel_for(p->opts.jobs, p->scan_count, 1, measure_scans, r);
    return prior_cost(r) +
           lmbi_row_dot(r->fields, r->fields, 3 * (size_t)p->scan_count * p->body.vertex_count);
}

static double *copy_part(double *part, size_t count, double *kept, bool back)
{
    memcpy(back ? part : kept, back ? kept : part, count * sizeof *part);
    return kept + count;
}

static void place_persons(lmbi_population *p)
{
    for (uint32_t person = 0; person < p->person_count; ++person) {
        lmbi_population_in_space(p, person, lmbi_population_rest(p, person),
                                 lmbi_population_joints(p, person));
    }
}

static void copy_state(lmbi_refinement *r, bool back)
{
    lmbi_population *p = r->p;
    const size_t joints = 3 * (size_t)p->body.joint_count, n = 3 * (size_t)p->body.vertex_count;
    double *at = r->kept;
    for (size_t f = 0; f < p->scan_count; ++f) {
        at = copy_part(p->poses[f].rotations, 3 * joints, at, back);
        at = copy_part(p->poses[f].translation, 3, at, back);
    }
    at = copy_part(p->coefficients, (size_t)p->person_count * p->most_directions, at, back);
    at = copy_part(p->mean_joints, joints, at, back);
    at = copy_part(p->joint_directions, joints * r->shape_count, at, back);
    at = copy_part(p->mean, n, at, back);
    at = copy_part(p->directions, n * r->shape_count, at, back);
    at = copy_part(p->correctives, n * r->feature_count, at, back);
    (void)copy_part(p->row_weights, n / 3 * r->room, at, back);
    place_persons(p);
}

// ---- a step

static void add_poses(lmbi_refinement *r, const double *u)
{
    lmbi_population *p = r->p;
    for (size_t f = 0; f < p->scan_count; ++f) {
        const double *step = u + f * r->pose_size;
        lmbi_scan_pose_rotate(&p->body, step, &p->poses[f]);
        lmbi_row_add(p->poses[f].translation, 1, step + r->pose_size - 3, 3);
    }
}

static void add_shapes(lmbi_refinement *r, const double *u)
{
    lmbi_population *p = r->p;
    const size_t joints = 3 * (size_t)p->body.joint_count, n = 3 * (size_t)p->body.vertex_count;
    for (size_t person = 0; person < p->person_count; ++person) {
        lmbi_row_add(p->coefficients + person * p->most_directions, 1,
                     u + r->coefficients + person * r->shape_count, r->shape_count);
    }
    lmbi_row_add(p->mean_joints, 1, u + r->joints, joints);
    lmbi_row_add(p->joint_directions, 1, u + r->joints + joints, joints * r->shape_count);
    for (size_t k = 0; k < n; ++k) {
        const double *columns = u + r->vertices + k * r->basis;
        p->mean[k] += columns[0];
        for (size_t i = 0; i < r->shape_count; ++i) {
            p->directions[i * n + k] += columns[1 + i];
        }
        lmbi_row_add(p->correctives + k * r->feature_count, 1, columns + r->space,
                     r->feature_count);
    }
    place_persons(p);
}

/// Weights end at 0.
static void add_weights(lmbi_refinement *r, const double *u)
{
    for (size_t v = 0; r->room > 0 && v < r->p->body.vertex_count; ++v) {
        double *row = r->p->row_weights + v * r->room, sum = 0;
        for (size_t k = 0; k < r->room; ++k) {
            row[k] = fmax(row[k] + u[r->weights + v * r->room + k], 0);
            sum += row[k];
        }
        for (size_t k = 0; k < r->room; ++k) {
            row[k] /= sum;
        }
    }
}

/// The residuals are those of the state. Vectors: the step, the equations' residual, it preconditioned, the direction, its
/// product.
static void find_step(lmbi_refinement *r, uint32_t most)
{
    double *const *w = r->vectors;
    lmbi_refinement_descent(r, w[1]);
    lmbi_refinement_precondition(r, w[1], w[2]);
    memset(w[0], 0, r->size * sizeof(double));
    memcpy(w[3], w[2], r->size * sizeof(double));
    double now = lmbi_row_dot(w[1], w[2], r->size);
    const double first = now;
    for (uint32_t k = 0; k < most && now > ENOUGH * ENOUGH * first; ++k) {
        lmbi_refinement_multiply(r, w[3], w[4]);
        const double bend = lmbi_row_dot(w[3], w[4], r->size), before = now;
        if (!(bend > 0)) {
            return;
        }
        lmbi_row_add(w[0], now / bend, w[3], r->size);
        lmbi_row_add(w[1], -now / bend, w[4], r->size);
        lmbi_refinement_precondition(r, w[1], w[2]);
        now = lmbi_row_dot(w[1], w[2], r->size);
        for (size_t i = 0; i < r->size; ++i) {
            w[3][i] = w[2][i] + now / before * w[3][i];
        }
    }
}

static double go(lmbi_refinement *r, uint32_t steps)
{
    find_step(r, steps);
    add_poses(r, r->vectors[0]);
    add_shapes(r, r->vectors[0]);
    add_weights(r, r->vectors[0]);
    return lmbi_refinement_measure(r);
}

bool lmbi_refinement_step(lmbi_refinement *r)
{
    lay_out(r); // directions may have become fewer
    find_priors(r);
    const double before = lmbi_refinement_measure(r);
    lmbi_refinement_condition(r);
    copy_state(r, false);
    double after = go(r, r->gradient_steps);
    for (int k = 0; k < CORRECTIONS; ++k) {
        after = go(r, CORRECTION_STEPS);
    }
    if (!(after < before)) {
        copy_state(r, true);
        (void)lmbi_refinement_measure(r);
        r->gradient_steps /= 4;
        return false;
    }
    const uint32_t more = r->gradient_steps + r->gradient_steps / 2;
    r->gradient_steps = more < MOST_STEPS ? more : MOST_STEPS;
    return true;
}
