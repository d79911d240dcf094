/// Weights from distances to bones alone.
#ifndef RIG_BIND_H
#define RIG_BIND_H

#include "base/arena.h"
#include "limber/rig.h"

/// Rows of at most `influences` joints for each position, from the arena. Errors: MEMORY.
lmb_result lmbi_bind_nearest(const lmb_embedding *embedding, const lmb_vec3 *positions, uint32_t count, uint32_t influences, lmbi_arena *arena,
                             lmb_influences *out, lmb_error *error);

#endif
