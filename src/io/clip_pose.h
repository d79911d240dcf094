/// A clip's pose at one tick: what guessing and writing need. The runtime's samplers are in a room
/// of the same level.
#ifndef IO_CLIP_POSE_H
#define IO_CLIP_POSE_H

#include "limber/asset.h"

/// A clip cut into frames of equal length, the first at its begin.
typedef struct lmbi_clip_frames {
    double ticks_per_frame;
    uint32_t count;
} lmbi_clip_frames;

/// INVALID for more than 100 million frames.
lmb_result lmbi_clip_cut(const lmb_clip *clip, double frame_time_s, lmbi_clip_frames *out,
                         lmb_error *error);

/// The local pose at a tick: rest where a joint has no channel. Near a key, its
/// values are taken as they are. hints[clip->channel_count] remember
/// keys between calls with rising ticks; they start at 0.
void lmbi_clip_pose(const lmb_skeleton *skeleton, const lmb_clip *clip, double tick,
                    uint32_t *hints, lmb_transform *local);

#endif
