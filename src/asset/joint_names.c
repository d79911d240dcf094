/// A hash table of joint names, with open addressing and linear probing.
#include "asset/joint_names.h"

#include <string.h>

#include "base/hash.h"

/// The table entry that holds the name, or the empty entry to insert it at. At most half of the
/// entries are used, so the search ends.
static size_t find_entry(const lmbi_joint_names *n, const char *name)
{
    size_t entry = (size_t)lmbi_hash(LMBI_HASH_SEED, name, strlen(name)) & (n->entry_count - 1);
    while (n->entries[entry] != 0 && strcmp(n->skeleton->names[n->entries[entry] - 1], name) != 0) {
        entry = (entry + 1) & (n->entry_count - 1);
    }
    return entry;
}

bool lmbi_joint_names_make(const lmb_skeleton *skeleton, lmbi_arena *arena, lmbi_joint_names *out)
{
    lmbi_joint_names n = {.skeleton = skeleton, .entry_count = 2};
    while (n.entry_count / 2 < skeleton->joint_count) {
        n.entry_count *= 2;
    }
    n.entries = lmbi_arena_array(arena, n.entry_count, sizeof *n.entries);
    if (n.entries == NULL) {
        return false;
    }
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        uint32_t *entry = &n.entries[find_entry(&n, skeleton->names[j])];
        *entry = *entry == 0 ? j + 1 : *entry;
    }
    *out = n;
    return true;
}

int32_t lmbi_joint_names_find(const lmbi_joint_names *names, const char *name)
{
    return (int32_t)names->entries[find_entry(names, name)] - 1;
}
