/// Kernels of multi-weight enveloping.
#ifndef SKIN_ENVELOPE_KERNELS_H
#define SKIN_ENVELOPE_KERNELS_H

#include "simd/kernels.h"
#include "skin/envelope.h"

/// One chunk of a job. Outputs that are NULL are not written; normals and tangents that are NULL
/// count as zero.
typedef struct lmbi_envelope_pass {
    const lmb_envelope_skin *skin;
    const float (*relative)[3][4];                 ///< of the chunk's pairs
    const uint8_t *positions, *normals, *tangents; ///< of the chunk's first vertex
    uint8_t *out_positions, *out_normals, *out_tangents;
} lmbi_envelope_pass;

typedef struct lmbi_envelope_kernels {
    void (*run)(const lmbi_envelope_pass *pass, uint32_t block_begin, uint32_t block_end);
} lmbi_envelope_kernels;
LMBI_FUSED_KERNELS(lmbi_envelope_kernels, lmbi_envelope)

#endif
