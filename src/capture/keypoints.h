/// Keypoints being read.
#ifndef CAPTURE_KEYPOINTS_H
#define CAPTURE_KEYPOINTS_H

#include "limber/capture.h"

/// Zeros: nothing is seen. NULL on failure.
lmb_keypoints *lmbi_keypoints_alloc(const lmb_allocator *alloc, uint32_t frame_count);

#endif
