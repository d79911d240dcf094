/// Rows of weights of welded vertices, for the vertices they were welded from.
#ifndef RIG_WEIGH_SPREAD_H
#define RIG_WEIGH_SPREAD_H

#include "base/arena.h"
#include "limber/rig.h"

/// Copies rows from welded vertices: vertex i gets the row of vertex_of[i]. Errors: MEMORY.
lmb_result lmbi_weigh_spread(const lmb_weights *weights, const uint32_t *vertex_of, uint32_t count,
                             lmbi_arena *arena, lmb_influences *out, lmb_error *error);

#endif
