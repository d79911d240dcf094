/// Humanoid joint names of other programs.
#ifndef AUTHOR_NAMES_H
#define AUTHOR_NAMES_H

#include "limber/author.h"

/// Renames the joints of a humanoid.
void lmbi_name_humanoid(lmb_joint_names scheme, lmb_embedding *embedding);

#endif
