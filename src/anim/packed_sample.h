/// Where a moment lies in a compressed clip.
#ifndef ANIM_PACKED_SAMPLE_H
#define ANIM_PACKED_SAMPLE_H

#include "anim/packed.h"
#include "anim/unpack_kernels.h"

typedef struct packed_time {
    uint32_t segment;
    uint32_t first;     ///< sample of the segment
    uint32_t intervals; ///< of the segment; 0 when nothing moves
    float share;        ///< of the way to the next sample
} packed_time;

packed_time lmbi_packed_time(const lmb_packed_clip *clip, double time_s, lmb_play_mode mode);
/// Writes what a bank moves into the pose, and into `weights` as the clip numbers them (or NULL).
void lmbi_packed_write(const packed_bank *bank, const packed_moment *moment, lmb_transform *pose,
                       float *weights);

#endif
