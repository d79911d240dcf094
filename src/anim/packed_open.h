/// The head of a compressed clip.
#ifndef ANIM_PACKED_OPEN_H
#define ANIM_PACKED_OPEN_H

#include "anim/packed.h"

enum { PACKED_HEAD_WORDS = 13 };

typedef struct packed_head {
    uint32_t version;
    uint32_t joint_count;
    uint32_t run_count; ///< runs of morph weights: the joints, then the widths
    uint32_t sample_count;
    uint32_t segment_log2, segment_count;
    float rate_hz, duration_s;
    float precision_m, error_m;
    uint32_t bank_count;
    /// constant tracks that differ from rest: kind and item, then 4, 3 or 1 floats
    uint32_t still_count;
    /// 0: uniform rate; else sample_count times in seconds, which follow the runs
    uint32_t time_count;
} packed_head;

#endif
