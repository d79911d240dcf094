// Against libm in double: the independent reference.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "limber/math.h"
#include "math/math.h"

static double worst(float (*mine)(float), double (*reference)(double), float low, float high)
{
    double error = 0;
    for (int i = 0; i <= 200000; ++i) {
        const float x = low + (high - low) * (float)i / 200000.0f;
        error = fmax(error, fabs((double)mine(x) - reference((double)x)));
    }
    return error;
}

static void sine_and_cosine(void **state)
{
    (void)state;
    assert_true(worst(lmb_sin, sin, -100, 100) < 6.1e-8);
    assert_true(worst(lmb_cos, cos, -100, 100) < 6.1e-8);
    assert_true(worst(lmb_tan, tan, -1.5f, 1.5f) < 1e-6);
}

static void inverses(void **state)
{
    (void)state;
    assert_true(worst(lmbi_asin, asin, -1, 1) < 1.3e-7);
    assert_true(worst(lmbi_acos, acos, -1, 1) < 1.3e-7);
    double error = 0;
    for (int i = 0; i < 100000; ++i) {
        const float a = -3.14f + 6.28f * (float)i / 100000.0f, r = 1e-3f + (float)i;
        const float y = r * (float)sin((double)a), x = r * (float)cos((double)a);
        error = fmax(error, fabs((double)lmb_atan2(y, x) - atan2((double)y, (double)x)));
    }
    assert_true(error < 1.3e-7);
    assert_true(lmb_atan2(0, -1) > 3.14f);
}

static void exponentials(void **state)
{
    (void)state;
    for (int i = 0; i < 100000; ++i) {
        const float x = -80.0f + 160.0f * (float)i / 100000.0f;
        const double e = exp((double)x);
        assert_true(fabs((double)lmb_exp(x) - e) <= 1.2e-7 * e);
        const float p = (float)e;
        if (p > 0) {
            assert_true(fabs((double)lmb_log(p) - log((double)p)) <=
                        1.2e-7 * fabs(log((double)p)) + 1e-12);
        }
    }
}

static void edges(void **state)
{
    (void)state;
    assert_true(lmbi_acos(2.0f) == 0.0f);
    assert_true(lmb_exp(-1000.0f) == 0.0f && isinf(lmb_exp(1000.0f)));
    assert_true(isinf(lmb_log(0.0f)) && isnan(lmb_log(-1.0f)));
    assert_true(isfinite(lmb_sin(INFINITY)) && isfinite(lmb_cos(NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sine_and_cosine),
        cmocka_unit_test(inverses),
        cmocka_unit_test(exponentials),
        cmocka_unit_test(edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
