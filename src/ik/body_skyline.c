/// Skyline Cholesky: each row of the lower triangle is stored from its first nonzero column to the
/// diagonal. Rows of leaves are short, and inner products run over contiguous memory.
#include "ik/full_body.h"

#include <string.h>

#include "simd/four.h"

static float inner_product(const float *a, const float *b, uint32_t count)
{
    lmbi_four even = {0, 0, 0, 0}, odd = {0, 0, 0, 0};
    uint32_t k = 0;
    for (; k + 8 <= count; k += 8) {
        even += lmbi_four_load(a + k) * lmbi_four_load(b + k);
        odd += lmbi_four_load(a + k + 4) * lmbi_four_load(b + k + 4);
    }
    if (k + 4 <= count) {
        even += lmbi_four_load(a + k) * lmbi_four_load(b + k);
        k += 4;
    }
    even += odd;
    float sum = (even[0] + even[1]) + (even[2] + even[3]);
    for (; k < count; ++k) {
        sum += a[k] * b[k];
    }
    return sum;
}

/// Three inner products with a shared vector.
static void inner_products(const float *a, const float *const b[3], uint32_t count, float out[3])
{
    lmbi_four x = {0, 0, 0, 0}, y = x, z = x;
    uint32_t k = 0;
    for (; k + 4 <= count; k += 4) {
        const lmbi_four v = lmbi_four_load(a + k);
        x += v * lmbi_four_load(b[0] + k);
        y += v * lmbi_four_load(b[1] + k);
        z += v * lmbi_four_load(b[2] + k);
    }
    out[0] = (x[0] + x[1]) + (x[2] + x[3]);
    out[1] = (y[0] + y[1]) + (y[2] + y[3]);
    out[2] = (z[0] + z[1]) + (z[2] + z[3]);
    for (; k < count; ++k) {
        out[0] += a[k] * b[0][k];
        out[1] += a[k] * b[1][k];
        out[2] += a[k] * b[2][k];
    }
}

/// Computes entry j of row i from the entries before it.
static void factor_entry(lmbi_body_solver *body, uint32_t i, uint32_t j)
{
    const uint32_t *begin = body->begin, from = begin[i] > begin[j] ? begin[i] : begin[j];
    const float *other = body->factor_row[j];
    float *l = body->factor_row[i];
    const float sum = inner_product(l + (from - begin[i]), other + (from - begin[j]), j - from);
    l[j - begin[i]] = (body->row[i][j - begin[i]] - sum) * other[j - begin[j]];
}

/// Entries j to j + 2, the columns of one ball joint, whose rows begin at the same column.
static void factor_three(lmbi_body_solver *body, uint32_t i, uint32_t j)
{
    const uint32_t *begin = body->begin, from = begin[i] > begin[j] ? begin[i] : begin[j],
                   n = j - begin[j];
    float *const *rows = body->factor_row + j;
    const float *const tails[3] = {rows[0] + (from - begin[j]), rows[1] + (from - begin[j]),
                                   rows[2] + (from - begin[j])};
    const float *a = body->row[i] + (j - begin[i]);
    float *l = body->factor_row[i] + (j - begin[i]), sum[3];
    inner_products(body->factor_row[i] + (from - begin[i]), tails, j - from, sum);
    l[0] = (a[0] - sum[0]) * rows[0][n];
    l[1] = (a[1] - sum[1] - l[0] * rows[1][n]) * rows[1][n + 1];
    l[2] = (a[2] - sum[2] - l[0] * rows[2][n] - l[1] * rows[2][n + 1]) * rows[2][n + 2];
}

/// The factor's diagonal stores 1 / sqrt(pivot).
bool lmbi_skyline_factor(lmbi_body_solver *body, const float *diagonal, uint32_t first)
{
    const uint32_t *begin = body->begin;
    for (uint32_t i = first; i < body->freedom_count; ++i) {
        for (uint32_t j = begin[i]; j < i;) {
            const bool three = j + 2 < i && begin[j + 1] == begin[j] && begin[j + 2] == begin[j];
            if (three) {
                factor_three(body, i, j);
            } else {
                factor_entry(body, i, j);
            }
            j += three ? 3 : 1;
        }
        float *l = body->factor_row[i];
        const uint32_t n = i - begin[i];
        const float whole = body->row[i][n] + diagonal[i], pivot = whole - inner_product(l, l, n);
        // A pivot below rounding error means that the matrix is not positive definite.
        if (!(pivot > 1e-7f * whole)) {
            return false;
        }
        l[n] = 1.0f / lmb_sqrt(pivot);
    }
    return true;
}

void lmbi_skyline_solve(const lmbi_body_solver *body)
{
    const uint32_t *begin = body->begin;
    float *x = body->step;
    for (uint32_t i = 0; i < body->freedom_count; ++i) {
        const float *l = body->factor_row[i];
        const uint32_t n = i - begin[i];
        x[i] = (-body->gradient[i] - inner_product(l, x + begin[i], n)) * l[n];
    }
    for (uint32_t i = body->freedom_count; i-- > 0;) {
        const float *l = body->factor_row[i];
        const uint32_t n = i - begin[i];
        x[i] *= l[n];
        for (uint32_t k = 0; k < n; ++k) {
            x[begin[i] + k] -= l[k] * x[i];
        }
    }
}
