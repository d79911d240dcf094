/// Access to the extensions of VRM files: joints by node, and the JSON that a character carries.
#ifndef MAPPING_VRM_H
#define MAPPING_VRM_H

#include "base/json.h"
#include "limber/mapping.h"

/// The joint of a glTF node, or LMB_NONE.
int32_t lmbi_joint_of_node(const lmb_skeleton *skeleton, uint32_t node);

/// Whether the extension of that name refers to nodes by index, as those of VRM do for humanoid, first
/// person, look-at, morphs and springs; not those of its materials.
bool lmbi_vrm_names_nodes(const char *name, size_t size);

/// Parses the JSON that the character carries from its file; NULL if there is none. False: out of
/// memory.
bool lmbi_carried_read(const lmb_character *character, lmbi_arena *arena, lmbi_json **root);

#endif
