/// Smooths weights on the welded surface: explicitly along edges, or implicitly.
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "geometry/adjacency.h"
#include "geometry/laplacian.h"
#include "linalg/linalg.h"
#include "rig/rings.h"
#include "rig/row_sum.h"
#include "rig/weights_edit.h"

/// Joints per solve.
enum { BATCH = 8 };

typedef struct smoother {
    lmb_influence *now, *next; ///< [surface vertex_count][LMBI_ROW_WIDTH]
    lmbi_rings rings;
    lmbi_row_sum sum;
} smoother;

static void add_row(smoother *s, const lmb_influence *row, float scale)
{
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH && row[k].weight > 0; ++k) {
        lmbi_row_sum_add(&s->sum, row[k].joint, scale * row[k].weight);
    }
}

static lmb_result init_smoother(lmbi_editor *e, smoother *s, lmb_error *error)
{
    uint32_t longest = 0;
    s->now = lmbi_table_gather(&e->table, e->surface->vertex_of, e->surface->vertex_count,
                               &e->arena, &longest);
    s->next =
        lmbi_arena_array(&e->arena, e->surface->vertex_count, LMBI_ROW_WIDTH * sizeof *s->next);
    const bool room =
        s->now && s->next &&
        lmbi_row_sum_init(&s->sum, e->table.character->skeleton->joint_count, &e->arena);
    return room ? LMB_OK : lmbi_fail_memory(error);
}

/// Stores the sums as a row, without limiting or scaling it.
static void store_sums(smoother *s, lmb_influence *row)
{
    memset(row, 0, LMBI_ROW_WIDTH * sizeof *row);
    for (uint32_t k = 0; k < s->sum.count; ++k) {
        const uint32_t joint = s->sum.touched[k];
        lmbi_row_insert(row, LMBI_ROW_WIDTH, joint, s->sum.sums[joint]);
        s->sum.sums[joint] = 0;
    }
    s->sum.count = 0;
}

// ---- step by step

static void smooth_round(const lmbi_editor *e, smoother *s)
{
    for (uint32_t v = 0; v < e->surface->vertex_count; ++v) {
        uint32_t begin = s->rings.first[v], end = s->rings.first[v + 1], filled = 0;
        for (uint32_t k = begin; k < end; ++k) { // vertices that are not skinned do not count
            filled += s->now[(size_t)s->rings.around[k] * LMBI_ROW_WIDTH].weight > 0 ? 1 : 0;
        }
        add_row(s, s->now + (size_t)v * LMBI_ROW_WIDTH, filled ? 1 - e->edit.amount : 1.0f);
        for (uint32_t k = begin; k < end; ++k) {
            add_row(s, s->now + (size_t)s->rings.around[k] * LMBI_ROW_WIDTH,
                    e->edit.amount / (float)filled);
        }
        store_sums(s, s->next + (size_t)v * LMBI_ROW_WIDTH);
    }
    lmb_influence *swap = s->now;
    s->now = s->next;
    s->next = swap;
}

static lmb_result smooth_steps(lmbi_editor *e, smoother *s, lmb_error *error)
{
    const lmb_result result = lmbi_rings_find(e->surface, &e->arena, &s->rings, error);
    for (uint32_t round = 0; result == LMB_OK && round < e->edit.rounds; ++round) {
        smooth_round(e, s);
    }
    return result;
}

// ---- at once

/// (1 + spread) D - spread W, with W the Laplacian's cotangents between vertices that have rows, D
/// the sums of W's rows: equal rows stay equal, and sums 1.
static void build_diffusion(double spread, const lmb_influence *rows, lmbi_sparse *m, double *sums)
{
    memset(sums, 0, m->size * sizeof *sums);
    for (uint32_t j = 0; j < m->size; ++j) {
        for (uint32_t k = m->first[j] + 1; k < m->first[j + 1]; ++k) {
            const uint32_t i = m->rows[k];
            const bool both = rows[(size_t)i * LMBI_ROW_WIDTH].weight > 0 &&
                              rows[(size_t)j * LMBI_ROW_WIDTH].weight > 0;
            const double w = both && m->values[k] < 0 ? -m->values[k] : 0;
            sums[i] += w;
            sums[j] += w;
            m->values[k] = -spread * w;
        }
    }
    for (uint32_t j = 0; j < m->size; ++j) {
        sums[j] = sums[j] > 0 ? sums[j] : 1;
        m->values[m->first[j]] = (1 + spread) * sums[j];
    }
}

/// Right-hand side: one joint's weights times D.
static void load(const smoother *s, uint32_t joint, const double *sums, uint32_t n, double *x)
{
    for (uint32_t v = 0; v < n; ++v) {
        const lmb_influence *row = s->now + (size_t)v * LMBI_ROW_WIDTH;
        x[v] = 0;
        for (uint32_t k = 0; k < LMBI_ROW_WIDTH && row[k].weight > 0; ++k) {
            x[v] += row[k].joint == joint ? (double)row[k].weight * sums[v] : 0;
        }
    }
}

static lmb_result diffuse(const lmbi_editor *e, smoother *s, const lmbi_factor *factor,
                          const double *sums, double *x, lmb_error *error)
{
    const uint32_t n = e->surface->vertex_count, joints = e->table.character->skeleton->joint_count;
    memset(s->next, 0, n * (LMBI_ROW_WIDTH * sizeof *s->next));
    for (uint32_t begin = 0; begin < joints; begin += BATCH) {
        const uint32_t count = joints - begin < BATCH ? joints - begin : BATCH;
        for (uint32_t k = 0; k < count; ++k) {
            load(s, begin + k, sums, n, x + (size_t)k * n);
        }
        const lmb_result result = lmbi_factor_solve(factor, x, count, NULL, error);
        if (result != LMB_OK) {
            return result;
        }
        for (uint32_t k = 0; k < count; ++k) {
            for (uint32_t v = 0; v < n; ++v) {
                lmbi_row_insert(s->next + (size_t)v * LMBI_ROW_WIDTH, LMBI_ROW_WIDTH, begin + k,
                                (float)x[(size_t)k * n + v]);
            }
        }
    }
    lmb_influence *swap = s->now;
    s->now = s->next;
    s->next = swap;
    return LMB_OK;
}

/// Implicit smoothing, W <- (1 + spread L)^-1 W, repeated `rounds` times: reaches far in one step,
/// however fine the mesh.
static lmb_result smooth_at_once(lmbi_editor *e, smoother *s, lmb_error *error)
{
    const size_t n = e->surface->vertex_count;
    lmbi_adjacency *around = NULL;
    lmbi_laplacian *laplacian = NULL;
    lmbi_factor *factor = NULL;
    double *sums = lmbi_arena_array(&e->arena, n, sizeof *sums),
           *x = lmbi_arena_array(&e->arena, n, BATCH * sizeof *x);
    lmb_result result = sums && x ? lmbi_adjacency_create(e->surface, e->alloc, &around, error)
                                  : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        result = lmbi_laplacian_create(e->surface, around, e->alloc, &laplacian, error);
    }
    if (result == LMB_OK) {
        build_diffusion((double)e->edit.spread, s->now, &laplacian->matrix, sums);
        result = lmbi_factor_create(&laplacian->matrix, NULL, e->alloc, &factor, error);
    }
    for (uint32_t round = 0; result == LMB_OK && round < e->edit.rounds; ++round) {
        result = diffuse(e, s, factor, sums, x, error);
    }
    lmbi_factor_destroy(factor);
    lmbi_laplacian_destroy(laplacian);
    lmbi_adjacency_destroy(around);
    return result;
}

lmb_result lmbi_edit_smooth(lmbi_editor *e, lmb_error *error)
{
    smoother s = {0};
    lmb_result result = init_smoother(e, &s, error);
    if (result == LMB_OK) {
        result = e->edit.spread > 0 ? smooth_at_once(e, &s, error) : smooth_steps(e, &s, error);
    }
    for (uint32_t v = 0; result == LMB_OK && v < e->table.count; ++v) {
        lmb_influence *row = lmbi_edit_row(e, v);
        if (lmbi_edit_is_for(e, v)) {
            memcpy(row, s.now + (size_t)e->surface->vertex_of[v] * LMBI_ROW_WIDTH,
                   LMBI_ROW_WIDTH * sizeof *row);
            if (lmbi_row_count(row) > e->edit.influences) {
                lmbi_edit_shorten(e, v);
            }
        }
    }
    return result;
}
