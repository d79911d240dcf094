/// Figures of which one pair of limbs is not seen: arms that are part of the outline, feet in a
/// robe. Each takes the place of `best` where it costs less.
#ifndef EMBED_HUMAN_STANCE_PARTIAL_H
#define EMBED_HUMAN_STANCE_PARTIAL_H

#include "embed/human/tip_view.h"

/// Tips a and b are its feet, which cost `cost`.
void lmbi_find_armless_pose(const lmbi_tip_view *v, uint32_t a, uint32_t b, float cost,
                            lmbi_pose_hypothesis *best);
void lmbi_find_footless_pose(const lmbi_tip_view *v, float prior, lmbi_pose_hypothesis *best);

#endif
