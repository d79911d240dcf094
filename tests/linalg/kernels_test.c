#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/kernels.h"

static uint32_t runnable(const lmbi_kernels *out[3])
{
    uint32_t count = 0;
    out[count++] = &lmbi_kernels_base;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        out[count++] = &lmbi_kernels_avx2;
    }
    if (lmbi_kernels_pick() == &lmbi_kernels_avx512) {
        out[count++] = &lmbi_kernels_avx512;
    }
#endif
    return count;
}

static void fill(double *a, size_t count, uint64_t seed)
{
    lmb_random random = lmb_random_seed(seed);
    for (size_t i = 0; i < count; ++i) {
        a[i] = (double)lmb_random_unit(&random) - 0.5;
    }
}

/// Only the part on and below the diagonal of each column is promised.
static void assert_lower_equal(const double *a, const double *b, uint32_t rows, uint32_t columns)
{
    for (uint32_t j = 0; j < columns; ++j) {
        assert_memory_equal(a + j * rows + j, b + j * rows + j, (rows - j) * sizeof *a);
    }
}

static void products_have_the_same_bits(void **state)
{
    (void)state;
    const lmbi_kernels *sets[3];
    uint32_t set_count = runnable(sets);
    double a[70 * 40], one[70 * 64], other[70 * 64];
    fill(a, 70 * 40, 3);
    for (uint32_t rows = 1; rows <= 70; rows += rows < 20 ? 1 : 7) {
        for (uint32_t columns = 1; columns <= rows && columns <= 64;
             columns += columns < 6 ? 1 : 11) {
            sets[0]->outer_product(a, 70, 40, rows, columns, one);
            double expected = 0;
            for (uint32_t k = 0; k < 40; ++k) {
                expected += a[rows - 1 + k * 70] * a[columns - 1 + k * 70];
            }
            assert_true(one[rows - 1 + (columns - 1) * rows] == expected);
            for (uint32_t s = 1; s < set_count; ++s) {
                sets[s]->outer_product(a, 70, 40, rows, columns, other);
                assert_lower_equal(one, other, rows, columns);
            }
        }
    }
}

static void blocks_have_the_same_bits(void **state)
{
    (void)state;
    enum { ROWS = 53, WIDTH = 31 };
    const lmbi_kernels *sets[3];
    uint32_t set_count = runnable(sets);
    double start[ROWS * WIDTH], one[ROWS * WIDTH], other[ROWS * WIDTH];
    fill(start, ROWS * WIDTH, 4);
    for (uint32_t j = 0; j < WIDTH; ++j) {
        start[j * ROWS + j] = 40;
    }
    memcpy(one, start, sizeof one);
    assert_int_equal(sets[0]->factor_block(one, ROWS, WIDTH), WIDTH);
    for (uint32_t s = 1; s < set_count; ++s) {
        memcpy(other, start, sizeof other);
        assert_int_equal(sets[s]->factor_block(other, ROWS, WIDTH), WIDTH);
        assert_lower_equal(one, other, ROWS, WIDTH);
    }
    start[17 * ROWS + 17] = -40;
    assert_int_equal(sets[0]->factor_block(start, ROWS, WIDTH), 17);
}

static void solves_have_the_same_bits(void **state)
{
    (void)state;
    enum { N = 300 };
    const lmbi_kernels *sets[3];
    uint32_t set_count = runnable(sets), first[N + 1], rows[3 * N], at = 0;
    double values[3 * N];
    for (uint32_t j = 0; j < N; ++j) { // a band with a far diagonal
        first[j] = at;
        for (uint32_t step = 0; step <= 17; step += step ? 16 : 1) {
            if (j + step < N) {
                rows[at] = j + step;
                values[at++] = step ? -1 : 4.5;
            }
        }
    }
    first[N] = at;
    lmbi_sparse m = {N, first, rows, values};
    lmbi_factor *factor;
    assert_int_equal(lmbi_factor_create(&m, NULL, NULL, &factor, NULL), LMB_OK);
    size_t size = (size_t)N * LMBI_SIDES;
    double *start = malloc(size * sizeof *start), *one = malloc(size * sizeof *one),
           *other = malloc(size * sizeof *other);
    double *local = malloc(factor->most_rows * LMBI_SIDES * sizeof *local);
    fill(start, size, 5);
    for (uint32_t s = 0; s < set_count; ++s) {
        double *x = s ? other : one;
        memcpy(x, start, size * sizeof *x);
        sets[s]->forward(factor, x, local);
        sets[s]->backward(factor, x, local);
        assert_memory_equal(one, x, size * sizeof *x);
    }
    free(start), free(one), free(other), free(local);
    lmbi_factor_destroy(factor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_have_the_same_bits),
        cmocka_unit_test(blocks_have_the_same_bits),
        cmocka_unit_test(solves_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
