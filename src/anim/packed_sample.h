/// Locates a time in a compressed clip.
#ifndef ANIM_PACKED_SAMPLE_H
#define ANIM_PACKED_SAMPLE_H

#include "anim/packed.h"
#include "anim/unpack_kernels.h"

typedef struct packed_time {
    uint32_t segment;
    packed_position position; ///< 0 intervals when nothing moves
} packed_time;

packed_time lmbi_packed_locate(const lmb_packed_clip *clip, double time_s, lmb_play_mode mode);

#endif
