/// The kernel of the network that sees a body as a volume: a convolution of 3 x 3 x 3.
#ifndef EMBED_VOLUME_VOLUME_KERNELS_H
#define EMBED_VOLUME_VOLUME_KERNELS_H

#include "simd/kernels.h"

#include <stddef.h>
#include <stdint.h>

enum { LMBI_CONVOLUTION_GROUP = 16, LMBI_CONVOLUTION_TAPS = 27, LMBI_CONVOLUTION_ROW = 4 };

/// A volume of `side` voxels a side within a border of one voxel of zeros: [z][y][x], each of `pitch` floats, of which
/// `channels` from `at` on are meant; `at` is in the first voxel of the border.
typedef struct lmbi_channel_volume {
    int channels, side, pitch;
    float *at;
} lmbi_channel_volume;

/// out = max(0, bias + weights * in), every stride-th voxel of `in`, where the stride is 2 if `out` has half the side.
typedef struct lmbi_convolution {
    lmbi_channel_volume in, out;
    int padded;           ///< the outputs, rounded up to whole groups
    const float *weights; ///< [taps][in.channels][padded]
    const float *bias;    ///< [padded]
    const uint8_t *
        wanted; ///< [out.side][out.side][out.side / LMBI_CONVOLUTION_ROW] which rows of so many voxels; NULL: all
} lmbi_convolution;

typedef struct lmbi_volume_kernels {
    void (*convolve)(const lmbi_convolution *c);
} lmbi_volume_kernels;
LMBI_KERNELS(lmbi_volume_kernels, lmbi_volume)

#endif
