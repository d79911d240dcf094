/// Cholesky in a skyline: every row of the lower triangle is one run of columns up to the diagonal. Rows that begin late (leaves
/// of the tree) cost little, and every inner product runs over neighbours in memory.
#include "ik/full_body.h"

#include <string.h>

typedef float lanes __attribute__((vector_size(16)));

static inline lanes load(const float *at)
{
    lanes v;
    memcpy(&v, at, sizeof v);
    return v;
}

static float inner_product(const float *a, const float *b, uint32_t count)
{
    lanes even = {0, 0, 0, 0}, odd = {0, 0, 0, 0};
    uint32_t k = 0;
    for (; k + 8 <= count; k += 8) {
        even += load(a + k) * load(b + k);
        odd += load(a + k + 4) * load(b + k + 4);
    }
    if (k + 4 <= count) {
        even += load(a + k) * load(b + k);
        k += 4;
    }
    even += odd;
    float sum = (even[0] + even[1]) + (even[2] + even[3]);
    for (; k < count; ++k) {
        sum += a[k] * b[k];
    }
    return sum;
}

/// The factor's diagonal holds the inverse of the pivot's root.
bool lmbi_skyline_factor(lmbi_body *body, const float *diagonal, uint32_t first)
{
    const uint32_t *begin = body->begin;
    for (uint32_t i = first; i < body->freedom_count; ++i) {
        const float *a = body->row[i];
        float *l = body->factor_row[i];
        for (uint32_t j = begin[i]; j < i; ++j) {
            const uint32_t from = begin[i] > begin[j] ? begin[i] : begin[j];
            const float *other = body->factor_row[j];
            l[j - begin[i]] =
                (a[j - begin[i]] -
                 inner_product(l + (from - begin[i]), other + (from - begin[j]), j - from)) *
                other[j - begin[j]];
        }
        const uint32_t n = i - begin[i];
        const float whole = a[n] + diagonal[i], pivot = whole - inner_product(l, l, n);
        // A difference lost in rounding is no pivot.
        if (!(pivot > 1e-7f * whole)) {
            return false;
        }
        l[n] = 1.0f / lmb_sqrt(pivot);
    }
    return true;
}

void lmbi_skyline_solve(const lmbi_body *body)
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
