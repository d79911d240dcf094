/// Every operation of simd/wide.h on arrays, as a kernel of the test's own.
#ifndef SIMD_WIDE_KERNELS_H
#define SIMD_WIDE_KERNELS_H

#include <stddef.h>

#include "simd/kernels.h"

enum { WIDE_OPERATIONS = 14 };

typedef struct wide_kernels {
    int lanes;
    /// out[operation][i] from a[i] and b[i]; `count` is a multiple of 16.
    void (*run)(const float *a, const float *b, size_t count, float *const out[WIDE_OPERATIONS]);
    int (*any_above)(const float *a, size_t count, float limit);
} wide_kernels;
LMBI_KERNELS(wide_kernels, wide)

#endif
