/// Filling the factor: supernodal, left-looking Cholesky (Ng, Peyton 1993; Chen, Davis, Hager, Rajamanickam 2008).
///
/// The kernels are written so that lanes never meet: every entry is summed in the same order whatever the vector width.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "linalg/factor.h"

#define NONE UINT32_MAX

typedef double pair __attribute__((vector_size(16)));

static pair load(const double *at)
{
    pair p;
    memcpy(&p, at, sizeof p);
    return p;
}

static void store(double *at, pair p)
{
    memcpy(at, &p, sizeof p);
}

/// out(4 x 4) = sum over k of a(0..3, k) * b(0..3, k); columns of a and b are `stride` apart, of out `out_stride`.
static void tile(const double *a, const double *b, size_t stride, uint32_t depth, double *out, size_t out_stride)
{
    pair c[4][2] = {{{0}}};
    for (uint32_t k = 0; k < depth; ++k, a += stride, b += stride) {
        pair low = load(a), high = load(a + 2);
        for (int j = 0; j < 4; ++j) {
            pair s = {b[j], b[j]};
            c[j][0] += low * s;
            c[j][1] += high * s;
        }
    }
    for (int j = 0; j < 4; ++j) {
        store(out + (size_t)j * out_stride, c[j][0]);
        store(out + (size_t)j * out_stride + 2, c[j][1]);
    }
}

/// The same for the ragged ends.
static void tile_edge(const double *a, const double *b, size_t stride, uint32_t depth, uint32_t rows, uint32_t columns, double *out,
                      size_t out_stride)
{
    for (uint32_t j = 0; j < columns; ++j) {
        for (uint32_t i = 0; i < rows; ++i) {
            double sum = 0;
            for (uint32_t k = 0; k < depth; ++k) {
                sum += a[i + k * stride] * b[j + k * stride];
            }
            out[i + j * out_stride] = sum;
        }
    }
}

/// out(rows x columns) = a * b^T where b is the first `columns` rows of a: the lower part is what matters.
static void outer_product(const double *a, size_t stride, uint32_t depth, uint32_t rows, uint32_t columns, double *out)
{
    for (uint32_t j = 0; j < columns; j += 4) {
        uint32_t wide = columns - j < 4 ? columns - j : 4;
        for (uint32_t i = j; i < rows; i += 4) {
            uint32_t high = rows - i < 4 ? rows - i : 4;
            double *to = out + i + (size_t)j * rows;
            if (wide == 4 && high == 4) {
                tile(a + i, a + j, stride, depth, to, rows);
            } else {
                tile_edge(a + i, a + j, stride, depth, high, wide, to, rows);
            }
        }
    }
}

/// column[i] -= s * other[i]
static void subtract(double *column, const double *other, double s, uint32_t count)
{
    pair both = {s, s};
    uint32_t i = 0;
    for (; i + 2 <= count; i += 2) {
        store(column + i, load(column + i) - both * load(other + i));
    }
    for (; i < count; ++i) {
        column[i] -= s * other[i];
    }
}

/// Cholesky of the top square of a block of `width` columns, and the solve of the rows below with it. Returns the first column whose pivot is
/// not positive, or `width`.
static uint32_t factor_block(double *block, uint32_t rows, uint32_t width)
{
    for (uint32_t j = 0; j < width; ++j) {
        double *column = block + (size_t)j * rows;
        double pivot = column[j];
        if (!(pivot > 0) || !(pivot < (double)INFINITY)) {
            return j;
        }
        double root = sqrt(pivot), inverse = 1 / root;
        column[j] = root;
        for (uint32_t i = j + 1; i < rows; ++i) {
            column[i] *= inverse;
        }
        for (uint32_t c = j + 1; c < width; ++c) {
            subtract(block + (size_t)c * rows + c, column + c, column[c], rows - c);
        }
    }
    return width;
}

typedef struct work {
    lmb_factor *factor;
    uint32_t *head, *next; ///< per supernode: the list of those whose next rows lie in it
    uint32_t *reached;     ///< per supernode: its first row that is not used up
    uint32_t *place;       ///< [size] where a row is in the present supernode
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
            column[w->place[m->rows[k]]] += m->values[k];
        }
    }
}

/// Subtracts what the finished supernode d contributes to s. Returns the supernode that d's next rows lie in, or NONE.
static uint32_t apply(work *w, uint32_t d, uint32_t s)
{
    const lmbi_supernodes *nodes = &w->factor->nodes;
    const uint32_t *list = nodes->rows + nodes->row_first[d];
    uint32_t all = (uint32_t)(nodes->row_first[d + 1] - nodes->row_first[d]), from = w->reached[d], to = from;
    while (to < all && list[to] < nodes->column[s + 1]) {
        ++to;
    }
    uint32_t rows = all - from, columns = to - from, depth = nodes->column[d + 1] - nodes->column[d];
    outer_product(w->factor->values + nodes->value_first[d] + from, all, depth, rows, columns, w->update);
    size_t stride = nodes->row_first[s + 1] - nodes->row_first[s];
    double *block = w->factor->values + nodes->value_first[s];
    for (uint32_t j = 0; j < columns; ++j) {
        double *column = block + (list[from + j] - nodes->column[s]) * stride;
        const double *update = w->update + (size_t)j * rows;
        for (uint32_t i = j; i < rows; ++i) {
            column[w->place[list[from + i]]] -= update[i];
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

static lmb_result run(work *w, const lmbi_permuted *m, lmb_error *error)
{
    const lmbi_supernodes *nodes = &w->factor->nodes;
    for (uint32_t s = 0; s < nodes->count; ++s) {
        const uint32_t *list = nodes->rows + nodes->row_first[s];
        uint32_t rows = (uint32_t)(nodes->row_first[s + 1] - nodes->row_first[s]), width = nodes->column[s + 1] - nodes->column[s];
        for (uint32_t i = 0; i < rows; ++i) {
            w->place[list[i]] = i;
        }
        scatter_matrix(w, m, s);
        for (uint32_t d = w->head[s], next; d != NONE; d = next) {
            next = w->next[d];
            uint32_t under = apply(w, d, s);
            if (under != NONE) {
                file(w, d, under);
            }
        }
        uint32_t bad = factor_block(w->factor->values + nodes->value_first[s], rows, width);
        if (bad < width) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "a positive definite matrix", "no positive pivot in column %u",
                             w->factor->order[nodes->column[s] + bad]);
        }
        w->reached[s] = width;
        if (width < rows) {
            file(w, s, nodes->node_of[list[width]]);
        }
    }
    return LMB_OK;
}

lmb_result lmbi_factor_numeric(lmb_factor *factor, const lmbi_permuted *matrix, lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, factor->arena.alloc);
    uint32_t count = factor->nodes.count;
    work w = {
        .factor = factor,
        .head = lmbi_arena_array(&arena, count, sizeof(uint32_t)),
        .next = lmbi_arena_array(&arena, count, sizeof(uint32_t)),
        .reached = lmbi_arena_array(&arena, count, sizeof(uint32_t)),
        .place = lmbi_arena_array(&arena, factor->size, sizeof(uint32_t)),
        .update = lmbi_arena_array(&arena, (size_t)factor->most_rows * LMBI_PANEL_WIDTH, sizeof(double)),
    };
    lmb_result result;
    if (!w.head || !w.next || !w.reached || !w.place || !w.update) {
        result = lmbi_fail_memory(error);
    } else {
        for (uint32_t s = 0; s < count; ++s) {
            w.head[s] = NONE;
        }
        result = run(&w, matrix, error);
    }
    lmbi_arena_free(&arena);
    return result;
}
