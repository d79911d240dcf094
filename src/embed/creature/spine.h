/// Body parts on the mirror plane: the vertical extent of the trunk, head and neck in front, the
/// tail behind. In a rotated shape: x to the left, y up, z forward.
#ifndef EMBED_CREATURE_SPINE_H
#define EMBED_CREATURE_SPINE_H

#include "embed/creature/body_shape.h"

/// The longest unbroken run of solid voxels above (0, ., z). False if there is none.
bool lmbi_trunk_span(const lmbi_body_shape *shape, float z, float *out_low, float *out_high);

typedef struct lmbi_head_line {
    lmb_vec3 muzzle, head, neck;
    float sure;
} lmbi_head_line;

/// Head and neck before `front`, the z of the shoulders; `length` is that of the trunk.
lmbi_head_line lmbi_head_find(const lmbi_body_shape *shape, float front, float length);

typedef struct lmbi_tail_line {
    lmb_vec3 at[4]; ///< three joints and the tip
} lmbi_tail_line;

/// The tail behind `back`, the z of the hips, with its root no lower than `low`. False if there is
/// no tail.
bool lmbi_tail_find(const lmbi_body_shape *shape, float back, float low, lmbi_tail_line *out);

#endif
