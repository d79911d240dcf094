/// Binding with rows that are already there.
#ifndef RIG_BIND_H
#define RIG_BIND_H

#include "limber/rig.h"

/// lmb_bind with given rows, [vertices of all instances], joints in the skeleton, all of them
/// marked in `deforms`. Errors: INVALID for a joint scaled to nothing; MEMORY.
lmb_result lmbi_bind_rows(lmb_character **character, const lmb_skeleton *skeleton,
                          const uint8_t *deforms, const lmb_influences *rows,
                          const lmb_allocator *alloc, lmb_error *error);

#endif
