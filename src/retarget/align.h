#ifndef RETARGET_ALIGN_H
#define RETARGET_ALIGN_H

#include "retarget/body.h"

/// A of every slot: for arms, legs and fingers the least rotation of the target's bone onto the
/// source's, for feet and toes its turn about the vertical alone, for all else identity. A bone
/// without direction follows the bone above.
void lmbi_align(const lmbi_humanoid *source, const lmbi_humanoid *target,
                lmb_quat align[LMB_SLOT_COUNT]);

#endif
