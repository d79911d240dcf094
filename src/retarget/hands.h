/// Keeps hand contacts of the source.
#ifndef RETARGET_HANDS_H
#define RETARGET_HANDS_H

#include "retarget/transfer.h"

/// Rewrites the arms of the result so that palms keep their contacts with each other, trunk, head,
/// thighs, arms and the floor. `touching` counts the clip's frames with a contact. False when out of
/// memory.
bool lmbi_hands_place(lmbi_transfer *t, lmbi_arena *arena, uint32_t *touching);

#endif
