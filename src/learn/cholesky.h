/// Rows of numbers, and Cholesky's factor of a small dense matrix: where lmbi_dense_solve would be too slow.
#ifndef LEARN_CHOLESKY_H
#define LEARN_CHOLESKY_H

#include <stddef.h>

/// Four independent sums, to hide the latency of the additions.
static inline double lmbi_row_dot(const double *a, const double *b, size_t count)
{
    double s[4] = {0, 0, 0, 0};
    size_t k = 0;
    for (; k + 4 <= count; k += 4) {
        for (size_t l = 0; l < 4; ++l) {
            s[l] += a[k + l] * b[k + l];
        }
    }
    for (; k < count; ++k) {
        s[0] += a[k] * b[k];
    }
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/// row += factor * other
static inline void lmbi_row_add(double *row, double factor, const double *other, size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        row[k] += factor * other[k];
    }
}

/// The factor L in place of the lower triangle of a[n][n], which alone is read. A pivot that rounding leaves without
/// digits becomes small and positive.
void lmbi_cholesky_factor(double *a, size_t n);
/// x = L^-1 x
void lmbi_cholesky_lower(const double *l, size_t n, double *x);
/// x = L^-T x
void lmbi_cholesky_upper(const double *l, size_t n, double *x);

#endif
