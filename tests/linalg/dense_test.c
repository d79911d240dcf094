#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/linalg.h"
#include "near.h"

static double rolled(lmb_random *random)
{
    return (double)lmb_random_range(random, -1, 1);
}

static void solves_what_needs_pivots(void **state)
{
    (void)state;
    double a[] = {0, 2, 1, 1, 0, 0, 3, 0, 1}, b[] = {7, 1, 1, 0, 6, 2};
    // x = (1, 2, 3) and (0, -0.5, 2)
    assert_int_equal(lmbi_dense_solve(a, 3, b, 2, NULL), LMB_OK);
    const double want[] = {1, 0, 2, -0.5, 3, 2};
    for (int k = 0; k < 6; ++k) {
        near(b[k], want[k], 1e-14);
    }
}

static void residuals_are_small(void **state)
{
    (void)state;
    enum { N = 60, SIDES = 5 };
    static double a[N * N], kept[N * N], b[N * SIDES], x[N * SIDES];
    lmb_random random = lmb_random_seed(3);
    for (int k = 0; k < N * N; ++k) {
        a[k] = kept[k] = rolled(&random);
    }
    for (int k = 0; k < N * SIDES; ++k) {
        b[k] = x[k] = rolled(&random);
    }
    assert_int_equal(lmbi_dense_solve(a, N, x, SIDES, NULL), LMB_OK);
    for (int i = 0; i < N; ++i) {
        for (int s = 0; s < SIDES; ++s) {
            double sum = 0;
            for (int k = 0; k < N; ++k) {
                sum += kept[i * N + k] * x[k * SIDES + s];
            }
            near(sum, b[i * SIDES + s], 1e-11);
        }
    }
}

static void singular_matrices_are_refused(void **state)
{
    (void)state;
    double a[] = {1, 2, 2, 4}, zeros[4] = {0}, nan[] = {(double)NAN, 0, 0, 1}, b[] = {1, 1};
    assert_int_equal(lmbi_dense_solve(a, 2, b, 1, NULL), LMB_ERROR_INVALID);
    assert_int_equal(lmbi_dense_solve(zeros, 2, b, 1, NULL), LMB_ERROR_INVALID);
    assert_int_equal(lmbi_dense_solve(nan, 2, b, 1, NULL), LMB_ERROR_INVALID);
    assert_int_equal(lmbi_dense_solve(zeros, 0, b, 1, NULL), LMB_OK);
}

/// a = sum of values[k] v_k v_k^T, and the v_k are orthonormal.
static void check_eigen(const double *a, uint32_t n, const double *values, const double *vectors,
                        double tolerance)
{
    for (uint32_t i = 0; i < n; ++i) {
        assert_true(i == 0 || values[i - 1] >= values[i]);
        for (uint32_t j = 0; j < n; ++j) {
            double product = 0, sum = 0;
            for (uint32_t k = 0; k < n; ++k) {
                product += vectors[i * n + k] * vectors[j * n + k];
                sum += values[k] * vectors[k * n + i] * vectors[k * n + j];
            }
            near(product, i == j, 1e-12);
            near(sum, a[i > j ? i * n + j : j * n + i], tolerance);
        }
    }
}

static void eigenvalues_of_known_matrices(void **state)
{
    (void)state;
    // The path of n vertices: 2 - 2 cos(k pi / (n + 1)).
    enum { N = 40 };
    static double a[N * N], vectors[N * N], values[N];
    for (int i = 0; i < N; ++i) {
        a[i * N + i] = 2;
        if (i > 0) {
            a[i * N + i - 1] = -1; // the lower triangle alone
        }
    }
    assert_int_equal(lmbi_dense_eigen(a, N, values, vectors, NULL, NULL), LMB_OK);
    for (int k = 0; k < N; ++k) {
        near(values[k], 2 - 2 * cos((N - k) * 3.14159265358979323846 / (N + 1)), 1e-13);
    }
    check_eigen(a, N, values, vectors, 1e-13);
}

static void eigenvectors_of_random_and_odd_matrices(void **state)
{
    (void)state;
    enum { MOST = 48 };
    static double a[MOST * MOST], vectors[MOST * MOST], values[MOST];
    lmb_random random = lmb_random_seed(8);
    for (uint32_t round = 0; round < 60; ++round) {
        const uint32_t n = 1 + lmb_random_u32(&random) % MOST, rank = 1 + n / (1 + round % 4);
        memset(a, 0, sizeof a);
        for (uint32_t r = 0; r < rank && round % 7 != 6; ++r) { // every seventh is zero
            double v[MOST];
            for (uint32_t k = 0; k < n; ++k) {
                v[k] = rolled(&random) * pow(10, round % 3 == 2 ? -(double)(k % 9) : 0);
            }
            for (uint32_t i = 0; i < n * n; ++i) {
                a[i] += (r % 2 ? -1 : 1) * v[i / n] * v[i % n];
            }
        }
        assert_int_equal(lmbi_dense_eigen(a, n, values, vectors, NULL, NULL), LMB_OK);
        check_eigen(a, n, values, vectors, 1e-12);
    }
    const double nan[] = {(double)NAN, 0, (double)NAN, 1};
    assert_int_equal(lmbi_dense_eigen(nan, 2, values, vectors, NULL, NULL), LMB_ERROR_INVALID);
    assert_int_equal(lmbi_dense_eigen(nan, 0, values, vectors, NULL, NULL), LMB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_what_needs_pivots),
        cmocka_unit_test(residuals_are_small),
        cmocka_unit_test(singular_matrices_are_refused),
        cmocka_unit_test(eigenvalues_of_known_matrices),
        cmocka_unit_test(eigenvectors_of_random_and_odd_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
