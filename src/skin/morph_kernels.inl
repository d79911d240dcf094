#include "skin/morph_kernels.h"

#include "simd/wide.h"

static void add_floats(float *out, const lmbi_morph_run *runs, size_t run_count,
                       const float *deltas, float weight)
{
    const lmbi_wide w = lmbi_wide_splat(weight);
    for (size_t r = 0; r < run_count; ++r) {
        float *to = out + (size_t)3 * runs[r].first;
        const size_t count = (size_t)3 * runs[r].count;
        size_t i = 0;
        for (; i + LMBI_LANES <= count; i += LMBI_LANES) {
            lmbi_wide_store(to + i, lmbi_wide_load(to + i) + lmbi_wide_load(deltas + i) * w);
        }
        for (; i < count; ++i) {
            to[i] += deltas[i] * weight;
        }
        deltas += count;
    }
}

typedef int16_t wide_short __attribute__((vector_size(2 * LMBI_LANES)));

static void add_shorts(float *out, const lmbi_morph_run *runs, size_t run_count,
                       const int16_t *deltas, float weight)
{
    const lmbi_wide w = lmbi_wide_splat(weight);
    for (size_t r = 0; r < run_count; ++r) {
        float *to = out + (size_t)3 * runs[r].first;
        const size_t count = (size_t)3 * runs[r].count;
        size_t i = 0;
        for (; i + LMBI_LANES <= count; i += LMBI_LANES) {
            wide_short d;
            memcpy(&d, deltas + i, sizeof d);
            const lmbi_wide values = __builtin_convertvector(d, lmbi_wide);
            lmbi_wide_store(to + i, lmbi_wide_load(to + i) + values * w);
        }
        for (; i < count; ++i) {
            to[i] += (float)deltas[i] * weight;
        }
        deltas += count;
    }
}

const lmbi_morph_kernels LMBI_TABLE(lmbi_morph) = {add_floats, add_shorts};
