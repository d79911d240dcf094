/// How a body stands in a shape that was rotated to a reading: the legs that carry it, and the limb
/// tips of its chains.
#ifndef EMBED_CREATURE_STAND_H
#define EMBED_CREATURE_STAND_H

#include "embed/creature/body_shape.h"
#include "embed/match/search.h"

typedef struct lmbi_leg_pair {
    lmb_vec3 foot[2]; ///< lowest points; [0] is the left one
    float length;     ///< free length of the shorter leg
    float free;       ///< height where the first of the two joins another branch
} lmbi_leg_pair;

enum { LMBI_MAX_PAIRS = 4 };

typedef struct lmbi_stand {
    lmbi_leg_pair pairs[LMBI_MAX_PAIRS]; ///< from the hind ones to the front ones
    uint32_t pair_count;
    /// tip of each chain among those of the shape, LMB_NONE where none is seen
    int32_t tips[LMBI_CHAINS][2];
} lmbi_stand;

/// Whether the reading shows every chain that its plan cannot be without.
bool lmbi_reading_is_whole(const lmbi_reading *reading);
/// The stand in a shape that lmbi_body_shape_create_rotated made of the reading's axes. `coarse` has
/// the tips of the reading, in `frame`. Errors: MEMORY.
lmb_result lmbi_stand_find(const lmbi_body_shape *shape, const lmbi_reading *reading,
                           const lmbi_voxelisation *coarse, const lmbi_frame *frame,
                           lmbi_stand *out, lmb_error *error);

#endif
