// Clamps, smoothstep, quantiles against a sort, springs against small steps of their equation.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "math/scalar.h"
#include "math/spring.h"

static void clamps_keep_to_their_bounds(void **state)
{
    (void)state;
    assert_true(lmbi_clampf(-3, -1, 2) <= -1 && lmbi_clampf(3, -1, 2) >= 2);
    assert_true(fabsf(lmbi_clampf(0.5f, -1, 2) - 0.5f) <= 0);
    assert_true(lmbi_saturate(1.5) >= 1 && lmbi_saturatef(-1) <= 0);
    assert_true(fabs(lmbi_smoothstep(0.25) - 0.15625) < 1e-15);
    assert_true(lmbi_smoothstepf(2) >= 1 && lmbi_smoothstepf(-2) <= 0);
    assert_true(fabsf(lmbi_excessf(3, 1) - 2) <= 0 && lmbi_excessf(0, 1) <= 0);
    assert_true(fabsf(lmbi_or_default(0, 4) - 4) <= 0 && fabsf(lmbi_or_default(2, 4) - 2) <= 0);
    assert_int_equal(lmbi_bits_of_float(1.0f), 0x3f800000);
    assert_true(fabsf(lmbi_float_of_bits(0xc0000000) + 2) <= 0);
}

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static void quantiles_are_those_of_a_sort(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(5);
    for (uint32_t count = 1; count < 60; ++count) {
        float values[60], sorted[60];
        for (uint32_t i = 0; i < count; ++i) {
            values[i] = sorted[i] = floorf(20 * lmb_random_unit(&random)); // with equal ones
        }
        qsort(sorted, count, sizeof *sorted, compare);
        for (int k = 0; k <= 4; ++k) {
            const float fraction = 0.25f * (float)k;
            const uint32_t at = (uint32_t)(fraction * (float)(count - 1));
            assert_true(fabsf(lmbi_quantile(values, count, fraction) - sorted[at]) <= 0);
        }
    }
}

static void springs_obey_their_equation(void **state)
{
    (void)state;
    const double y = (double)lmbi_spring_rate(0.2f), step = 1e-5;
    double x = 1.5, v = -2;
    for (int k = 0; k < 50000; ++k) {
        v -= (2 * y * v + y * y * x) * step;
        x += v * step;
    }
    lmb_vec3 at = {1.5f, 0, 0}, velocity = {-2, 0, 0};
    float to_goal = 4.5f, speed = -2;
    for (int k = 0; k < 5; ++k) {
        lmbi_spring_decay3(&at, &velocity, lmbi_spring_decay_make((float)y, 0.1f));
        lmbi_spring_follow(&to_goal, &speed, 3, 0.2f, 0.1f);
    }
    assert_true(fabs((double)at.x - x) < 1e-4 && fabs((double)velocity.x - v) < 1e-3);
    assert_true(fabs((double)to_goal - 3 - x) < 1e-4 && fabs((double)speed - v) < 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clamps_keep_to_their_bounds),
        cmocka_unit_test(quantiles_are_those_of_a_sort),
        cmocka_unit_test(springs_obey_their_equation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
