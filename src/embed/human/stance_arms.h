/// Which of several pairs of limbs are the arms.
#ifndef EMBED_HUMAN_STANCE_ARMS_H
#define EMBED_HUMAN_STANCE_ARMS_H

#include "embed/human/tip_view.h"

void lmbi_choose_arms(const lmbi_tip_view *v, const lmbi_tip *tips, lmbi_pose_hypothesis *s);

#endif
