#include "linalg/banded.h"

#include <math.h>

/// Four accumulators in a fixed order, which compilers vectorise with the same result on every
/// machine.
static double dot(const double *x, const double *y, size_t count)
{
    double sum[4] = {0, 0, 0, 0};
    size_t k = 0;
    for (; k + 4 <= count; k += 4) {
        sum[0] += x[k] * y[k];
        sum[1] += x[k + 1] * y[k + 1];
        sum[2] += x[k + 2] * y[k + 2];
        sum[3] += x[k + 3] * y[k + 3];
    }
    for (; k < count; ++k) {
        sum[0] += x[k] * y[k];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

bool lmbi_banded_factor(const lmbi_banded *m)
{
    for (size_t i = 0; i < m->size; ++i) {
        const size_t first = i > m->band ? i - m->band : 0;
        for (size_t j = first; j <= i; ++j) {
            const size_t from = j > m->band ? j - m->band : 0, begin = from > first ? from : first;
            double *at = lmbi_banded_at(m, i, j);
            const double sum =
                *at - dot(lmbi_banded_at(m, i, begin), lmbi_banded_at(m, j, begin), j - begin);
            if (j < i) {
                *at = sum / *lmbi_banded_at(m, j, j);
            } else if (!(sum > 0)) {
                return false;
            } else {
                *at = sqrt(sum);
            }
        }
    }
    return true;
}

void lmbi_banded_solve(const lmbi_banded *factor, double *x)
{
    for (size_t i = 0; i < factor->size; ++i) {
        for (size_t j = i > factor->band ? i - factor->band : 0; j < i; ++j) {
            x[i] -= *lmbi_banded_at(factor, i, j) * x[j];
        }
        x[i] /= *lmbi_banded_at(factor, i, i);
    }
    for (size_t i = factor->size; i-- > 0;) {
        x[i] /= *lmbi_banded_at(factor, i, i);
        for (size_t j = i > factor->band ? i - factor->band : 0; j < i; ++j) {
            x[j] -= *lmbi_banded_at(factor, i, j) * x[i];
        }
    }
}
