/// Hands that touch in the source touch in the result.
#ifndef RETARGET_HANDS_H
#define RETARGET_HANDS_H

#include "retarget/transfer.h"

/// Rewrites the arms of the result so that palms keep their relation to each other, to trunk, head,
/// thighs and arms, and to the floor. `touching`: frames of the clip in which a palm touches
/// something. False when out of memory.
bool lmbi_hands_place(lmbi_transfer *t, lmbi_arena *arena, uint32_t *touching);

#endif
