/// What lies on the mirror plane: the trunk from below to above, head and neck before it, the tail
/// behind. In a survey that is turned: x to the left, y up, z forward.
#ifndef EMBED_CREATURE_SPINE_H
#define EMBED_CREATURE_SPINE_H

#include "embed/creature/body_shape.h"

/// The longest unbroken stretch of solid above (0, ., z). False where there is none.
bool lmbi_trunk_span(const lmbi_body_shape *shape, float z, float *out_low, float *out_high);

typedef struct lmbi_head_line {
    lmb_vec3 muzzle, head, neck;
    float sure;
} lmbi_head_line;

/// Before `front` (z of the shoulders); `length` is that of the trunk.
lmbi_head_line lmbi_head_find(const lmbi_body_shape *shape, float front, float length);

typedef struct lmbi_tail_line {
    lmb_vec3 at[4]; ///< three joints and the tip
} lmbi_tail_line;

/// Behind `back` (z of the hips), its root no lower than `low`. False where there is no tail.
bool lmbi_tail_find(const lmbi_body_shape *shape, float back, float low, lmbi_tail_line *out);

#endif
