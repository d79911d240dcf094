/// The supernodal Cholesky factor: columns with the same pattern are kept together as one dense
/// block.
#ifndef LINALG_FACTOR_H
#define LINALG_FACTOR_H

#include "base/arena.h"
#include "linalg/linalg.h"

/// Wider supernodes are split, so that blocks fit the cache and the update kernel does most of the
/// work.
#define LMBI_PANEL_WIDTH 64

/// Supernode s has the columns [column[s], column[s + 1]) and the ascending rows rows[row_first[s]
/// .. row_first[s + 1]), which begin with its own columns. Its values start at value_first[s],
/// column-major, with one entry per row and column.
typedef struct lmbi_supernodes {
    uint32_t count;
    uint32_t *column;  ///< [count + 1]
    size_t *row_first; ///< [count + 1]
    uint32_t *rows;
    size_t *value_first; ///< [count + 1]
    uint32_t *node_of;   ///< [size] the supernode of a column
} lmbi_supernodes;

struct lmbi_factor {
    uint32_t size;
    uint32_t *order; ///< order[k]: the column of A that is column k of L
    lmbi_supernodes nodes;
    uint32_t most_rows;
    double *values;
    lmbi_arena arena; ///< everything but the values
    lmb_allocator allocator;
};

/// A permuted so that its column k is column order[k] of A: lower triangle, rows of a column
/// unsorted.
typedef struct lmbi_permuted {
    uint32_t *first, *rows;
    double *values;
} lmbi_permuted;

/// Finds the elimination tree, changes `order` to a postorder of it, permutes, and lays out the
/// supernodes. `scratch` holds the permuted matrix, factor->arena the rest. Errors: MEMORY.
lmb_result lmbi_factor_analyse(lmbi_factor *factor, const lmbi_sparse *matrix, lmbi_arena *scratch,
                               lmbi_permuted *out, lmb_error *error);
/// Fills factor->values. Errors: INVALID when a pivot is not positive; MEMORY.
lmb_result lmbi_factor_numeric(lmbi_factor *factor, const lmbi_permuted *matrix, lmb_error *error);

#endif
