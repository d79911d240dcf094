#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "linalg/linalg.h"

static double unit(lmb_random *random)
{
    return 2 * (double)lmb_random_unit(random) - 1;
}

static double determinant(double a[3][3])
{
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
           a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

static void assert_rotation(double a[3][3])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double dot = a[i][0] * a[j][0] + a[i][1] * a[j][1] + a[i][2] * a[j][2];
            assert_true(fabs(dot - (i == j ? 1 : 0)) < 1e-12);
        }
    }
    assert_true(fabs(determinant(a) - 1) < 1e-12);
}

static void eigenvalues_of_a_known_matrix(void **state)
{
    (void)state;
    // The eigenvalues of [[2,-1,0],[-1,2,-1],[0,-1,2]] are 2 + sqrt 2, 2, 2 - sqrt 2.
    double a[3][3] = {{2, 99, 99}, {-1, 2, 99}, {0, -1, 2}}, values[3], vectors[3][3];
    lmbi_eigen3((const double(*)[3])a, values, vectors);
    assert_true(fabs(values[0] - 2 - sqrt(2)) < 1e-14 && fabs(values[1] - 2) < 1e-14 &&
                fabs(values[2] - 2 + sqrt(2)) < 1e-14);
    assert_rotation(vectors);
    assert_true(fabs(fabs(vectors[1][0]) - sqrt(0.5)) < 1e-12 && fabs(vectors[1][1]) < 1e-12);
}

/// Random matrices of every rank and both signs put together again.
static void svd_puts_the_matrix_together(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(11);
    for (int trial = 0; trial < 2000; ++trial) {
        double a[3][3], u[3][3], s[3], v[3][3];
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                a[i][j] = trial % 5 == 4 ? 0 : unit(&random);
            }
        }
        for (int r = 1; r <= trial % 5 && trial % 5 < 3; ++r) { // rank 2 and rank 1
            for (int j = 0; j < 3; ++j) {
                a[r][j] = 2 * a[0][j];
            }
        }
        lmbi_svd3((const double(*)[3])a, u, s, v);
        assert_rotation(u);
        assert_rotation(v);
        assert_true(s[0] >= s[1] - 1e-9 && s[1] >= fabs(s[2]) - 1e-9);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                double sum = 0;
                for (int k = 0; k < 3; ++k) {
                    sum += u[i][k] * s[k] * v[j][k];
                }
                assert_true(fabs(sum - a[i][j]) < 1e-7);
            }
        }
        if (trial % 5 == 0) {
            assert_true((s[2] < 0) == (determinant(a) < 0));
        }
    }
}

static void polar_of_a_stretched_rotation_is_the_rotation(void **state)
{
    (void)state;
    // A third of a turn about (1,1,1) is the cyclic permutation; stretched along the axes of its
    // domain.
    double a[3][3] = {{0, 0, 3}, {1, 0, 0}, {0, 2, 0}}, r[3][3],
           expected[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    lmbi_polar3((const double(*)[3])a, r);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            assert_true(fabs(r[i][j] - expected[i][j]) < 1e-12);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues_of_a_known_matrix),
        cmocka_unit_test(svd_puts_the_matrix_together),
        cmocka_unit_test(polar_of_a_stretched_rotation_is_the_rotation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
