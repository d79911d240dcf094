/// Figures that stand in a pose: one arm up, a leg before the other.
#ifndef EMBED_HUMAN_ASYMMETRIC_POSE_H
#define EMBED_HUMAN_ASYMMETRIC_POSE_H

#include "embed/human/tip_view.h"

/// Puts the best reading as a figure whose limbs are alike in length, wherever they point, into
/// *best where it costs less.
void lmbi_find_asymmetric_pose(const lmbi_tip_view *v, float prior, lmbi_pose_hypothesis *best);

/// Sets left (about the stance's up) and middle of a posed figure: of the planes that hands, feet
/// and both suggest, the one that halves the solid best.
void lmbi_asymmetric_pose_plane(const lmbi_tip_view *v, lmbi_pose_hypothesis *s);

#endif
