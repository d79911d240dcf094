/// The best reading of tips as a figure, with one axis as up.
#ifndef EMBED_HUMAN_WHOLE_POSE_H
#define EMBED_HUMAN_WHOLE_POSE_H

#include "embed/human/tip_view.h"

/// `prior` is what the axis costs; `known` may be NULL. Takes the place of `best` where it costs
/// less.
void lmbi_read_whole(const lmbi_stance_view *v, float prior, const lmbi_marked_tips *known,
                     lmbi_stance *best);

#endif
