// Sines of half angles (euler_kernels): the same bits with every instruction set, those of the angles one by one, and the ones of
// double precision, rounded.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/euler.h"
#include "io/euler_kernels.h"
#include "limber/limber.h"

enum { COUNT = 4096 };

static float degrees[COUNT];

/// Up to a turn either way; quarters, eighths and their neighbours; zeros, and next to nothing.
static void fill(void)
{
    lmb_random random = lmb_random_seed(5);
    for (int k = 0; k < COUNT; ++k) {
        degrees[k] = lmb_random_range(&random, -360, 360);
        if (k % 5 == 0) {
            const float eighth = 45.0f * (float)(k / 5 % 17 - 8);
            degrees[k] = k % 3 == 0 ? eighth : nextafterf(eighth, k % 3 == 1 ? -1000 : 1000);
        }
        if (k % 13 == 0) {
            degrees[k] *= 1e-6f;
        }
    }
    degrees[0] = 0;
    degrees[1] = -0.0f;
    degrees[2] = 1e-40f;
}

static void all_sets_give_the_bits_of_single_calls(void **state)
{
    (void)state;
    fill();
    for (int set = LMB_SIMD_BEST; set < LMB_SIMD_COUNT; ++set) {
        if (!lmb_simd_runs((lmb_simd)set)) {
            continue;
        }
        static float sine[COUNT], cosine[COUNT];
        lmbi_euler_pick((lmb_simd)set)->half_turns(degrees, sine, cosine, COUNT);
        for (int k = 0; k < COUNT; ++k) {
            const float half = (float)((double)degrees[k] / 2 / 57.29577951308232);
            const float s = lmb_sin(half), c = lmb_cos(half);
            assert_memory_equal(&sine[k], &s, sizeof s);
            assert_memory_equal(&cosine[k], &c, sizeof c);
        }
    }
}

static void they_are_sines_and_cosines(void **state)
{
    (void)state;
    static float sine[COUNT], cosine[COUNT];
    fill();
    lmbi_euler_pick(LMB_SIMD_BEST)->half_turns(degrees, sine, cosine, COUNT);
    for (int k = 0; k < COUNT; ++k) {
        const double half = (double)degrees[k] * 3.14159265358979323846 / 360;
        assert_true(fabs((double)sine[k] - sin(half)) < 1.3e-7 * (fabs(half) + 1));
        assert_true(fabs((double)cosine[k] - cos(half)) < 1.3e-7 * (fabs(half) + 1));
    }
}

/// Also of angles beyond a turn, in runs of any length, with strides.
static void many_rotations_are_those_one_by_one(void **state)
{
    (void)state;
    enum { STRIDE = 3, MOST = 150 };
    fill();
    for (size_t count = 0; count < MOST; count += 7) {
        for (int axis = 'x'; axis <= 'z'; ++axis) {
            lmb_quat many[MOST], one[MOST];
            float angles[MOST * STRIDE];
            for (size_t k = 0; k < MOST; ++k) {
                many[k] = one[k] = lmb_quat_make(0.5f, -0.5f, -0.0f, 0.7f);
                angles[STRIDE * k] = degrees[k] * (k % 4 == 0 ? 1000.0f : 1.0f);
            }
            lmbi_euler_rotate_all(many, (char)axis, angles, STRIDE, count);
            for (size_t k = 0; k < count; ++k) {
                lmbi_euler_rotate(&one[k], (char)axis, angles[STRIDE * k]);
            }
            assert_memory_equal(many, one, sizeof many);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_sets_give_the_bits_of_single_calls),
        cmocka_unit_test(they_are_sines_and_cosines),
        cmocka_unit_test(many_rotations_are_those_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
