/// Numeric factorisation: supernodal, left-looking Cholesky (Ng, Peyton 1993; Chen, Davis, Hager,
/// Rajamanickam 2008).

#include "base/alloc.h"
#include "base/error.h"
#include "linalg/kernels.h"

#define NONE UINT32_MAX

typedef struct work {
    const lmbi_kernels *kernels;
    lmbi_factor *factor;
    uint32_t *head, *next; ///< per supernode: list of those whose next rows lie in it
    uint32_t *reached;     ///< per supernode: its first unused row
    uint32_t *row_index;   ///< [size] index of a row in the current supernode
    double *update;        ///< [most_rows * LMBI_PANEL_WIDTH]
} work;

static void scatter_matrix(const work *w, const lmbi_permuted *m, uint32_t s)
{
    const lmbi_supernodes *nodes = &w->factor->nodes;
    size_t rows = nodes->row_first[s + 1] - nodes->row_first[s];
    double *block = w->factor->values + nodes->value_first[s];
    for (uint32_t j = nodes->column[s]; j < nodes->column[s + 1]; ++j) {
        double *column = block + (j - nodes->column[s]) * rows;
        for (uint32_t k = m->first[j]; k < m->first[j + 1]; ++k) {
            column[w->row_index[m->rows[k]]] += m->values[k];
        }
    }
}

/// Subtracts the contribution of the finished supernode d from s. Returns the supernode that d's
/// next rows lie in, or NONE.
static uint32_t apply(work *w, uint32_t d, uint32_t s)
{
    const lmbi_supernodes *nodes = &w->factor->nodes;
    const uint32_t *list = nodes->rows + nodes->row_first[d];
    uint32_t all = (uint32_t)(nodes->row_first[d + 1] - nodes->row_first[d]), from = w->reached[d],
             to = from;
    while (to < all && list[to] < nodes->column[s + 1]) {
        ++to;
    }
    uint32_t rows = all - from, columns = to - from,
             depth = nodes->column[d + 1] - nodes->column[d];
    w->kernels->outer_product(w->factor->values + nodes->value_first[d] + from, all, depth, rows,
                              columns, w->update);
    size_t stride = nodes->row_first[s + 1] - nodes->row_first[s];
    double *block = w->factor->values + nodes->value_first[s];
    for (uint32_t j = 0; j < columns; ++j) {
        double *column = block + (list[from + j] - nodes->column[s]) * stride;
        const double *update = w->update + (size_t)j * rows;
        for (uint32_t i = j; i < rows; ++i) {
            column[w->row_index[list[from + i]]] -= update[i];
        }
    }
    w->reached[d] = to;
    return to < all ? nodes->node_of[list[to]] : NONE;
}

static void file(work *w, uint32_t d, uint32_t under)
{
    w->next[d] = w->head[under];
    w->head[under] = d;
}

static lmb_result factorize_nodes(work *w, const lmbi_permuted *m, lmb_error *error)
{
    const lmbi_supernodes *nodes = &w->factor->nodes;
    for (uint32_t s = 0; s < nodes->count; ++s) {
        const uint32_t *list = nodes->rows + nodes->row_first[s];
        uint32_t rows = (uint32_t)(nodes->row_first[s + 1] - nodes->row_first[s]),
                 width = nodes->column[s + 1] - nodes->column[s];
        for (uint32_t i = 0; i < rows; ++i) {
            w->row_index[list[i]] = i;
        }
        scatter_matrix(w, m, s);
        for (uint32_t d = w->head[s], next; d != NONE; d = next) {
            next = w->next[d];
            uint32_t under = apply(w, d, s);
            if (under != NONE) {
                file(w, d, under);
            }
        }
        uint32_t bad =
            w->kernels->factor_block(w->factor->values + nodes->value_first[s], rows, width);
        if (bad < width) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "a positive definite matrix",
                             "no positive pivot in column %u",
                             w->factor->order[nodes->column[s] + bad]);
        }
        w->reached[s] = width;
        if (width < rows) {
            file(w, s, nodes->node_of[list[width]]);
        }
    }
    return LMB_OK;
}

lmb_result lmbi_factor_numeric(lmbi_factor *factor, const lmbi_permuted *matrix, lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, factor->arena.alloc);
    uint32_t count = factor->nodes.count;
    work w = {
        .kernels = lmbi_kernels_pick(),
        .factor = factor,
        .head = lmbi_arena_array(&arena, count, sizeof(uint32_t)),
        .next = lmbi_arena_array(&arena, count, sizeof(uint32_t)),
        .reached = lmbi_arena_array(&arena, count, sizeof(uint32_t)),
        .row_index = lmbi_arena_array(&arena, factor->size, sizeof(uint32_t)),
        .update =
            lmbi_arena_array(&arena, (size_t)factor->most_rows * LMBI_PANEL_WIDTH, sizeof(double)),
    };
    lmb_result result;
    if (!w.head || !w.next || !w.reached || !w.row_index || !w.update) {
        result = lmbi_fail_memory(error);
    } else {
        for (uint32_t s = 0; s < count; ++s) {
            w.head[s] = NONE;
        }
        result = factorize_nodes(&w, matrix, error);
    }
    lmbi_arena_free(&arena);
    return result;
}
