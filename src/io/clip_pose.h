/// A clip's pose at one tick, for guessing conventions and for writing. The runtime's samplers
/// belong to anim, a module of the same level, which io cannot use.
#ifndef IO_CLIP_POSE_H
#define IO_CLIP_POSE_H

#include "limber/asset.h"

/// A clip resampled at frames of equal length, the first at its start.
typedef struct lmbi_clip_frames {
    double ticks_per_frame;
    uint32_t count;
} lmbi_clip_frames;

/// INVALID for more than 100 million frames.
lmb_result lmbi_clip_cut(const lmb_clip *clip, double frame_time_s, lmbi_clip_frames *out,
                         lmb_error *error);

/// The local pose at a tick: the rest transform where a joint has no channel. Very near a key, its
/// values are taken unchanged. hints[clip->channel_count] remember the last key between calls with
/// rising ticks; they start at 0.
void lmbi_clip_pose(const lmb_skeleton *skeleton, const lmb_clip *clip, double tick,
                    uint32_t *hints, lmb_transform *local);

#endif
