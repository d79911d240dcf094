/// What other programs call the joints of a humanoid.
#ifndef RIG_NAMES_H
#define RIG_NAMES_H

#include "limber/rig.h"

/// Renames the joints of a humanoid.
void lmbi_name_humanoid(lmb_joint_names scheme, lmb_embedding *embedding);

#endif
