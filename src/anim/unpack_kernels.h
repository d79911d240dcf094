/// Kernels that decode compressed clips.
#ifndef ANIM_UNPACK_KERNELS_H
#define ANIM_UNPACK_KERNELS_H

#include "anim/packed.h"
#include "simd/kernels.h"

/// Morph weights of a bank at one time, by octet.
typedef struct packed_weights {
    float values[PACKED_OCTETS][PACKED_OCTET_SLOTS];
} packed_weights;

/// A time in a segment: `fraction` of the interval from sample `first` to the next.
typedef struct packed_position {
    uint32_t intervals; ///< of the segment
    uint32_t first;
    float fraction;
} packed_position;

typedef struct lmbi_unpack_kernels {
    /// Decodes a bank into the pose, and into `weights` unless that is NULL.
    void (*decode)(const packed_bank *bank, const uint32_t *segment, const packed_position *at,
                   lmb_transform *pose, packed_weights *weights);
} lmbi_unpack_kernels;

LMBI_KERNELS(lmbi_unpack_kernels, lmbi_unpack)

#endif
