/// Inside of lmb_ik_hold.
#ifndef IK_HOLD_H
#define IK_HOLD_H

#include "limber/ik.h"

/// Turns the toes of a leg up until their tip is at its floor. Returns whether they were below;
/// model_from_joint stays as it was.
bool lmbi_hold_tip(const lmb_ik_hold_job *job, uint32_t leg);

#endif
