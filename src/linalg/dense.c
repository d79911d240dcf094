#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "linalg/linalg.h"

// --------------------------------------------------------------------------------- linear systems

static void swap_rows(double *rows, size_t width, uint32_t i, uint32_t j)
{
    for (size_t k = 0; i != j && k < width; ++k) {
        const double kept = rows[i * width + k];
        rows[i * width + k] = rows[j * width + k];
        rows[j * width + k] = kept;
    }
}

/// The row at or below `column` with the largest magnitude in it.
static uint32_t find_pivot(const double *a, uint32_t size, uint32_t column)
{
    uint32_t best = column;
    for (uint32_t i = column + 1; i < size; ++i) {
        if (fabs(a[(size_t)i * size + column]) > fabs(a[(size_t)best * size + column])) {
            best = i;
        }
    }
    return best;
}

/// Subtracts `times` a row from another, from column `first` on.
static void subtract_row(double *rows, size_t width, uint32_t from, uint32_t to, size_t first,
                         double times)
{
    const double *source = rows + from * width;
    double *target = rows + to * width;
    for (size_t k = first; k < width; ++k) {
        target[k] -= source[k] * times;
    }
}

static double greatest_in_column(const double *a, uint32_t size, uint32_t column)
{
    double most = 0;
    for (uint32_t i = 0; i < size; ++i) {
        most = fmax(most, fabs(a[(size_t)i * size + column]));
    }
    return most;
}

lmb_result lmbi_dense_solve(double *a, uint32_t size, double *b, uint32_t count, lmb_error *error)
{
    for (uint32_t c = 0; c < size; ++c) {
        const double scale = greatest_in_column(a, size, c);
        const uint32_t pivot = find_pivot(a, size, c);
        swap_rows(a, size, c, pivot);
        swap_rows(b, count, c, pivot);
        const double at = a[(size_t)c * size + c];
        if (!(fabs(at) > 1e-14 * scale) || !isfinite(at)) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "a matrix that can be inverted",
                             "a pivot of %g in column %u", at, c);
        }
        for (uint32_t i = c + 1; i < size; ++i) {
            const double times = a[(size_t)i * size + c] / at;
            if (times != 0) {
                subtract_row(a, size, c, i, c, times);
                subtract_row(b, count, c, i, 0, times);
            }
        }
    }
    for (uint32_t c = size; c-- > 0;) {
        for (size_t k = 0; k < count; ++k) {
            b[(size_t)c * count + k] /= a[(size_t)c * size + c];
        }
        for (uint32_t i = 0; i < c; ++i) {
            const double times = a[(size_t)i * size + c];
            if (times != 0) {
                subtract_row(b, count, c, i, 0, times);
            }
        }
    }
    return LMB_OK;
}

// -------------------------------------------------------------------------- symmetric eigenvalues

/// State of a tridiagonal reduction: z[size][size] becomes the product of the reflections, d the
/// diagonal, e the subdiagonal (e[0] = 0).
typedef struct reduction {
    uint32_t size;
    double *z, *d, *e;
} reduction;

/// A Householder reflection that clears row i left of its last two entries. Rows and columns beyond
/// i are done.
static void reflect(reduction *r, uint32_t i)
{
    const size_t n = r->size;
    double *row = r->z + i * n;
    double scale = 0, h = 0;
    for (uint32_t k = 0; k < i; ++k) {
        scale += fabs(row[k]);
    }
    if (i < 2 || !(scale > 0)) {
        r->e[i] = row[i - 1];
        r->d[i] = 0;
        return;
    }
    for (uint32_t k = 0; k < i; ++k) {
        row[k] /= scale;
        h += row[k] * row[k];
    }
    const double f = row[i - 1], g = f >= 0 ? -sqrt(h) : sqrt(h);
    r->e[i] = scale * g;
    h -= f * g;
    row[i - 1] = f - g;
    // p = A u / h, in e; K = u.p / 2h; A -= u q^T + q u^T with q = p - K u.
    double sum = 0;
    for (uint32_t j = 0; j < i; ++j) {
        double p = 0;
        r->z[j * n + i] = row[j] / h;
        for (uint32_t k = 0; k <= j; ++k) {
            p += r->z[j * n + k] * row[k];
        }
        for (uint32_t k = j + 1; k < i; ++k) {
            p += r->z[k * n + j] * row[k];
        }
        r->e[j] = p / h;
        sum += r->e[j] * row[j];
    }
    const double half = sum / (h + h);
    for (uint32_t j = 0; j < i; ++j) {
        const double u = row[j], q = r->e[j] - half * u;
        r->e[j] = q;
        for (uint32_t k = 0; k <= j; ++k) {
            r->z[j * n + k] -= u * r->e[k] + q * row[k];
        }
    }
    r->d[i] = h;
}

/// Multiplies the reflections out into z.
static void accumulate(reduction *r)
{
    const size_t n = r->size;
    for (uint32_t i = 0; i < r->size; ++i) {
        if (r->d[i] > 0 || r->d[i] < 0) {
            for (uint32_t j = 0; j < i; ++j) {
                double g = 0;
                for (uint32_t k = 0; k < i; ++k) {
                    g += r->z[i * n + k] * r->z[k * n + j];
                }
                for (uint32_t k = 0; k < i; ++k) {
                    r->z[k * n + j] -= g * r->z[k * n + i];
                }
            }
        }
        r->d[i] = r->z[i * n + i];
        r->z[i * n + i] = 1;
        for (uint32_t j = 0; j < i; ++j) {
            r->z[j * n + i] = r->z[i * n + j] = 0;
        }
    }
}

/// One implicit QL sweep over the block [l, m], shifted by the eigenvalue of its first corner.
static void sweep(reduction *r, uint32_t l, uint32_t m)
{
    const size_t n = r->size;
    double g = (r->d[l + 1] - r->d[l]) / (2 * r->e[l]);
    const double root = sqrt(g * g + 1);
    g = r->d[m] - r->d[l] + r->e[l] / (g + (g >= 0 ? root : -root));
    double s = 1, c = 1, p = 0;
    for (uint32_t i = m; i-- > l;) {
        const double f = s * r->e[i], b = c * r->e[i];
        const double length = sqrt(f * f + g * g);
        r->e[i + 1] = length;
        if (!(length > 0)) {
            r->d[i + 1] -= p;
            r->e[m] = 0;
            return;
        }
        s = f / length;
        c = g / length;
        g = r->d[i + 1] - p;
        const double t = (r->d[i] - g) * s + 2 * c * b;
        p = s * t;
        r->d[i + 1] = g + p;
        g = c * t - b;
        for (uint32_t k = 0; k < r->size; ++k) {
            const double high = r->z[k * n + i + 1], low = r->z[k * n + i];
            r->z[k * n + i + 1] = s * low + c * high;
            r->z[k * n + i] = c * low - s * high;
        }
    }
    r->d[l] -= p;
    r->e[l] = g;
    r->e[m] = 0;
}

/// The first negligible subdiagonal entry from l on.
static uint32_t block_end(const reduction *r, uint32_t l)
{
    uint32_t m = l;
    for (; m + 1 < r->size; ++m) {
        if (fabs(r->e[m]) <= 2.3e-16 * (fabs(r->d[m]) + fabs(r->d[m + 1]))) {
            break;
        }
    }
    return m;
}

static bool diagonalize(reduction *r)
{
    enum { SWEEPS = 64 }; // 30 are known to suffice
    for (uint32_t i = 1; i < r->size; ++i) {
        r->e[i - 1] = r->e[i];
    }
    r->e[r->size - 1] = 0;
    for (uint32_t l = 0; l < r->size; ++l) {
        uint32_t m = block_end(r, l);
        for (int k = 0; m != l; ++k, m = block_end(r, l)) {
            if (k == SWEEPS) {
                return false;
            }
            sweep(r, l, m);
        }
    }
    return true;
}

/// Sorts descending, ties in their original order.
static void sort(const reduction *r, double *values, double *vectors)
{
    const size_t n = r->size;
    for (uint32_t k = 0; k < r->size; ++k) {
        uint32_t rank = 0;
        for (uint32_t i = 0; i < r->size; ++i) {
            rank += r->d[i] > r->d[k] || (!(r->d[i] < r->d[k]) && i < k);
        }
        values[rank] = r->d[k];
        for (uint32_t i = 0; i < r->size; ++i) {
            vectors[rank * n + i] = r->z[i * n + k];
        }
    }
}

lmb_result lmbi_dense_eigen(const double *a, uint32_t size, double *values, double *vectors,
                            const lmb_allocator *alloc, lmb_error *error)
{
    const size_t square = lmbi_size_mul(size, size);
    double *room =
        lmbi_alloc_array(alloc, square > SIZE_MAX / 4 ? SIZE_MAX : square + 2 * size, sizeof *room);
    if (room == NULL) {
        return lmbi_fail_memory(error);
    }
    reduction r = {size, room, room + square, room + square + size};
    bool fine = size == 0;
    if (size > 0) {
        memcpy(r.z, a, square * sizeof *a);
        for (uint32_t i = size; i-- > 1;) {
            reflect(&r, i);
        }
        r.d[0] = r.e[0] = 0;
        accumulate(&r);
        fine = diagonalize(&r);
    }
    if (fine) {
        sort(&r, values, vectors);
    }
    lmbi_free(alloc, room);
    return fine ? LMB_OK
                : lmbi_fail(error, LMB_ERROR_INVALID, "a matrix of finite numbers",
                            "a matrix of %u rows without eigenvalues", size);
}
