/// Which way a figure looks.
#ifndef EMBED_HUMAN_STANCE_FACING_H
#define EMBED_HUMAN_STANCE_FACING_H

#include "embed/human/tip_view.h"

/// How far toes lie before shins along `axis`, both sides added, in heights.
float lmbi_toes_hint(const lmbi_tip_view *v, const lmbi_pose_hypothesis *s, const lmbi_tip *tips,
                     lmb_vec3 axis);
/// Above 0 where the body looks along `axis`: a sum of hints in heights.
float lmbi_facing_hint(const lmbi_tip_view *v, const lmbi_pose_hypothesis *s, const lmbi_tip *tips,
                       lmb_vec3 axis);

#endif
