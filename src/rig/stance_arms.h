/// Which of several pairs of limbs are the arms.
#ifndef RIG_STANCE_ARMS_H
#define RIG_STANCE_ARMS_H

#include "rig/stance_view.h"

void lmbi_choose_arms(const lmbi_stance_view *v, const lmbi_tip *tips, lmbi_stance *s);

#endif
