/// Where the body of a motion lies, and how far above its ground.
#ifndef AUTHOR_LYING_H
#define AUTHOR_LYING_H

#include "author/author.h"

/// For each frame of a clip made from the motion, `step_s` apart: how far the motion's body is above
/// its ground at most, of its height, and how far it lies: 0 where the trunk is upright, 1 where it is
/// level. Joints are measured, since motions come without a skin: what rests on the ground may be as
/// far above it as a body is thick. Both arrays are [frame_count]. False when out of memory.
bool lmbi_lying_measure(const lmbi_settle_motion *motion, uint32_t frame_count, double step_s,
                        const lmb_allocator *alloc, float *above, float *lies);

#endif
