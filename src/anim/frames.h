/// Converts a clip to poses at a uniform rate for editing, and back.
#ifndef ANIM_FRAMES_H
#define ANIM_FRAMES_H

#include "base/arena.h"
#include "limber/anim.h"

typedef struct lmbi_frames {
    uint32_t joint_count, frame_count; ///< at least 2 frames, the last at the clip's end
    float rate_hz;        ///< close to the requested rate: the clip is a whole number of frames
    lmb_transform *poses; ///< [frame_count][joint_count]
} lmbi_frames;

/// rate_hz 0: the clip's own frame rate, or 60. Errors: INVALID for a rate out of range; MEMORY.
lmb_result lmbi_frames_read(lmbi_arena *arena, const lmb_clip *clip, const lmb_skeleton *skeleton,
                            float rate_hz, lmbi_frames *out, lmb_error *error);
static inline lmb_transform *lmbi_frames_pose(const lmbi_frames *frames, uint32_t f)
{
    return frames->poses + (size_t)f * frames->joint_count;
}
/// Whether two values of a track count as one.
bool lmbi_frames_alike(const float *value, const float *first, uint32_t width);
/// Channels of poses[frame_count][joint_count], a tick a frame, as lmb_clip_from_poses has them. The
/// rotations of joints whose whole[j] is true have every key (NULL: none). False when out of memory.
bool lmbi_frames_channels(lmbi_arena *arena, const lmb_skeleton *skeleton,
                          const lmb_transform *poses, uint32_t frame_count, const bool *whole,
                          lmb_clip *draft);
/// Creates a clip from the frames, with the morph weights of `clip`.
lmb_result lmbi_frames_write(const lmbi_frames *frames, const lmb_clip *clip,
                             const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                             lmb_clip **out, lmb_error *error);

#endif
