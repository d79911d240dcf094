/// Relations of human bones and joints.
#ifndef MAPPING_MAPPING_H
#define MAPPING_MAPPING_H

#include "base/json.h"
#include "base/text.h"
#include "limber/asset.h"
#include "limber/mapping.h"

/// The parent as in VRM ("leftShoulder" for "leftUpperArm"); LMB_HUMAN_BONE_COUNT for the hips.
lmb_human_bone lmbi_human_bone_parent(lmb_human_bone bone);

/// Left and right thigh, left and right upper arm, as lmb_human_bone.
enum { LMBI_UPPER_BONES = 4 };
extern const uint8_t lmbi_upper_bones[LMBI_UPPER_BONES];

/// Whether a limb, given by its upper bone, is of one joint, as those of toys of blocks are: on both
/// sides nothing but that bone was found of it.
bool lmbi_limb_is_single(const lmb_joint_map *map, lmb_human_bone upper);

/// Computes the spine and neck chains of a map whose bones were set by hand, and its confidence.
void lmbi_joint_map_complete(lmb_joint_map *map, const lmb_skeleton *skeleton);

// ---- What joint map files with bones and with chains have in common.

/// Parses a joint map file and finds a section of it; NULL if that is absent.
lmb_result lmbi_map_file_read(const void *bytes, size_t size, const char *section,
                              lmbi_arena *arena, const lmbi_json **out, lmb_error *error);
/// MALFORMED at a value's line and column. `found` is a name to report, NULL for the value itself.
lmb_result lmbi_map_file_fail(const void *bytes, const lmbi_json *value, const char *expected,
                              const char *found, lmb_error *error);
/// The same for an unknown key of a member.
lmb_result lmbi_map_file_fail_key(const void *bytes, const lmbi_json *member, const char *expected,
                                  lmb_error *error);

/// The bones of a section, over those of the map; `found` tells whether the section exists.
lmb_result lmbi_bone_section_read(const void *bytes, size_t size, const char *section,
                                  const lmb_skeleton *skeleton, lmbi_arena *arena,
                                  lmb_joint_map *map, bool *found, lmb_error *error);
/// A member for each bone.
void lmbi_bone_section_write(lmbi_text *text, const lmb_joint_map *map,
                             const lmb_skeleton *skeleton);
/// The chains of a section, over those of the map; `found` tells whether it has any. Limbs and root
/// are completed from the rest pose.
lmb_result lmbi_chain_section_read(const void *bytes, size_t size, const char *section,
                                   const lmb_skeleton *skeleton, lmbi_arena *arena,
                                   lmb_chain_map *map, bool *found, lmb_error *error);
/// The member "chains" of a section.
void lmbi_chain_section_write(lmbi_text *text, const lmb_chain_map *map,
                              const lmb_skeleton *skeleton);

/// Whether the map rests on shape alone (no name, no given bone) and has less than half of the
/// required bones: any tree with two similar branches yields that much.
bool lmbi_joint_map_is_guess(const lmb_joint_map *map);

#endif
