// The banded factor solves what it was made from, and refuses what is not positive definite.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "limber/base.h"
#include "linalg/banded.h"

enum { SIZE = 23, BAND = 6 };

/// Symmetric, with a dominant diagonal.
static void fill(const lmbi_banded *m)
{
    lmb_random random = lmb_random_seed(2);
    for (size_t i = 0; i < SIZE; ++i) {
        for (size_t j = i > m->band ? i - m->band : 0; j <= i; ++j) {
            *lmbi_banded_at(m, i, j) =
                i == j ? 2.0 * BAND + 1 : 2 * (double)lmb_random_unit(&random) - 1;
        }
    }
}

static void systems_are_solved(void **state)
{
    (void)state;
    for (size_t band = 0; band <= BAND; ++band) {
        double rows[SIZE * (BAND + 1)] = {0}, x[SIZE], expected[SIZE];
        const lmbi_banded m = {rows, SIZE, band};
        fill(&m);
        for (size_t i = 0; i < SIZE; ++i) {
            expected[i] = (double)i - 7;
        }
        for (size_t i = 0; i < SIZE; ++i) {
            x[i] = 0;
            for (size_t j = 0; j < SIZE; ++j) {
                const size_t row = i > j ? i : j, column = i > j ? j : i;
                x[i] += row - column <= band ? *lmbi_banded_at(&m, row, column) * expected[j] : 0;
            }
        }
        assert_true(lmbi_banded_factor(&m));
        lmbi_banded_solve(&m, x);
        for (size_t i = 0; i < SIZE; ++i) {
            assert_true(fabs(x[i] - expected[i]) < 1e-12);
        }
    }
}

static void indefinite_matrices_are_refused(void **state)
{
    (void)state;
    double rows[SIZE * (BAND + 1)] = {0};
    const lmbi_banded m = {rows, SIZE, BAND};
    fill(&m);
    *lmbi_banded_at(&m, 11, 11) = -1;
    assert_false(lmbi_banded_factor(&m));
    fill(&m);
    *lmbi_banded_at(&m, 3, 3) = (double)NAN;
    assert_false(lmbi_banded_factor(&m));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_are_solved),
        cmocka_unit_test(indefinite_matrices_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
