/// Pose hypotheses of figures whose left and right limbs are in different poses: one arm up, a leg
/// before the other.
#ifndef EMBED_HUMAN_ASYMMETRIC_POSE_H
#define EMBED_HUMAN_ASYMMETRIC_POSE_H

#include "embed/human/tip_view.h"

/// Replaces *best by the best hypothesis whose paired limbs have the same length, in any direction,
/// if that costs less.
void lmbi_find_asymmetric_pose(const lmbi_tip_view *v, float prior, lmbi_pose_hypothesis *best);

/// Sets left (orthogonal to the pose's up) and plane_offset of an asymmetric pose: the best mirror
/// plane of those suggested by the hands, the feet and both.
void lmbi_asymmetric_pose_plane(const lmbi_tip_view *v, lmbi_pose_hypothesis *s);

#endif
