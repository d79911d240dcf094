#include "rig/weights_fill.h"

#include <string.h>

#include "base/error.h"
#include "rig/heat.h"

/// Joints solved for at a time.
enum { BATCH = 16 };

typedef struct filler {
    const lmbi_fill *in;
    const lmb_allocator *alloc;
    lmbi_arena arena;
    uint32_t *number; ///< [vertex_count] among the unknown, UINT32_MAX for the known
    uint32_t count;
    lmb_sparse inside; ///< the unknown among themselves
    lmb_factor *factor;
    double *x; ///< [BATCH][count]
    uint32_t *slot_of, *joint_of_slot, slot_count;
} filler;

static lmb_influence *row_at(const filler *f, uint32_t v)
{
    return f->in->rows + (size_t)v * LMBI_ROW_WIDTH;
}

static lmb_result number_unknown(filler *f, lmb_error *error)
{
    uint32_t n = f->in->surface->vertex_count;
    f->number = lmbi_arena_array(&f->arena, n, sizeof *f->number);
    f->slot_of = lmbi_arena_array(&f->arena, f->in->joint_count, sizeof *f->slot_of);
    f->joint_of_slot = lmbi_arena_array(&f->arena, f->in->joint_count, sizeof *f->joint_of_slot);
    if (!f->number || !f->slot_of || !f->joint_of_slot) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t v = 0; v < n; ++v) {
        f->number[v] = f->in->known[v] ? UINT32_MAX : f->count++;
        const lmb_influence *row = row_at(f, v);
        for (uint32_t k = 0; f->in->known[v] && k < lmbi_row_count(row); ++k) {
            if (f->slot_of[row[k].joint] == 0) {
                f->joint_of_slot[f->slot_count] = row[k].joint;
                f->slot_of[row[k].joint] = ++f->slot_count; // plus 1: 0 is none
            }
        }
    }
    return LMB_OK;
}

/// The part of the Laplacian that the unknown share; their order is kept, so the rows of a column
/// still rise.
static lmb_result cut_out(filler *f, const lmb_sparse *m, lmb_error *error)
{
    size_t entries = 0;
    for (uint32_t j = 0; j < m->size; ++j) {
        for (uint32_t k = m->first[j]; f->number[j] != UINT32_MAX && k < m->first[j + 1]; ++k) {
            entries += f->number[m->rows[k]] != UINT32_MAX ? 1 : 0;
        }
    }
    lmb_sparse *s = &f->inside;
    s->size = f->count;
    s->first = lmbi_arena_array(&f->arena, (size_t)f->count + 1, sizeof *s->first);
    s->rows = lmbi_arena_array(&f->arena, entries, sizeof *s->rows);
    s->values = lmbi_arena_array(&f->arena, entries, sizeof *s->values);
    f->x = lmbi_arena_array(&f->arena, f->count, BATCH * sizeof *f->x);
    if (!s->first || !s->rows || !s->values || !f->x) {
        return lmbi_fail_memory(error);
    }
    uint32_t at = 0;
    for (uint32_t j = 0; j < m->size; ++j) {
        if (f->number[j] == UINT32_MAX) {
            continue;
        }
        for (uint32_t k = m->first[j]; k < m->first[j + 1]; ++k) {
            if (f->number[m->rows[k]] != UINT32_MAX) {
                s->rows[at] = f->number[m->rows[k]];
                s->values[at++] = m->values[k];
            }
        }
        s->first[f->number[j] + 1] = at;
    }
    return LMB_OK;
}

/// What known vertex `from` sends to its unknown neighbour: minus the entry times its row.
static void send(filler *f, uint32_t from, uint32_t to, double entry, uint32_t begin)
{
    if (f->number[from] != UINT32_MAX || f->number[to] == UINT32_MAX) {
        return;
    }
    const lmb_influence *row = row_at(f, from);
    for (uint32_t k = 0; k < lmbi_row_count(row); ++k) {
        uint32_t slot = f->slot_of[row[k].joint] - 1;
        if (slot >= begin && slot < begin + BATCH) {
            f->x[(size_t)(slot - begin) * f->count + f->number[to]] -=
                entry * (double)row[k].weight;
        }
    }
}

static lmb_result solve_batch(filler *f, const lmb_sparse *m, uint32_t begin, lmb_error *error)
{
    uint32_t width = f->slot_count - begin < BATCH ? f->slot_count - begin : BATCH;
    memset(f->x, 0, (size_t)f->count * BATCH * sizeof *f->x);
    for (uint32_t j = 0; j < m->size; ++j) {
        for (uint32_t k = m->first[j] + 1; k < m->first[j + 1]; ++k) {
            send(f, j, m->rows[k], m->values[k], begin);
            send(f, m->rows[k], j, m->values[k], begin);
        }
    }
    lmb_result result = lmb_factor_solve(f->factor, f->x, width, NULL, error);
    for (uint32_t v = 0; result == LMB_OK && v < m->size; ++v) {
        for (uint32_t k = 0; f->number[v] != UINT32_MAX && k < width; ++k) {
            lmbi_row_insert(row_at(f, v), LMBI_ROW_WIDTH, f->joint_of_slot[begin + k],
                            (float)f->x[(size_t)k * f->count + f->number[v]]);
        }
    }
    return result;
}

static lmb_result shorten(filler *f, lmb_error *error)
{
    lmbi_row_sum sum;
    if (!lmbi_row_sum_init(&sum, f->in->joint_count, &f->arena)) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t v = 0; v < f->in->surface->vertex_count; ++v) {
        lmb_influence *row = row_at(f, v);
        for (uint32_t k = 0; f->number[v] != UINT32_MAX && k < lmbi_row_count(row); ++k) {
            lmbi_row_sum_add(&sum, row[k].joint, row[k].weight);
        }
        if (f->number[v] != UINT32_MAX) {
            lmbi_row_sum_take(&sum, f->in->influences, row);
        }
    }
    return LMB_OK;
}

static lmb_result run(filler *f, const lmb_sparse *m, lmb_error *error)
{
    lmb_result result = cut_out(f, m, error);
    if (result == LMB_OK) {
        result = lmb_factor_create(&f->inside, NULL, f->alloc, &f->factor, error);
    }
    for (uint32_t v = 0; result == LMB_OK && v < m->size; ++v) {
        if (f->number[v] != UINT32_MAX) {
            memset(row_at(f, v), 0, LMBI_ROW_WIDTH * sizeof(lmb_influence));
        }
    }
    for (uint32_t begin = 0; result == LMB_OK && begin < f->slot_count; begin += BATCH) {
        result = solve_batch(f, m, begin, error);
    }
    lmb_factor_destroy(f->factor);
    return result == LMB_OK ? shorten(f, error) : result;
}

lmb_result lmbi_fill_rows(const lmbi_fill *fill, const lmb_allocator *alloc, lmb_error *error)
{
    filler f = {.in = fill, .alloc = alloc};
    lmbi_arena_init(&f.arena, alloc);
    lmb_adjacency *adjacency = NULL;
    lmb_laplacian *laplacian = NULL;
    lmb_result result = number_unknown(&f, error);
    if (result == LMB_OK && f.count > 0) {
        result = lmb_adjacency_create(fill->surface, alloc, &adjacency, error);
        if (result == LMB_OK) {
            result = lmb_laplacian_create(fill->surface, adjacency, alloc, &laplacian, error);
        }
        lmb_adjacency_destroy(adjacency);
        if (result == LMB_OK) {
            result = run(&f, &laplacian->matrix, error);
        }
        lmb_laplacian_destroy(laplacian);
    }
    lmbi_arena_free(&f.arena);
    return result;
}
