/// Kernels of direct delta mush, variants v0 and v2.
#ifndef SKIN_MUSH_KERNELS_H
#define SKIN_MUSH_KERNELS_H

#include "simd/kernels.h"
#include "skin/mush.h"

/// One chunk of a job. Inputs that are NULL come from the mush; outputs that are NULL are not
/// written.
typedef struct lmbi_mush_pass {
    const lmb_mush *mush;
    const lmb_mat4 *palette;
    const lmb_quat *rotations;                     ///< v2 only
    const uint8_t *positions, *normals, *tangents; ///< of the chunk's first vertex
    uint8_t *out_positions, *out_normals, *out_tangents;
    size_t position_stride, normal_stride,
        tangent_stride; ///< of the outputs; inputs are tightly packed
} lmbi_mush_pass;

typedef struct lmbi_mush_kernels {
    void (*run)(const lmbi_mush_pass *pass, uint32_t block_begin, uint32_t block_end);
} lmbi_mush_kernels;
LMBI_FUSED_KERNELS(lmbi_mush_kernels, lmbi_mush)      ///< v0
LMBI_FUSED_KERNELS(lmbi_mush_kernels, lmbi_mush_turn) ///< v2

#endif
