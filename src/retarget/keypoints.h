/// Keypoints being read.
#ifndef RETARGET_KEYPOINTS_H
#define RETARGET_KEYPOINTS_H

#include "limber/retarget.h"

/// Zeros: nothing is seen. NULL on failure.
lmb_keypoints *lmbi_keypoints_alloc(const lmb_allocator *alloc, uint32_t frame_count);

#endif
