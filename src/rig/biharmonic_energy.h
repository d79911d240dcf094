/// Bending energy of a field over the unconstrained nodes.
#ifndef RIG_BIHARMONIC_ENERGY_H
#define RIG_BIHARMONIC_ENERGY_H

#include "base/arena.h"
#include "rig/biharmonic.h"

typedef struct lmbi_energy {
    uint32_t size, free_count;
    uint32_t *free_of; ///< [size] index among the free nodes, UINT32_MAX for a constrained one
    uint32_t *node_of; ///< [free_count]
    /// full rows of the Laplacian, columns ascending
    uint32_t *first, *columns;
    double *values;
    double *bending;    ///< [size] 1 / mass, 0 where hinged
    lmbi_sparse matrix; ///< L D L of the free nodes
} lmbi_energy;

/// Nodes with constrained[node] != 0 are constrained. Errors: MEMORY.
lmb_result lmbi_energy_create(const lmbi_biharmonic *problem, const uint8_t *constrained,
                              lmbi_arena *arena, lmbi_energy *out, lmb_error *error);
/// y = L D L x over all nodes; `bent` is scratch of the same size.
void lmbi_energy_force(const lmbi_energy *energy, const double *x, double *bent, double *y);

// ---- groups of handles with disjoint supports, each solved as one right-hand side

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
