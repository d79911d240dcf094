/// Inner loops of the factor, one body compiled per instruction set. All sum every entry in the
/// same order, so they give the same bits.
#ifndef LINALG_KERNELS_H
#define LINALG_KERNELS_H

#include "linalg/factor.h"

/// Right-hand sides solved together, interleaved in memory, in one pass over the factor.
#define LMBI_SIDES 8

typedef struct lmbi_kernels {
    /// out(rows x columns) = a * b^T where b is the first `columns` rows of a, over `depth`
    /// columns; only the lower part is used
    void (*outer_product)(const double *a, size_t stride, uint32_t depth, uint32_t rows,
                          uint32_t columns, double *out);
    /// Cholesky of the top square of a block of `width` columns, and the solve of the rows below
    /// with it. Returns the first column whose pivot is not positive, or `width`.
    uint32_t (*factor_block)(double *block, uint32_t rows, uint32_t width);
    /// L y = b and L^T x = y, in place, on x[size][LMBI_SIDES]; `local` is scratch for most_rows of
    /// them.
    void (*forward)(const lmbi_factor *factor, double *x, double *local);
    void (*backward)(const lmbi_factor *factor, double *x, double *local);
} lmbi_kernels;

extern const lmbi_kernels lmbi_kernels_base;
#if defined(__x86_64__)
extern const lmbi_kernels lmbi_kernels_avx2, lmbi_kernels_avx512;
#endif

/// The fastest kernels that this CPU supports.
const lmbi_kernels *lmbi_kernels_pick(void);

#endif
