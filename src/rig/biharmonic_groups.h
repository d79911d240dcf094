/// Which handles keep so far apart that one right-hand side serves them all.
#ifndef RIG_BIHARMONIC_GROUPS_H
#define RIG_BIHARMONIC_GROUPS_H

#include "rig/biharmonic_energy.h"

/// Where a handle's weight is not 0, its domain, bending reaches two nodes farther and no more:
/// the weights of handles whose domains are that far from each other are found as one sum.
typedef struct lmbi_groups {
    uint8_t *domains;   ///< [handle_count][free_count] 1 in it and two nodes around
    uint32_t *group_of; ///< [handle_count]
    uint32_t count;
} lmbi_groups;

/// From weights [handle_count][free_count] that are nearly there; with `apart` every handle is a
/// group. Errors: MEMORY.
lmb_result lmbi_groups_create(const lmbi_energy *energy, const float *weights,
                              uint32_t handle_count, bool apart, lmbi_arena *arena,
                              lmbi_groups *out, lmb_error *error);
/// out_handle[free_count]: the handle of the group whose domain is fewest steps away; UINT32_MAX
/// where there is no way. `queue` is room for as many.
void lmbi_groups_label(const lmbi_groups *groups, const lmbi_energy *energy, uint32_t handle_count,
                       uint32_t group, uint32_t *out_handle, uint32_t *queue);

#endif
