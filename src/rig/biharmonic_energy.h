/// The bending energy of a field over the nodes that are not held.
#ifndef RIG_BIHARMONIC_ENERGY_H
#define RIG_BIHARMONIC_ENERGY_H

#include "base/arena.h"
#include "rig/biharmonic.h"

typedef struct lmbi_energy {
    uint32_t size, free_count;
    uint32_t *free_of; ///< [size] its number among the free nodes, UINT32_MAX for a held one
    uint32_t *node_of; ///< [free_count]
    /// the Laplacian by whole rows, columns rising
    uint32_t *first, *columns;
    double *values;
    double *bending;   ///< [size] 1 / mass, 0 where hinged
    lmb_sparse matrix; ///< L D L of the free nodes
} lmbi_energy;

/// Nodes with held[node] != 0 are not free. Errors: MEMORY.
lmb_result lmbi_energy_create(const lmbi_biharmonic *problem, const uint8_t *held,
                              lmbi_arena *arena, lmbi_energy *out, lmb_error *error);
/// y = L D L x over all nodes; `bent` is room for as many.
void lmbi_energy_force(const lmbi_energy *energy, const double *x, double *bent, double *y);

#endif
