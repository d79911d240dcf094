/// Bone heat: the solve (Baran, Popovic 2007, section 4).
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "geometry/adjacency.h"
#include "geometry/laplacian.h"
#include "rig/heat.h"
#include "rig/touching_parts.h"

/// Joints per solve: as many right-hand sides as the factor processes side by side.
#define BATCH 8
/// Least distance to a bone, as a fraction of the size.
static const double LEAST_DISTANCE_FRACTION = 1e-5;
/// Least total heat of a connected piece, against Laplacian entries of about 1. Less would be
/// singular in double precision.
static const double LEAST_HEAT = 1e-6;
/// Relative increase of the diagonal, far above double rounding and far below any heat. Keeps the
/// matrix positive definite for pieces of any size; normalising the rows compensates.
static const double LOSS = 1e-10;

typedef struct solver {
    lmbi_heat *heat;
    lmbi_laplacian *laplacian;
    double *heat_term; ///< [vertex_count] A H
    lmbi_factor *factor;
    double *x; ///< [BATCH][vertex_count]
} solver;

/// A H of every vertex: dimensionless, so the scale of the surface does not matter.
static lmb_result compute_heat(solver *s, lmb_error *error)
{
    lmbi_heat *heat = s->heat;
    const double *areas = s->laplacian->areas;
    uint32_t n = heat->surface->vertex_count;
    double *pieces = lmbi_alloc_array(heat->alloc, heat->piece_count, sizeof *pieces);
    if (!pieces) {
        return lmbi_fail_memory(error);
    }
    double total = 0, floor_distance = LEAST_DISTANCE_FRACTION * (double)heat->size;
    for (uint32_t v = 0; v < n; ++v) {
        total += areas[v];
    }
    // Vertices without area get a millionth of the mean area.
    double floor_area = total > 0 ? 1e-6 * total / n : 1.0;
    for (uint32_t v = 0; v < n; ++v) {
        const lmbi_heat_source *source = &heat->sources[v];
        double d =
            (double)source->distance > floor_distance ? (double)source->distance : floor_distance;
        double area = areas[v] > floor_area ? areas[v] : floor_area;
        bool small = heat->piece_kinds[heat->piece_of_vertex[v]] == LMBI_PIECE_SMALL;
        s->heat_term[v] = source->seen || small ? (double)heat->opts.heat * source->tie_count *
                                                      (d > 0 ? area / (d * d) : 1.0)
                                                : 0.0;
        pieces[heat->piece_of_vertex[v]] += s->heat_term[v];
    }
    for (uint32_t v = 0; v < n; ++v) {
        double sum = pieces[heat->piece_of_vertex[v]];
        s->heat_term[v] *= sum < LEAST_HEAT ? LEAST_HEAT / sum : 1.0;
    }
    lmbi_free(heat->alloc, pieces);
    return LMB_OK;
}

static lmb_result factor_system(solver *s, const lmbi_adjacency *around, lmb_error *error)
{
    lmbi_heat *heat = s->heat;
    lmb_result result =
        lmbi_laplacian_create(heat->surface, around, heat->alloc, &s->laplacian, error);
    if (result == LMB_OK) {
        result = compute_heat(s, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    lmbi_sparse *m = &s->laplacian->matrix;
    for (uint32_t v = 0; v < m->size;
         ++v) { // of the diagonal before lmbi_cut_touching_parts, which may reduce it to 0
        m->values[m->first[v]] += s->heat_term[v] + LOSS * m->values[m->first[v]];
    }
    result = lmbi_cut_touching_parts(heat, m, error);
    if (result == LMB_OK) {
        result = lmbi_factor_create(m, NULL, heat->alloc, &s->factor, error);
    }
    lmbi_laplacian_destroy(s->laplacian);
    s->laplacian = NULL;
    return result;
}

static double strength_of(const lmbi_heat *heat, uint32_t slot)
{
    return heat->strengths ? (double)heat->strengths[slot] : 1.0;
}

/// Right-hand sides A H p, times the joints' strengths, for the slots [begin, begin + count).
static void fill_right_hand_sides(solver *s, uint32_t begin, uint32_t count)
{
    size_t n = s->heat->surface->vertex_count;
    for (size_t i = 0; i < n * count; ++i) {
        s->x[i] = 0;
    }
    for (size_t v = 0; v < n; ++v) {
        const lmbi_heat_source *source = &s->heat->sources[v];
        for (uint32_t k = 0; k < source->tie_count; ++k) {
            uint32_t slot = source->joints[k];
            if (slot >= begin && slot < begin + count) {
                s->x[(slot - begin) * n + v] =
                    strength_of(s->heat, slot) * s->heat_term[v] / source->tie_count;
            }
        }
    }
}

static void store_weights(solver *s, uint32_t begin, uint32_t count)
{
    lmbi_heat *heat = s->heat;
    size_t n = heat->surface->vertex_count;
    for (uint32_t c = 0; c < count; ++c) {
        for (size_t v = 0; v < n; ++v) {
            lmbi_row_insert(heat->rows + v * heat->row_width, heat->row_width, begin + c,
                            (float)s->x[c * n + v]);
        }
    }
}

static bool report_progress(const lmbi_heat *heat, const char *stage, float fraction)
{
    const lmb_progress *p = heat->opts.progress;
    return !p || !p->report || p->report(p->user, stage, fraction);
}

static lmb_result solve_slots(solver *s, const lmbi_adjacency *around, lmb_error *error)
{
    lmbi_heat *heat = s->heat;
    lmb_result result = factor_system(s, around, error);
    if (result != LMB_OK) {
        return result;
    }
    heat->report.entry_count = lmbi_factor_entry_count(s->factor);
    for (uint32_t begin = 0; begin < heat->slot_count; begin += BATCH) {
        uint32_t rest = heat->slot_count - begin, count = rest < BATCH ? rest : BATCH;
        if (!report_progress(heat, "bone heat", (float)begin / (float)heat->slot_count)) {
            return lmbi_fail(error, LMB_ERROR_CANCELLED, "to go on", "cancelled by the caller");
        }
        fill_right_hand_sides(s, begin, count);
        result = lmbi_factor_solve(s->factor, s->x, count, heat->opts.jobs, error);
        if (result != LMB_OK) {
            return result;
        }
        store_weights(s, begin, count);
    }
    for (size_t v = 0; v < heat->surface->vertex_count; ++v) { // strengths scale the solutions
        lmbi_row_to_one(heat->rows + v * heat->row_width, heat->row_width);
    }
    return LMB_OK;
}

lmb_result lmbi_heat_solve(lmbi_heat *heat, const lmbi_adjacency *around, lmb_error *error)
{
    solver s = {.heat = heat};
    size_t n = heat->surface->vertex_count;
    s.heat_term = lmbi_alloc_array(heat->alloc, n, sizeof *s.heat_term);
    s.x = lmbi_alloc_array(heat->alloc, n, BATCH * sizeof *s.x);
    lmb_result result =
        s.heat_term && s.x ? solve_slots(&s, around, error) : lmbi_fail_memory(error);
    lmbi_factor_destroy(s.factor);
    lmbi_laplacian_destroy(s.laplacian);
    lmbi_free(heat->alloc, s.x);
    lmbi_free(heat->alloc, s.heat_term);
    return result;
}
