// Weights as whole numbers: a known row, and what holds for all.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "asset/asset.h"
#include "limber/asset.h"

static void a_known_row(void **state)
{
    (void)state;
    const float row[4] = {0.5f / 0.99f, 0.3f / 0.99f, 0.15f / 0.99f, 0.04f / 0.99f};
    uint32_t out[4];
    lmbi_weights_quantize(row, 4, 255, out);
    assert_int_equal(out[0], 129);
    assert_int_equal(out[1], 77);
    assert_int_equal(out[2], 39);
    assert_int_equal(out[3], 10);
}

/// No number is off its weight by one or more, and the sum is exact.
static void sums_are_exact(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(7);
    for (int round = 0; round < 2000; ++round) {
        float row[8], sum = 0;
        const uint32_t count = 1 + lmb_random_u32(&random) % 8, one = round % 2 == 0 ? 255 : 65535;
        uint32_t out[8], whole = 0;
        for (uint32_t k = 0; k < count; ++k) {
            row[k] = lmb_random_unit(&random) + 1e-6f;
            sum += row[k];
        }
        for (uint32_t k = 0; k < count; ++k) {
            row[k] /= sum;
        }
        lmbi_weights_quantize(row, count, one, out);
        for (uint32_t k = 0; k < count; ++k) {
            const float off = (float)out[k] - row[k] * (float)one;
            assert_true(off > -1.01f && off < 1.01f);
            whole += out[k];
        }
        assert_int_equal(whole, one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_known_row),
                                       cmocka_unit_test(sums_are_exact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
