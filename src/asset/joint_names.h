/// Hashed lookup of joints by name, for callers that look up many names: lmb_skeleton_find compares
/// all names for each lookup.
#ifndef ASSET_JOINT_NAMES_H
#define ASSET_JOINT_NAMES_H

#include "base/arena.h"
#include "limber/asset.h"

typedef struct lmbi_joint_names {
    const lmb_skeleton *skeleton;
    uint32_t *entries; ///< [entry_count] index of the joint plus 1; 0: empty
    size_t entry_count;
} lmbi_joint_names;

/// False when out of memory.
bool lmbi_joint_names_make(const lmb_skeleton *skeleton, lmbi_arena *arena, lmbi_joint_names *out);
/// As lmb_skeleton_find: the first joint of that name, or LMB_NONE.
int32_t lmbi_joint_names_find(const lmbi_joint_names *names, const char *name);

#endif
