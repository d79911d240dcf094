/// Trunks whose joints turn otherwise than their bodies do.
#ifndef RETARGET_MEND_H
#define RETARGET_MEND_H

#include "retarget/body.h"

/// Learned motions and some solvers get every joint to its place and leave the turns of hips and
/// spine to chance: the joints of no length below undo them. Where the line across hips or
/// shoulders says so, the turns of hips, spine, neck and shoulders are made anew from where the
/// joints are. True when it did.
bool lmbi_trunk_mend(const lmbi_humanoid *source, lmbi_motion *motion);

#endif
