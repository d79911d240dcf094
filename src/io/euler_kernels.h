/// Sines and cosines of many half angles, one angle a lane.
#ifndef IO_EULER_KERNELS_H
#define IO_EULER_KERNELS_H

#include <stddef.h>

#include "simd/kernels.h"

typedef struct lmbi_euler_kernels {
    /// sine[k] and cosine[k] of half of degrees[k], with the bits of lmb_sin and lmb_cos in single
    /// precision, for angles of at most 360 degrees; results for larger ones are undefined. `count`
    /// is a multiple of 16.
    void (*half_turns)(const float *degrees, float *sine, float *cosine, size_t count);
} lmbi_euler_kernels;

LMBI_KERNELS(lmbi_euler_kernels, lmbi_euler)

#endif
