/// Cholesky's factor of a small dense matrix, by rows.
#include "learn/cholesky.h"

#include <math.h>

void lmbi_cholesky_factor(double *a, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j <= i; ++j) {
            const double x = a[i * n + j] - lmbi_row_dot(a + i * n, a + j * n, j);
            const double least = 1e-14 * fabs(a[i * n + i]) + 1e-300;
            a[i * n + j] = j < i ? x / a[j * (n + 1)] : sqrt(x > least ? x : least);
        }
    }
}

void lmbi_cholesky_lower(const double *l, size_t n, double *x)
{
    for (size_t i = 0; i < n; ++i) {
        x[i] = (x[i] - lmbi_row_dot(l + i * n, x, i)) / l[i * (n + 1)];
    }
}

void lmbi_cholesky_upper(const double *l, size_t n, double *x)
{
    for (size_t i = n; i-- > 0;) {
        x[i] /= l[i * (n + 1)];
        lmbi_row_add(x, -x[i], l + i * n, i);
    }
}
