/// Symmetric positive definite matrices with a narrow band: normal equations of chains in time.
#ifndef LINALG_BANDED_H
#define LINALG_BANDED_H

#include <stdbool.h>
#include <stddef.h>

/// Lower triangle: row i holds columns i - band to i, the diagonal last.
typedef struct lmbi_banded {
    double *rows; ///< [size][band + 1]
    size_t size, band;
} lmbi_banded;

/// The entry at `column` <= `row`, within the band.
static inline double *lmbi_banded_at(const lmbi_banded *m, size_t row, size_t column)
{
    return &m->rows[row * (m->band + 1) + (m->band - (row - column))];
}

/// Replaces the matrix by its Cholesky factor. False where it is not positive definite.
bool lmbi_banded_factor(const lmbi_banded *m);
/// Replaces x [size] by the solution, given the factor.
void lmbi_banded_solve(const lmbi_banded *factor, double *x);

#endif
