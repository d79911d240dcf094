/// Access to the extensions of VRM files: joints by node, and the JSON that a character carries.
#ifndef MAPPING_VRM_H
#define MAPPING_VRM_H

#include "base/json.h"
#include "limber/mapping.h"

/// The joint of a glTF node, or LMB_NONE.
int32_t lmbi_joint_of_node(const lmb_skeleton *skeleton, uint32_t node);

/// Parses the JSON that the character carries from its file; NULL if there is none. False: out of
/// memory.
bool lmbi_carried_read(const lmb_character *character, lmbi_arena *arena, lmbi_json **root);

#endif
