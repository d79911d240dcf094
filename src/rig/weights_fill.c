#include "rig/weights_fill.h"
#include "geometry/laplacian.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "geometry/adjacency.h"
#include "rig/biharmonic_energy.h"
#include "rig/heat.h"
#include "rig/rings.h"

/// Joints per solve.
enum { BATCH = 16 };

/// Weight of the membrane energy against the thin plate's, times the squared diagonal: Abdrashitov
/// et al.'s value for a body of 1.75 m. It damps the plate's overshoot.
static const double FILM = 7.0;
/// Least area of a vertex, as a fraction of the mean, so that degenerate triangles are not
/// infinitely stiff.
static const double LEAST_AREA = 0.01;

typedef struct filler {
    const lmbi_fill *in;
    const lmb_allocator *alloc;
    lmbi_arena arena;
    const lmbi_sparse *laplacian;
    double film; ///< FILM over the square of the diagonal
    lmbi_energy energy;
    lmbi_factor *factor;
    double *x;                                 ///< [BATCH][free_count]
    double *known_weights, *bent, *y, *film_y; ///< [vertex_count]
    uint32_t *slot_of, *joint_of_slot, slot_count;
} filler;

static lmb_influence *row_at(const filler *f, uint32_t v)
{
    return f->in->rows + (size_t)v * LMBI_ROW_WIDTH;
}

/// Numbers the joints of the known rows as slots.
static lmb_result number_joints(filler *f, bool *whole, lmb_error *error)
{
    const uint32_t n = f->in->surface->vertex_count;
    f->slot_of = lmbi_arena_array(&f->arena, f->in->joint_count, sizeof *f->slot_of);
    f->joint_of_slot = lmbi_arena_array(&f->arena, f->in->joint_count, sizeof *f->joint_of_slot);
    if (!f->slot_of || !f->joint_of_slot) {
        return lmbi_fail_memory(error);
    }
    *whole = true;
    for (uint32_t v = 0; v < n; ++v) {
        *whole = *whole && f->in->known[v];
        const lmb_influence *row = row_at(f, v);
        for (uint32_t k = 0; f->in->known[v] && k < lmbi_row_count(row); ++k) {
            if (f->slot_of[row[k].joint] == 0) {
                f->joint_of_slot[f->slot_count] = row[k].joint;
                f->slot_of[row[k].joint] = ++f->slot_count; // plus 1; 0 means none
            }
        }
    }
    return LMB_OK;
}

/// Adds the membrane energy to the plate's matrix, whose pattern contains the Laplacian's.
static void add_film(filler *f)
{
    const lmbi_sparse *l = f->laplacian;
    lmbi_sparse *m = &f->energy.matrix;
    for (uint32_t j = 0; j < l->size; ++j) {
        const uint32_t column = f->energy.free_of[j];
        uint32_t at = column != UINT32_MAX ? m->first[column] : 0;
        for (uint32_t k = l->first[j]; column != UINT32_MAX && k < l->first[j + 1]; ++k) {
            const uint32_t row = f->energy.free_of[l->rows[k]];
            if (row == UINT32_MAX) {
                continue;
            }
            while (m->rows[at] != row) { // both ascend
                ++at;
            }
            m->values[at] += f->film * l->values[k];
        }
    }
}

static lmb_result build(filler *f, double *areas, lmb_error *error)
{
    const lmb_surface *s = f->in->surface;
    const uint32_t n = s->vertex_count;
    const lmb_box box = lmb_box_of(s->positions, n);
    const double diagonal = (double)lmb_vec3_distance(box.low, box.high);
    double total = 0;
    for (uint32_t v = 0; v < n; ++v) {
        total += areas[v];
    }
    const double least = total > 0 ? LEAST_AREA * total / n : 1.0;
    for (uint32_t v = 0; v < n; ++v) {
        areas[v] = areas[v] > least ? areas[v] : least;
    }
    f->film = diagonal > 0 ? FILM / (diagonal * diagonal) : 1.0;
    const lmbi_biharmonic problem = {.laplacian = f->laplacian, .masses = areas};
    lmb_result result = lmbi_energy_create(&problem, f->in->known, &f->arena, &f->energy, error);
    if (result != LMB_OK) {
        return result;
    }
    add_film(f);
    f->x = lmbi_arena_array(&f->arena, f->energy.free_count, BATCH * sizeof *f->x);
    f->known_weights = lmbi_arena_array(&f->arena, n, 4 * sizeof *f->known_weights);
    if (!f->x || !f->known_weights) {
        return lmbi_fail_memory(error);
    }
    f->bent = f->known_weights + n;
    f->y = f->bent + n;
    f->film_y = f->y + n;
    return lmbi_factor_create(&f->energy.matrix, NULL, f->alloc, &f->factor, error);
}

/// Right-hand side of the free vertices for one slot, from the known rows.
static void compute_load(filler *f, uint32_t slot, double *out)
{
    const uint32_t n = f->laplacian->size, joint = f->joint_of_slot[slot];
    for (uint32_t v = 0; v < n; ++v) {
        const lmb_influence *row = row_at(f, v);
        f->known_weights[v] = 0;
        for (uint32_t k = 0; f->in->known[v] && k < lmbi_row_count(row); ++k) {
            f->known_weights[v] =
                row[k].joint == joint ? (double)row[k].weight : f->known_weights[v];
        }
    }
    lmbi_energy_force(&f->energy, f->known_weights, f->bent, f->y);
    lmbi_sparse_multiply(f->laplacian, f->known_weights, 1, f->film_y);
    for (uint32_t i = 0; i < f->energy.free_count; ++i) {
        const uint32_t v = f->energy.node_of[i];
        out[i] = -f->y[v] - f->film * f->film_y[v];
    }
}

static lmb_result solve_batch(filler *f, uint32_t begin, lmb_error *error)
{
    const uint32_t count = f->energy.free_count,
                   width = f->slot_count - begin < BATCH ? f->slot_count - begin : BATCH;
    for (uint32_t k = 0; k < width; ++k) {
        compute_load(f, begin + k, f->x + (size_t)k * count);
    }
    const lmb_result result = lmbi_factor_solve(f->factor, f->x, width, NULL, error);
    for (uint32_t i = 0; result == LMB_OK && i < count; ++i) {
        for (uint32_t k = 0; k < width; ++k) { // drops undershoot below 0
            const float weight = (float)f->x[(size_t)k * count + i];
            if (weight > 0) {
                lmbi_row_insert(row_at(f, f->energy.node_of[i]), LMBI_ROW_WIDTH,
                                f->joint_of_slot[begin + k], weight);
            }
        }
    }
    return result;
}

static lmb_result store_rows(filler *f, lmb_error *error)
{
    lmbi_row_sum sum;
    if (!lmbi_row_sum_init(&sum, f->in->joint_count, &f->arena)) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t v = 0; v < f->in->surface->vertex_count; ++v) {
        lmb_influence *row = row_at(f, v);
        for (uint32_t k = 0; !f->in->known[v] && k < lmbi_row_count(row); ++k) {
            lmbi_row_sum_add(&sum, row[k].joint, row[k].weight);
        }
        if (!f->in->known[v]) {
            lmbi_row_sum_store(&sum, f->in->influences, row);
        }
    }
    return LMB_OK;
}

static lmb_result fill_all(filler *f, double *areas, lmb_error *error)
{
    lmb_result result = build(f, areas, error);
    for (uint32_t v = 0; result == LMB_OK && v < f->laplacian->size; ++v) {
        if (!f->in->known[v]) {
            memset(row_at(f, v), 0, LMBI_ROW_WIDTH * sizeof(lmb_influence));
        }
    }
    for (uint32_t begin = 0; result == LMB_OK && begin < f->slot_count; begin += BATCH) {
        result = solve_batch(f, begin, error);
    }
    lmbi_factor_destroy(f->factor);
    return result == LMB_OK ? store_rows(f, error) : result;
}

lmb_result lmbi_fill_rows(const lmbi_fill *fill, const lmb_allocator *alloc, lmb_error *error)
{
    filler f = {.in = fill, .alloc = alloc};
    lmbi_arena_init(&f.arena, alloc);
    lmbi_adjacency *adjacency = NULL;
    lmbi_laplacian *laplacian = NULL;
    bool whole = true;
    lmb_result result = number_joints(&f, &whole, error);
    if (result == LMB_OK && !whole) {
        result = lmbi_adjacency_create(fill->surface, alloc, &adjacency, error);
        if (result == LMB_OK) {
            result = lmbi_laplacian_create(fill->surface, adjacency, alloc, &laplacian, error);
        }
        lmbi_adjacency_destroy(adjacency);
        if (result == LMB_OK) {
            f.laplacian = &laplacian->matrix;
            result = fill_all(&f, laplacian->areas, error);
        }
        lmbi_laplacian_destroy(laplacian);
    }
    lmbi_arena_free(&f.arena);
    return result;
}

// ---- the border between filled rows and transferred ones

/// Fraction of the step toward the mean of the neighbours per round.
static const float STEP = 0.2f;

/// Distance of each vertex from a filled one, along edges.
static void measure_distances(const lmbi_soften *in, const lmbi_rings *rings, float *distance)
{
    const lmb_surface *s = in->fill->surface;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        distance[v] = in->fill->known[v] ? INFINITY : 0;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t v = 0; v < s->vertex_count; ++v) {
            for (uint32_t k = rings->first[v]; k < rings->first[v + 1]; ++k) {
                const uint32_t other = rings->around[k];
                const float d =
                    distance[other] + lmb_vec3_distance(s->positions[v], s->positions[other]);
                if (d < distance[v] && d <= in->reach) {
                    distance[v] = d;
                    changed = true;
                }
            }
        }
    }
}

static void add_row(lmbi_row_sum *sum, const lmb_influence *row, float scale)
{
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH && row[k].weight > 0; ++k) {
        lmbi_row_sum_add(sum, row[k].joint, scale * row[k].weight);
    }
}

static void soften_round(const lmbi_soften *in, const lmbi_rings *rings, const float *distance,
                         const lmb_influence *now, lmbi_row_sum *sum)
{
    for (uint32_t v = 0; v < in->fill->surface->vertex_count; ++v) {
        const uint32_t begin = rings->first[v], end = rings->first[v + 1];
        if (!(distance[v] <= in->reach) || begin == end) {
            continue;
        }
        add_row(sum, now + (size_t)v * LMBI_ROW_WIDTH, 1 - STEP);
        for (uint32_t k = begin; k < end; ++k) {
            add_row(sum, now + (size_t)rings->around[k] * LMBI_ROW_WIDTH,
                    STEP / (float)(end - begin));
        }
        lmbi_row_sum_store(sum, in->fill->influences, in->fill->rows + (size_t)v * LMBI_ROW_WIDTH);
    }
}

lmb_result lmbi_soften_rows(const lmbi_soften *in, lmbi_row_sum *sum, lmbi_arena *arena,
                            lmb_error *error)
{
    const size_t n = in->fill->surface->vertex_count;
    lmbi_rings rings;
    float *distance = lmbi_arena_array(arena, n, sizeof *distance);
    lmb_influence *now = lmbi_arena_array(arena, n, LMBI_ROW_WIDTH * sizeof *now);
    const lmb_result result = distance && now
                                  ? lmbi_rings_find(in->fill->surface, arena, &rings, error)
                                  : lmbi_fail_memory(error);
    if (result != LMB_OK) {
        return result;
    }
    measure_distances(in, &rings, distance);
    for (uint32_t round = 0; round < in->rounds; ++round) {
        memcpy(now, in->fill->rows, n * (LMBI_ROW_WIDTH * sizeof *now));
        soften_round(in, &rings, distance, now, sum);
    }
    return LMB_OK;
}
