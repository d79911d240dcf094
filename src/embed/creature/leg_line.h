/// The middle line of a leg, by slices at right angles to up.
#ifndef EMBED_CREATURE_LEG_LINE_H
#define EMBED_CREATURE_LEG_LINE_H

#include "embed/creature/body_shape.h"

enum { LMBI_LEG_SLICES = 256 };

/// From the foot up.
typedef struct lmbi_leg_line {
    uint32_t count;
    lmb_vec3 at[LMBI_LEG_SLICES]; ///< middles of the slices, y rising
    float area[LMBI_LEG_SLICES];
    float top; ///< y of the last slice
} lmbi_leg_line;

/// Follows what stands at `foot` (a lowest point, y up) through the slices up to y == top.
/// Errors: MEMORY.
lmb_result lmbi_leg_line_trace(const lmbi_body_shape *shape, lmb_vec3 foot, float top,
                               lmbi_leg_line *out, lmb_error *error);
/// The point of the line at a height; straight up from its end beyond that.
lmb_vec3 lmbi_leg_line_at(const lmbi_leg_line *line, float y);

#endif
