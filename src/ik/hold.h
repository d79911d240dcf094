/// Internal to lmb_ik_hold.
#ifndef IK_HOLD_H
#define IK_HOLD_H

#include "limber/ik.h"

/// Rotates the toes of a leg up until their tip is at its floor. Returns whether the tip was below;
/// model_from_joint is unchanged.
bool lmbi_hold_tip(const lmb_ik_hold_job *job, uint32_t leg);

#endif
