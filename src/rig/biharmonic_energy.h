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

/// Nodes with held[node] != 0 are constrained. Errors: MEMORY.
lmb_result lmbi_energy_create(const lmbi_biharmonic *problem, const uint8_t *held,
                              lmbi_arena *arena, lmbi_energy *out, lmb_error *error);
/// y = L D L x over all nodes; `bent` is scratch of the same size.
void lmbi_energy_force(const lmbi_energy *energy, const double *x, double *bent, double *y);

#endif
