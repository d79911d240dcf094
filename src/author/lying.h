/// Where the body of a motion lies on its ground.
#ifndef AUTHOR_LYING_H
#define AUTHOR_LYING_H

#include "author/author.h"

/// How far the motion's body lies on its ground in each frame of a clip made from it, `step_s` apart: 0
/// where its trunk is upright or it is in the air, 1 where its trunk is level on the ground. Joints are
/// measured, since motions come without a skin: what rests on the ground may be as far above it as a
/// body is thick. `lies` is [frame_count]. False when out of memory.
bool lmbi_lying_measure(const lmb_feet_source *motion, uint32_t frame_count, double step_s,
                        const lmb_allocator *alloc, float *lies);

#endif
