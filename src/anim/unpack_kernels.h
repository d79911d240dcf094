/// The kernels that decode compressed clips.
#ifndef ANIM_UNPACK_KERNELS_H
#define ANIM_UNPACK_KERNELS_H

#include "anim/packed.h"
#include "simd/kernels.h"

/// What a bank's octets hold at one moment: 24 values each, or for rotations the four components of
/// eight unit quaternions.
typedef struct packed_moment {
    float values[PACKED_OCTETS][4 * PACKED_LANES];
} packed_moment;

typedef struct lmbi_unpack_kernels {
    /// The bank `share` of the way from sample `first` of the segment to the next. intervals: of
    /// the segment.
    void (*moment)(const packed_bank *bank, const uint32_t *segment, uint32_t intervals,
                   uint32_t first, float share, packed_moment *out);
} lmbi_unpack_kernels;

LMBI_KERNELS(lmbi_unpack_kernels, lmbi_unpack)

#endif
