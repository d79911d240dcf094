#ifndef RETARGET_ALIGN_H
#define RETARGET_ALIGN_H

#include "retarget/body.h"

/// The alignment A of every human bone: for arms, legs and fingers the shortest rotation from the
/// target's bone direction to the source's, for feet and toes the yaw alone, else identity. A bone
/// without a direction inherits its parent's.
void lmbi_align(const lmbi_humanoid *source, const lmbi_humanoid *target,
                lmb_quat align[LMB_HUMAN_BONE_COUNT]);

#endif
