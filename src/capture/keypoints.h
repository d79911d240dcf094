/// Allocation of keypoints.
#ifndef CAPTURE_KEYPOINTS_H
#define CAPTURE_KEYPOINTS_H

#include "limber/capture.h"

/// All zero: nothing is seen. NULL without memory.
lmb_keypoints *lmbi_keypoints_alloc(const lmb_allocator *alloc, uint32_t frame_count);

#endif
