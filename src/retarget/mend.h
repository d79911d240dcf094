/// Repair of trunks whose joint rotations contradict the joint positions.
#ifndef RETARGET_MEND_H
#define RETARGET_MEND_H

#include "retarget/body.h"

/// Learned motions and some solvers fit joint positions but leave the rotations of hips and spine
/// arbitrary, compensated by zero-length joints below. If the line across hips or shoulders shows
/// that, recomputes the rotations of hips, spine, neck and shoulders from positions. Returns
/// whether it did.
bool lmbi_trunk_repair(const lmbi_humanoid *source, lmbi_motion *motion);

#endif
