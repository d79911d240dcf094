/// Binding with given weights.
#ifndef RIG_BIND_H
#define RIG_BIND_H

#include "limber/rig.h"

/// lmb_bind with given rows, one per vertex of all instances in order. All their joints, indices in
/// the skeleton, are marked in `deforms`. Errors: INVALID for a joint of zero scale; MEMORY.
lmb_result lmbi_bind_rows(lmb_character **character, const lmb_skeleton *skeleton,
                          const uint8_t *deforms, const lmb_influences *rows,
                          const lmb_allocator *alloc, lmb_error *error);

#endif
