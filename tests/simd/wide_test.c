// The wide type, on every instruction set of this machine, against floats one by one.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simd/wide_kernels.h"

enum { COUNT = 4096 };

typedef struct arrays {
    float a[COUNT], b[COUNT], out[WIDE_OPERATIONS][COUNT];
} arrays;

/// Every kind of bit pattern but NaN, whose payload no instruction set promises.
static float any_float(lmb_random *random)
{
    static const float special[] = {0.0f,      -0.0f,  1e-42f, -1e-42f, INFINITY,
                                    -INFINITY, 1e-38f, 3e38f,  1.0f,    -1.0f};
    const uint32_t draw = lmb_random_u32(random);
    if (draw % 8 == 0) {
        return special[draw / 8 % 10];
    }
    return lmb_random_range(random, -1, 1) * ldexpf(1, (int)(draw / 8 % 200) - 100);
}

static arrays *arrays_create(void)
{
    arrays *s = calloc(1, sizeof(*s));
    assert_non_null(s);
    lmb_random random = lmb_random_seed(9);
    for (int i = 0; i < COUNT; ++i) {
        s->a[i] = any_float(&random);
        s->b[i] = any_float(&random);
    }
    return s;
}

static void run(arrays *s, lmb_simd set)
{
    float *out[WIDE_OPERATIONS];
    for (int k = 0; k < WIDE_OPERATIONS; ++k) {
        out[k] = s->out[k];
    }
    wide_pick(set)->run(s->a, s->b, COUNT, out);
}

static uint32_t bits(float x)
{
    uint32_t b;
    memcpy(&b, &x, sizeof(b));
    return b;
}

static void same(float got, float want, int operation, int i)
{
    if (bits(got) != bits(want) && !(isnan(got) && isnan(want))) {
        fail_msg("operation %d, element %d: got %a, expected %a", operation, i, (double)got,
                 (double)want);
    }
}

/// volatile, so that the compiler cannot compute with more than a float's precision.
static void expected(const arrays *s, int i, float out[WIDE_OPERATIONS])
{
    const float x = s->a[i], y = s->b[i];
    volatile float product = x * y, sum = x + y, root = sqrtf(fabsf(x));
    const uint32_t flipped = bits(x) ^ 1;
    out[0] = sum;
    out[1] = x - y;
    out[2] = product;
    out[3] = x / y;
    out[4] = product;
    out[5] = x < y ? x : y;
    out[6] = x > y ? x : y;
    out[7] = fabsf(x);
    out[8] = signbit(y) ? -x : x;
    out[9] = root;
    out[10] = x < y ? x * 2 : y;
    out[11] = (float)(COUNT - 1 - i + 3);
    out[12] = s->a[COUNT - 1 - i];
    memcpy(&out[13], &flipped, sizeof(flipped));
}

static void operations_equal_floats_one_by_one(void **state)
{
    (void)state;
    arrays *s = arrays_create();
    for (int set = 0; set < LMB_SIMD_COUNT; ++set) {
        if (!lmb_simd_runs((lmb_simd)set)) {
            continue;
        }
        memset(s->out, 0xee, sizeof(s->out));
        run(s, (lmb_simd)set);
        for (int i = 0; i < COUNT; ++i) {
            float want[WIDE_OPERATIONS];
            expected(s, i, want);
            for (int k = 0; k < WIDE_OPERATIONS; ++k) {
                same(s->out[k][i], want[k], k, i);
            }
        }
        assert_true(wide_pick((lmb_simd)set)->any_above(s->a, COUNT, 1e38f));
        assert_false(wide_pick((lmb_simd)set)->any_above(s->a, COUNT, INFINITY));
    }
    free(s);
}

static void sets_are_what_they_say(void **state)
{
    (void)state;
    assert_true(lmb_simd_runs(LMB_SIMD_BEST));
    assert_true(lmb_simd_runs(LMB_SIMD_SCALAR));
    assert_true(lmb_simd_runs(lmb_simd_best()));
    assert_ptr_equal(wide_pick(LMB_SIMD_BEST), wide_pick(lmb_simd_best()));
    assert_int_equal(wide_pick(LMB_SIMD_SCALAR)->lanes, 1);
    assert_string_equal(lmb_simd_name(LMB_SIMD_AVX2), "avx2");
    assert_string_equal(lmb_simd_name((lmb_simd)(LMB_SIMD_FAST + 1)), "unknown");
#if LMBI_SIMD_X86
    if (lmb_simd_runs(LMB_SIMD_SSE2)) {
        assert_int_equal(wide_pick(LMB_SIMD_SSE2)->lanes, 4);
    }
    assert_false(lmb_simd_runs(LMB_SIMD_NEON));
    assert_ptr_equal(wide_pick(LMB_SIMD_NEON), wide_pick(LMB_SIMD_BEST));
    if (lmb_simd_runs(LMB_SIMD_AVX512)) {
        assert_int_equal(wide_pick(LMB_SIMD_AVX512)->lanes, 16);
    }
    if (lmb_simd_runs(LMB_SIMD_AVX2)) {
        assert_int_equal(wide_pick(LMB_SIMD_AVX2)->lanes, 8);
    }
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_equal_floats_one_by_one),
        cmocka_unit_test(sets_are_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
