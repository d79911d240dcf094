/// Groups of handles with disjoint supports, each solved as one right-hand side.
#ifndef RIG_BIHARMONIC_GROUPS_H
#define RIG_BIHARMONIC_GROUPS_H

#include "rig/biharmonic_energy.h"

/// A handle's domain is where its weight is not 0. The bending operator reaches two nodes beyond
/// it, so handles whose grown domains do not overlap can be solved as one sum.
typedef struct lmbi_groups {
    uint8_t *domains;   ///< [handle_count][free_count] 1 in the domain and within two nodes of it
    uint32_t *group_of; ///< [handle_count]
    uint32_t count;
} lmbi_groups;

/// `weights` [handle_count][free_count] are approximate; with `ungrouped` every handle is a group.
/// Errors: MEMORY.
lmb_result lmbi_groups_create(const lmbi_energy *energy, const float *weights,
                              uint32_t handle_count, bool ungrouped, lmbi_arena *arena,
                              lmbi_groups *out, lmb_error *error);
/// out_handle[free_count]: the group's handle whose domain is fewest edges away; UINT32_MAX where
/// none is connected. `queue` is scratch of the same size.
void lmbi_groups_label(const lmbi_groups *groups, const lmbi_energy *energy, uint32_t handle_count,
                       uint32_t group, uint32_t *out_handle, uint32_t *queue);

#endif
