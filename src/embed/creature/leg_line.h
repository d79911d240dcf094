/// The middle line of a leg, from the centroids of horizontal slices.
#ifndef EMBED_CREATURE_LEG_LINE_H
#define EMBED_CREATURE_LEG_LINE_H

#include "embed/creature/body_shape.h"

enum { LMBI_LEG_SLICES = 256 };

/// Upward from the foot.
typedef struct lmbi_leg_line {
    uint32_t count;
    lmb_vec3 at[LMBI_LEG_SLICES]; ///< centroids of the slices, y rising
    float area[LMBI_LEG_SLICES];
    float top; ///< y of the last slice
} lmbi_leg_line;

/// Follows the leg at `foot` (a lowest point) upward through connected slices to y == top. Errors:
/// MEMORY.
lmb_result lmbi_leg_line_trace(const lmbi_body_shape *shape, lmb_vec3 foot, float top,
                               lmbi_leg_line *out, lmb_error *error);
/// The point of the line at a height; vertically above or below its ends beyond them.
lmb_vec3 lmbi_leg_line_at(const lmbi_leg_line *line, float y);

#endif
