/// Kernels of morphing: weighted displacements added to runs of vertices.
#ifndef SKIN_MORPH_KERNELS_H
#define SKIN_MORPH_KERNELS_H

#include "simd/kernels.h"

/// Consecutive vertices displaced by a target, within one chunk.
typedef struct lmbi_morph_run {
    uint16_t first, count;
} lmbi_morph_run;

typedef struct lmbi_morph_kernels {
    /// out[3 * first + i] += deltas[i] * weight for every run; the runs' deltas are contiguous.
    void (*add_floats)(float *out, const lmbi_morph_run *runs, size_t run_count,
                       const float *deltas, float weight);
    void (*add_shorts)(float *out, const lmbi_morph_run *runs, size_t run_count,
                       const int16_t *deltas, float weight);
} lmbi_morph_kernels;
LMBI_KERNELS(lmbi_morph_kernels, lmbi_morph)

#endif
