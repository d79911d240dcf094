/// The kernels that decode compressed clips.
#ifndef ANIM_UNPACK_KERNELS_H
#define ANIM_UNPACK_KERNELS_H

#include "anim/packed.h"
#include "simd/kernels.h"

/// What a bank's octets of morph weights hold at one moment.
typedef struct packed_weights {
    float values[PACKED_OCTETS][PACKED_OCTET_SLOTS];
} packed_weights;

/// When: `share` of the way from sample `first` of a segment to the next.
typedef struct packed_position {
    uint32_t intervals; ///< of the segment
    uint32_t first;
    float fraction;
} packed_position;

typedef struct lmbi_unpack_kernels {
    /// Writes what the bank moves into the pose, and into `weights` unless that is NULL.
    void (*decode)(const packed_bank *bank, const uint32_t *segment, const packed_position *at,
                   lmb_transform *pose, packed_weights *weights);
} lmbi_unpack_kernels;

LMBI_KERNELS(lmbi_unpack_kernels, lmbi_unpack)

#endif
