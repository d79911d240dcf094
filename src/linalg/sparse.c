/// The symmetric sparse matrix itself.
#include "linalg/sparse.h"

#include "base/error.h"

lmb_result lmbi_sparse_check(const lmbi_sparse *matrix, lmb_error *error)
{
    if (matrix->size >= 0x7FFFFFFFu || (matrix->size && matrix->first[0] != 0)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "fewer than 2^31 columns, the first at entry 0",
                         "%u columns", matrix->size);
    }
    for (uint32_t j = 0; j < matrix->size; ++j) {
        uint32_t begin = matrix->first[j], end = matrix->first[j + 1];
        if (end <= begin || matrix->rows[begin] != j) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "a diagonal entry first in every column",
                             "none in column %u", j);
        }
        for (uint32_t k = begin + 1; k < end; ++k) {
            if (matrix->rows[k] <= matrix->rows[k - 1] || matrix->rows[k] >= matrix->size) {
                return lmbi_fail(error, LMB_ERROR_INVALID, "rising rows below the size",
                                 "row %u in column %u", matrix->rows[k], j);
            }
        }
    }
    return LMB_OK;
}

static void multiply_one(const lmbi_sparse *m, const double *x, double *y)
{
    for (uint32_t j = 0; j < m->size; ++j) {
        y[j] = 0;
    }
    for (uint32_t j = 0; j < m->size; ++j) {
        y[j] += m->values[m->first[j]] * x[j];
        for (uint32_t k = m->first[j] + 1; k < m->first[j + 1]; ++k) {
            y[m->rows[k]] += m->values[k] * x[j];
            y[j] += m->values[k] * x[m->rows[k]];
        }
    }
}

void lmbi_sparse_multiply(const lmbi_sparse *matrix, const double *x, uint32_t count, double *y)
{
    for (uint32_t c = 0; c < count; ++c) {
        multiply_one(matrix, x + (size_t)c * matrix->size, y + (size_t)c * matrix->size);
    }
}
