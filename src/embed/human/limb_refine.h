/// Moves the placed joints of limbs to where those of bodies with known joints are that look alike:
/// a small network whose inputs are the line of the limb, the trunk and the joints as placed.
#ifndef EMBED_HUMAN_LIMB_REFINE_H
#define EMBED_HUMAN_LIMB_REFINE_H

#include "embed/human/human_joints.h"

/// Measures what the network of a limb sees, of the side whose x is mirrored to be positive:
/// joints [0..8] first, as placed. `limb` is 0 for an arm, 1 for a leg.
void lmbi_limb_look(const lmbi_figure_parts *work, const lmbi_human_joints *placed, int limb,
                    int side, float out[LMBI_LIMB_LOOK]);
/// Moves the joints of the limbs that are not guessed, unless the user gave landmarks. Fills
/// placed->look and placed->moved.
void lmbi_refine_limbs(const lmbi_figure_parts *work, lmbi_human_joints *placed);

#endif
