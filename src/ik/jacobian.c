/// The Jacobian family with J formed: transpose, pseudo-inverse, selectively damped. Slower than
/// damped.c; for comparison, and where these steps are wanted.
#include "ik/chain.h"

#include <string.h>

uint32_t lmbi_jacobian_columns(const lmbi_ik_chain *chain)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        const lmbi_link *link = &chain->links[k];
        count += link->rotates ? (lmbi_is_hinge(link) ? 1u : 3u) : 0u;
        count += (link->slides & 1u) + (link->slides >> 1 & 1u) + (link->slides >> 2 & 1u);
    }
    return count;
}

uint32_t lmbi_jacobian_rows(const lmbi_ik_chain *chain)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        count += (chain->ends[e].weight > 0.0f ? 3u : 0u) +
                 (chain->ends[e].turn_weight > 0.0f ? 3u : 0u);
    }
    return count;
}

/// Model-space axis that column `i` of a link rotates about or slides along. False when the link
/// has no such column.
static bool column_axis(const lmbi_ik_chain *chain, uint32_t k, uint32_t i, lmb_vec3 *axis,
                        bool *slides)
{
    const lmbi_link *link = &chain->links[k];
    const lmb_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    *slides = i >= 3;
    if (i >= 3) {
        const lmb_quat frame =
            lmbi_quat_mul(lmbi_parent_rotation(chain, chain->now, k), link->rest.rotation);
        *axis = lmbi_quat_rotate(frame, axes[i - 3]);
        return link->slides >> (i - 3) & 1;
    }
    *axis = lmbi_is_hinge(link) ? lmbi_hinge_axis(chain, chain->now, k) : axes[i];
    return link->rotates && (i == 0 || !lmbi_is_hinge(link));
}

static void store_vec3(double *cell, size_t stride, lmb_vec3 v)
{
    cell[0] = (double)v.x;
    cell[stride] = (double)v.y;
    cell[2 * stride] = (double)v.z;
}

static void fill_column(const lmbi_ik_chain *chain, uint32_t k, lmb_vec3 axis, bool slides,
                        double *column, size_t stride)
{
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        const lmbi_end *end = &chain->ends[e];
        const bool is_below = chain->links[k].ends >> e & 1;
        const lmb_vec3 arm = lmb_vec3_sub(chain->errors[e].position, chain->now[k].position);
        if (end->weight > 0.0f) {
            const lmb_vec3 v = slides ? axis : lmb_vec3_cross(axis, arm);
            store_vec3(column, stride, lmb_vec3_scale(v, is_below ? end->weight : 0.0f));
            column += 3 * stride;
        }
        if (end->turn_weight > 0.0f) {
            store_vec3(column, stride,
                       lmb_vec3_scale(axis, is_below && !slides ? end->turn_weight : 0.0f));
            column += 3 * stride;
        }
    }
}

void lmbi_jacobian_fill(const lmbi_ik_chain *chain, double *jacobian, double *error)
{
    const size_t columns = lmbi_jacobian_columns(chain);
    size_t at = 0;
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        for (uint32_t i = 0; i < 6; ++i) {
            lmb_vec3 axis;
            bool slides;
            if (column_axis(chain, k, i, &axis, &slides)) {
                fill_column(chain, k, axis, slides, jacobian + at++, columns);
            }
        }
    }
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        const lmbi_end *end = &chain->ends[e];
        if (end->weight > 0.0f) {
            store_vec3(error, 1, lmb_vec3_scale(chain->errors[e].to_target, end->weight));
            error += 3;
        }
        if (end->turn_weight > 0.0f) {
            store_vec3(error, 1, lmb_vec3_scale(chain->errors[e].rotation, end->turn_weight));
            error += 3;
        }
    }
}

void lmbi_jacobian_apply(const lmbi_ik_chain *chain, const double *step)
{
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        chain->rotations[k] = chain->moves[k] = lmb_vec3_make(0, 0, 0);
        for (uint32_t i = 0; i < 6; ++i) {
            lmb_vec3 axis;
            bool slides;
            if (column_axis(chain, k, i, &axis, &slides)) {
                lmb_vec3 *to = slides ? &chain->moves[k] : &chain->rotations[k];
                *to = lmb_vec3_mad(*to, axis, (float)*step++);
            }
        }
    }
}

// ----------------------------------------------------------------------------------------- solver

typedef struct workspace {
    double *jacobian, *error, *step;
    void *scratch;
    uint32_t rows, columns;
} workspace;

size_t lmbi_jacobian_work(uint32_t link_count, uint32_t end_count)
{
    const size_t rows = 6 * (size_t)end_count, columns = 6 * (size_t)link_count;
    return (rows * columns + rows + columns) * sizeof(double) +
           lmb_ik_step_scratch((uint32_t)rows, (uint32_t)columns) + 16;
}

static workspace lay_out(const lmbi_ik_chain *chain)
{
    workspace w = {.rows = lmbi_jacobian_rows(chain), .columns = lmbi_jacobian_columns(chain)};
    w.jacobian = chain->work;
    w.error = w.jacobian + (size_t)w.rows * w.columns;
    w.step = w.error + w.rows;
    w.scratch = w.step + w.columns;
    return w;
}

static double length(const double *v, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        sum += v[i] * v[i];
    }
    return sqrt(sum);
}

/// Shortens a long error vector: J holds near the current pose only.
static void clamp_length(double *v, size_t count, double most)
{
    const double is = length(v, count);
    for (size_t i = 0; is > most && i < count; ++i) {
        v[i] *= most / is;
    }
}

static void try_step(lmbi_ik_chain *chain, const workspace *w, double most)
{
    lmbi_jacobian_fill(chain, w->jacobian, w->error);
    clamp_length(w->error, w->rows, most);
    lmb_ik_step(&(lmb_ik_step_job){.solver = chain->job->solver,
                                   .rows = w->rows,
                                   .columns = w->columns,
                                   .jacobian = w->jacobian,
                                   .error = w->error,
                                   .step = w->step,
                                   .scratch = w->scratch});
    lmbi_jacobian_apply(chain, w->step);
    lmbi_chain_step(chain, chain->now, chain->trial);
}

void lmbi_solve_jacobian(lmbi_ik_chain *chain)
{
    const workspace w = lay_out(chain);
    const double whole = (double)chain->reach;
    double most = 0.25 * whole;
    float cost = lmbi_chain_measure_errors(chain, chain->now);
    bool over = lmbi_chain_is_met(chain) || w.rows == 0 || w.columns == 0;
    if (over) {
        lmbi_chain_count_iteration(chain, cost);
    }
    while (!over) {
        try_step(chain, &w, most);
        const float after = lmbi_chain_measure_errors(chain, chain->trial);
        if (after < cost) {
            lmbi_chain_swap(chain);
            cost = after;
            most = 2 * most < whole ? 2 * most : whole;
        } else { // the step left the region where J holds
            lmbi_chain_measure_errors(chain, chain->now);
            const double asked = length(w.error, w.rows);
            most = 0.4 * (asked < most ? asked : most);
        }
        over = lmbi_chain_count_iteration(chain, cost) || most < 1e-9 * whole;
    }
}
