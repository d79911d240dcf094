/// A clip's pose at one tick: what guessing and writing need. The runtime's samplers are in a room
/// of the same level.
#ifndef IO_CLIP_POSE_H
#define IO_CLIP_POSE_H

#include "limber/asset.h"

/// The local pose at a tick: rest where a joint has no channel. Near a key, its
/// values are taken as they are. hints[clip->channel_count] remember
/// keys between calls with rising ticks; they start at 0.
void lmbi_clip_pose(const lmb_skeleton *skeleton, const lmb_clip *clip, double tick,
                    uint32_t *hints, lmb_transform *local);

#endif
