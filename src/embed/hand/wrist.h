/// Where a hand ends and its forearm begins.
#ifndef EMBED_HAND_WRIST_H
#define EMBED_HAND_WRIST_H

#include "embed/shape/limb_line.h"

typedef struct lmbi_wrist {
    lmb_vec3 at;
    bool seen; ///< by how the hand narrows, and not a usual share of its width
} lmbi_wrist;

/// In the space of a look at a hand, where y runs along the palm. `knuckles`: the middle of the
/// four; `width`: from the first of them to the last; `finger`: length of the middle one.
lmbi_wrist lmbi_wrist_find(const lmbi_voxel_body *body, lmb_vec3 knuckles, float width,
                           float finger);

#endif
