/// Fingers, looked for in finer voxels round each hand.
#ifndef RIG_FINGERS_H
#define RIG_FINGERS_H

#include "rig/place.h"

typedef struct lmbi_hand {
    bool found; ///< thumb and four fingers, each of them apart
    /// thumb, index, middle, ring, little; from the palm outward; in the figure's space
    lmb_vec3 joint[5][3];
    lmb_vec3 tip[5];
} lmbi_hand;

/// Looks at one hand of a figure. Errors: MEMORY.
lmb_result lmbi_find_fingers(const lmbi_figure *figure, const lmbi_placed *placed, int side,
                             lmbi_hand *out, lmb_error *error);

#endif
