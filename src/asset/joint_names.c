/// A hash table of joint names.
#include "asset/asset.h"

#include <string.h>

#include "base/hash.h"

/// The slot that holds the name, or the empty slot where it would go. The table is never full.
static size_t find_slot(const lmbi_joint_names *n, const char *name)
{
    size_t slot = (size_t)lmbi_hash(LMBI_HASH_SEED, name, strlen(name)) & (n->slot_count - 1);
    while (n->slots[slot] != 0 && strcmp(n->skeleton->names[n->slots[slot] - 1], name) != 0) {
        slot = (slot + 1) & (n->slot_count - 1);
    }
    return slot;
}

bool lmbi_joint_names_make(const lmb_skeleton *skeleton, lmbi_arena *arena, lmbi_joint_names *out)
{
    lmbi_joint_names n = {.skeleton = skeleton, .slot_count = 2};
    while (n.slot_count / 2 < skeleton->joint_count) {
        n.slot_count *= 2;
    }
    n.slots = lmbi_arena_array(arena, n.slot_count, sizeof *n.slots);
    if (n.slots == NULL) {
        return false;
    }
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        uint32_t *slot = &n.slots[find_slot(&n, skeleton->names[j])];
        *slot = *slot == 0 ? j + 1 : *slot;
    }
    *out = n;
    return true;
}

int32_t lmbi_joint_names_find(const lmbi_joint_names *names, const char *name)
{
    return (int32_t)names->slots[find_slot(names, name)] - 1;
}
