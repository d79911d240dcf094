#include "simd/wide_kernels.h"

#include "simd/wide.h"

static void run(const float *a, const float *b, size_t count, float *const out[WIDE_OPERATIONS])
{
    int32_t back[16];
    for (size_t i = 0; i < count; i += LMBI_LANES) {
        for (int lane = 0; lane < LMBI_LANES; ++lane) {
            back[lane] = (int32_t)(count - 1 - i) - lane;
        }
        const lmbi_wide x = lmbi_wide_load(a + i), y = lmbi_wide_load(b + i);
        const lmbi_wide_int order = lmbi_wide_int_load(back);
        const lmbi_wide results[WIDE_OPERATIONS] = {
            x + y,
            x - y,
            x * y,
            x / y,
            x * y + lmbi_wide_splat(-0.0f), // contracted, it would round once
            lmbi_wide_min(x, y),
            lmbi_wide_max(x, y),
            lmbi_wide_abs(x),
            lmbi_wide_flip_sign(x, y),
            lmbi_wide_sqrt(lmbi_wide_abs(x)),
            lmbi_wide_select((lmbi_wide_int)(x < y), x * 2.0f, y),
            lmbi_wide_from_int(order + lmbi_wide_int_splat(3)),
            lmbi_wide_gather(a, back),
            lmbi_wide_of_bits(lmbi_wide_bits(x) ^ 1),
        };
        for (int k = 0; k < WIDE_OPERATIONS; ++k) {
            lmbi_wide_store(out[k] + i, results[k]);
        }
    }
}

static int any_above(const float *a, size_t count, float limit)
{
    for (size_t i = 0; i < count; i += LMBI_LANES) {
        if (lmbi_wide_any((lmbi_wide_int)(lmbi_wide_load(a + i) > limit))) {
            return 1;
        }
    }
    return 0;
}

const wide_kernels LMBI_TABLE(wide) = {LMBI_LANES, run, any_above};
