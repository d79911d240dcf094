/// The cheapest pose hypothesis of the tips with one axis as up.
#ifndef EMBED_HUMAN_WHOLE_POSE_H
#define EMBED_HUMAN_WHOLE_POSE_H

#include "embed/human/tip_view.h"

/// `prior` is the cost of the axis. Replaces `best` if it costs less.
void lmbi_find_whole_pose(const lmbi_tip_view *v, float prior, const lmbi_landmark_tips *known,
                          lmbi_pose_hypothesis *best);

#endif
