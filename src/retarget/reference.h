/// The reference pose, in which both skeletons are seen as standing.
#ifndef RETARGET_REFERENCE_H
#define RETARGET_REFERENCE_H

#include "retarget/body.h"

/// Fills body->reference, reference_kind, reference_frame and lifted. False when out of memory.
bool lmbi_reference_choose(lmbi_humanoid *body, const lmbi_motion *motion, lmbi_arena *arena);

#endif
