/// Relations of human bones and joints.
#ifndef MAPPING_MAPPING_H
#define MAPPING_MAPPING_H

#include "base/json.h"
#include "base/text.h"
#include "limber/asset.h"
#include "limber/mapping.h"

/// The parent as in VRM ("leftShoulder" for "leftUpperArm"); LMB_HUMAN_BONE_COUNT for the hips.
lmb_human_bone lmbi_human_bone_parent(lmb_human_bone bone);

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

/// A section of a joint map file: what its writer takes, and the skeleton whose joints it names.
/// Left out if either is NULL.
typedef struct lmbi_map_section {
    const void *map;
    const lmb_skeleton *skeleton;
} lmbi_map_section;

/// Writes the sections of a character and of a motion.
lmb_result lmbi_map_file_write(void (*write_section)(lmbi_text *text, const char *name,
                                                     const lmbi_map_section *section),
                               const lmbi_map_section sections[2], const lmb_allocator *alloc,
                               lmb_buffer *out, lmb_error *error);

#endif
