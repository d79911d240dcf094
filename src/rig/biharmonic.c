/// Bounded biharmonic weights by ADMM (Boyd, Parikh, Chu, Peleato, Eckstein 2011). All handles
/// share one factor. A few iterations give each handle's support; handles with disjoint supports
/// are then solved together as one right-hand side, with a second factor.
#include "rig/biharmonic.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "rig/biharmonic_energy.h"

/// Right-hand sides per solve: as many as the factor processes side by side.
#define BATCH 8
/// Over-relaxation (Boyd et al., section 3.4.3).
static const double OVER_RELAXATION = 1.8;
/// ADMM penalty, relative to the stiffness of a field that bends once over a handle's region. The
/// first is low, so that weights spread fast; HARDER makes them converge.
static const double FIRST_PENALTY = 0.6, LATER_PENALTY = 6.0;
enum { FIRST_ROUNDS = 15 };

typedef struct solver {
    const lmbi_biharmonic *problem;
    const lmb_allocator *alloc;
    lmbi_arena arena;
    uint8_t *constrained; ///< [size] 1 for constrained nodes, 2 for those that no handle reaches
    lmbi_energy energy;
    lmbi_groups groups;
    double penalty;
    lmbi_sparse system; ///< sparsity pattern of the energy
    lmbi_factor *factor;
    double *x, *z, *u, *load;     ///< [BATCH][free_count]
    double *field, *bent, *force; ///< [size]
    uint32_t *label, *queue;      ///< [free_count]
    float *weights, *pull;        ///< [handle_count][free_count] z and u after the first rounds
    float *out;
    lmbi_biharmonic_report report;
} solver;

static double scaled_mass(const solver *s, uint32_t i)
{
    return s->penalty * s->problem->masses[s->energy.node_of[i]];
}

static lmb_result factor_system(solver *s, double penalty, lmb_error *error)
{
    const lmbi_energy *e = &s->energy;
    s->penalty = penalty;
    memcpy(s->system.values, e->matrix.values,
           e->matrix.first[e->free_count] * sizeof *s->system.values);
    for (uint32_t i = 0; i < e->free_count; ++i) {
        s->system.values[s->system.first[i]] += scaled_mass(s, i);
    }
    lmbi_factor_destroy(s->factor);
    s->factor = NULL;
    const lmb_result result = lmbi_factor_create(&s->system, NULL, s->alloc, &s->factor, error);
    s->report.entry_count = result == LMB_OK ? lmbi_factor_entry_count(s->factor) : 0;
    return result;
}

// ---------------------------------------------------------------------------------------- rounds

/// Sums over a batch: of |x - z|, and of the change of z in this iteration.
typedef struct residuals {
    double off, moved;
} residuals;

static residuals project_and_update_duals(solver *s, uint32_t sides)
{
    const size_t all = (size_t)s->energy.free_count * sides;
    residuals r = {0, 0};
    for (size_t k = 0; k < all; ++k) {
        const double x = s->x[k],
                     to = OVER_RELAXATION * x + (1 - OVER_RELAXATION) * s->z[k] + s->u[k];
        const double z = to < 0 ? 0 : to > 1 ? 1 : to;
        r.off += fabs(x - z);
        r.moved += fabs(z - s->z[k]);
        s->u[k] = to - z;
        s->z[k] = z;
    }
    return r;
}

static lmb_result solve_round(solver *s, uint32_t sides, lmb_error *error)
{
    const size_t n = s->energy.free_count;
    for (uint32_t i = 0; i < n; ++i) {
        const double mass = scaled_mass(s, i);
        for (uint32_t c = 0; c < sides; ++c) {
            const size_t k = c * n + i;
            s->x[k] = s->load[k] + mass * (s->z[k] - s->u[k]);
        }
    }
    return lmbi_factor_solve(s->factor, s->x, sides, s->problem->jobs, error);
}

/// Iterates until the residuals are small. The tolerance is scaled to the batch's part of all
/// right-hand sides.
static lmb_result run_rounds(solver *s, uint32_t sides, uint32_t most, double tolerance,
                             lmb_error *error)
{
    const uint32_t all = s->groups.count ? s->groups.count : s->problem->handle_count;
    const double enough = tolerance * s->energy.free_count * sides / all;
    uint32_t round = 0;
    for (bool done = false; round < most && !done; ++round) {
        const lmb_result result = solve_round(s, sides, error);
        if (result != LMB_OK) {
            return result;
        }
        const residuals r = project_and_update_duals(s, sides);
        done = r.off + r.moved < enough;
    }
    s->report.rounds = round > s->report.rounds ? round : s->report.rounds;
    return LMB_OK;
}

/// Right-hand side for the free nodes from the constrained values in `field`.
static void load_field(solver *s, double *load)
{
    lmbi_energy_force(&s->energy, s->field, s->bent, s->force);
    for (uint32_t i = 0; i < s->energy.free_count; ++i) {
        load[i] = -s->force[s->energy.node_of[i]];
    }
}

static bool report_progress(const solver *s, float fraction)
{
    const lmb_progress *p = s->problem->progress;
    return !p || !p->report || p->report(p->user, "biharmonic weights", fraction);
}

static lmb_result cancelled(lmb_error *error)
{
    return lmbi_fail(error, LMB_ERROR_CANCELLED, "to go on", "cancelled by the caller");
}

// ------------------------------------------------------------------------ first, handle by handle

static lmb_result estimate_batch(solver *s, uint32_t begin, uint32_t sides, lmb_error *error)
{
    const size_t n = s->energy.free_count, all = n * sides;
    memset(s->z, 0, all * sizeof *s->z);
    memset(s->u, 0, all * sizeof *s->u);
    for (uint32_t c = 0; c < sides; ++c) {
        memset(s->field, 0, s->energy.size * sizeof *s->field);
        for (uint32_t h = 0; h < s->problem->constraint_count; ++h) {
            const lmbi_biharmonic_constraint *constraint = &s->problem->constraints[h];
            s->field[constraint->node] +=
                constraint->handle == begin + c ? constraint->weight : 0.0;
        }
        load_field(s, s->load + c * n);
    }
    const lmb_result result = run_rounds(s, sides, FIRST_ROUNDS, 0, error);
    for (size_t k = 0; k < all; ++k) {
        s->weights[begin * n + k] = (float)s->z[k];
        s->pull[begin * n + k] = (float)s->u[k];
    }
    return result;
}

static lmb_result estimate_weights(solver *s, lmb_error *error)
{
    const uint32_t count = s->problem->handle_count;
    lmb_result result = LMB_OK;
    for (uint32_t h = 0; result == LMB_OK && h < count; h += BATCH) {
        result = report_progress(s, 0.5f * (float)h / (float)count)
                     ? estimate_batch(s, h, count - h < BATCH ? count - h : BATCH, error)
                     : cancelled(error);
    }
    return result;
}

// -------------------------------------------------------------------------- then, group by group

/// Starts a group from its handles' state after the first iterations. `pull` is the scaled dual
/// variable.
static void merge_group(solver *s, uint32_t group, double *z, double *u, double *load)
{
    const size_t n = s->energy.free_count;
    memset(z, 0, n * sizeof *z);
    memset(u, 0, n * sizeof *u);
    memset(s->field, 0, s->energy.size * sizeof *s->field);
    for (uint32_t h = 0; h < s->problem->handle_count; ++h) {
        for (size_t i = 0; s->groups.group_of[h] == group && i < n; ++i) {
            if (s->groups.domains[h * n + i]) {
                z[i] = (double)s->weights[h * n + i];
                u[i] = (double)s->pull[h * n + i] / LATER_PENALTY;
            }
        }
    }
    for (uint32_t h = 0; h < s->problem->constraint_count; ++h) {
        const lmbi_biharmonic_constraint *constraint = &s->problem->constraints[h];
        s->field[constraint->node] +=
            s->groups.group_of[constraint->handle] == group ? constraint->weight : 0.0;
    }
    load_field(s, load);
}

/// Splits a group's solution among its handles: a node outside every domain goes to the nearest
/// one.
static void split_group(solver *s, uint32_t group, const double *z)
{
    const lmbi_energy *e = &s->energy;
    const uint32_t handles = s->problem->handle_count;
    lmbi_groups_label(&s->groups, e, handles, group, s->label, s->queue);
    for (uint32_t i = 0; i < e->free_count; ++i) {
        if (s->label[i] != UINT32_MAX) {
            s->out[(size_t)e->node_of[i] * handles + s->label[i]] = (float)z[i];
        }
    }
}

static lmb_result solve_group_batch(solver *s, uint32_t begin, uint32_t sides, lmb_error *error)
{
    const size_t n = s->energy.free_count;
    const double tolerance = s->problem->tolerance > 0 ? s->problem->tolerance : 3e-4;
    for (uint32_t c = 0; c < sides; ++c) {
        merge_group(s, begin + c, s->z + c * n, s->u + c * n, s->load + c * n);
    }
    const lmb_result result = run_rounds(
        s, sides, s->problem->most_rounds ? s->problem->most_rounds : 200, tolerance, error);
    for (uint32_t c = 0; c < sides; ++c) {
        split_group(s, begin + c, s->z + c * n);
    }
    return result;
}

static lmb_result solve_groups(solver *s, lmb_error *error)
{
    lmb_result result = lmbi_groups_create(&s->energy, s->weights, s->problem->handle_count,
                                           s->problem->ungrouped, &s->arena, &s->groups, error);
    const uint32_t count = s->report.group_count = s->groups.count;
    if (result == LMB_OK) {
        result = factor_system(s, LATER_PENALTY * s->penalty, error);
    }
    for (uint32_t g = 0; result == LMB_OK && g < count; g += BATCH) {
        result = report_progress(s, 0.5f + 0.5f * (float)g / (float)count)
                     ? solve_group_batch(s, g, count - g < BATCH ? count - g : BATCH, error)
                     : cancelled(error);
    }
    return result;
}

// ----------------------------------------------------------------------------------------- set up

/// Marks the nodes connected to constrained ones, sweeping the lower triangle forward and backward
/// until nothing changes. Two sweeps are enough for most lattices.
static void mark_reached(const lmbi_sparse *m, uint8_t *reached)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int sweep = 0; sweep < 2; ++sweep) {
            for (uint32_t c = 0; c < m->size; ++c) {
                const uint32_t j = sweep ? m->size - 1 - c : c;
                for (uint32_t k = m->first[j] + 1; k < m->first[j + 1]; ++k) {
                    const uint32_t i = m->rows[k];
                    if (reached[i] != reached[j]) {
                        reached[i] = reached[j] = 1;
                        changed = true;
                    }
                }
            }
        }
    }
}

static bool mark_constraints(solver *s)
{
    const lmbi_biharmonic *p = s->problem;
    const uint32_t n = p->laplacian->size;
    uint8_t *reached = lmbi_arena_array(&s->arena, n, 1);
    s->constrained = lmbi_arena_array(&s->arena, n, 1);
    if (!reached || !s->constrained) {
        return false;
    }
    for (uint32_t h = 0; h < p->constraint_count; ++h) {
        const lmbi_biharmonic_constraint *constraint = &p->constraints[h];
        reached[constraint->node] = s->constrained[constraint->node] = 1;
        s->out[(size_t)constraint->node * p->handle_count + constraint->handle] +=
            (float)constraint->weight;
    }
    mark_reached(p->laplacian, reached);
    for (uint32_t i = 0; i < n; ++i) {
        s->constrained[i] = reached[i] ? s->constrained[i] : 2;
    }
    return true;
}

/// Stiffness over mass of a field that bends once over a handle's region: the mean of L / M is an
/// inverse square length, and the cube root of the nodes per handle is the region's width in that
/// length.
static double first_penalty(const solver *s)
{
    const lmbi_sparse *m = s->problem->laplacian;
    double sum = 0;
    for (uint32_t i = 0; i < s->energy.free_count; ++i) {
        const uint32_t node = s->energy.node_of[i];
        sum += m->values[m->first[node]] / s->problem->masses[node];
    }
    const double inverse_square = sum / (6.0 * s->energy.free_count);
    double wide = 1; // the cube root, rounded down
    while ((wide + 1) * (wide + 1) * (wide + 1) * s->problem->handle_count <=
           (double)s->energy.free_count) {
        wide += 1;
    }
    const double per_room = inverse_square / (wide * wide);
    return FIRST_PENALTY * per_room * per_room;
}

static bool make_room(solver *s)
{
    const size_t n = s->energy.free_count, size = s->energy.size, all = s->problem->handle_count;
    double **sides[] = {&s->x, &s->z, &s->u, &s->load},
           **fields[] = {&s->field, &s->bent, &s->force};
    for (size_t k = 0; k < sizeof sides / sizeof *sides; ++k) {
        *sides[k] = lmbi_arena_array(&s->arena, n, BATCH * sizeof(double));
    }
    for (size_t k = 0; k < sizeof fields / sizeof *fields; ++k) {
        *fields[k] = lmbi_arena_array(&s->arena, size, sizeof(double));
    }
    s->system = s->energy.matrix;
    s->system.values = lmbi_arena_array(&s->arena, s->system.first[n], sizeof(double));
    s->label = lmbi_arena_array(&s->arena, n, sizeof *s->label);
    s->queue = lmbi_arena_array(&s->arena, n, sizeof *s->queue);
    s->weights = lmbi_arena_array(&s->arena, n, all * sizeof *s->weights);
    s->pull = lmbi_arena_array(&s->arena, n, all * sizeof *s->pull);
    return s->x && s->z && s->u && s->load && s->field && s->bent && s->force && s->system.values &&
           s->label && s->queue && s->weights && s->pull;
}

static lmb_result solve_problem(solver *s, lmb_error *error)
{
    lmb_result result = mark_constraints(s) ? lmbi_energy_create(s->problem, s->constrained,
                                                                 &s->arena, &s->energy, error)
                                            : lmbi_fail_memory(error);
    if (result != LMB_OK || s->energy.free_count == 0) {
        return result;
    }
    result = make_room(s) ? factor_system(s, first_penalty(s), error) : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        result = estimate_weights(s, error);
    }
    return result == LMB_OK ? solve_groups(s, error) : result;
}

lmb_result lmbi_biharmonic_solve(const lmbi_biharmonic *problem, const lmb_allocator *alloc,
                                 float *out, lmbi_biharmonic_report *report, lmb_error *error)
{
    solver s = {.problem = problem, .alloc = alloc, .out = out};
    lmbi_arena_init(&s.arena, alloc);
    memset(out, 0, (size_t)problem->laplacian->size * problem->handle_count * sizeof *out);
    const lmb_result result = solve_problem(&s, error);
    lmbi_factor_destroy(s.factor);
    lmbi_arena_free(&s.arena);
    if (result == LMB_OK && report) {
        *report = s.report;
    }
    return result;
}
