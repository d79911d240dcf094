/// Rigid parts beside the body, told by the character's own clips.
#ifndef AUTHOR_CARRY_H
#define AUTHOR_CARRY_H

#include "base/arena.h"
#include "limber/asset.h"

/// Finds what holds the meshes without a skin that hang from loose joints (`part` 0; 1 is the
/// body's): the joint of the body to which such a part keeps still while it moves itself, in the
/// first of the character's clips where one does. Sets carrier[joint] where it is LMB_NONE, and
/// carrier_from_joint[joint], and counts them. `height` is the body's. Errors: MEMORY.
lmb_result lmbi_find_holders(const lmb_character *character, const uint8_t *part, float height,
                             lmbi_arena *arena, int32_t *carrier, lmb_mat4 *carrier_from_joint,
                             uint32_t *count, lmb_error *error);

#endif
