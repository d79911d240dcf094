/// A coarse lattice of a voxel solid: cubes of several voxels a side. Parts in one cube that are
/// not connected there, such as two fingers, get separate nodes (virtual nodes, Molino, Bao, Fedkiw
/// 2004).
#ifndef RIG_LATTICE_H
#define RIG_LATTICE_H

#include "rig/biharmonic.h"
#include "rig/solid.h"

typedef struct lmbi_cube_lattice {
    const lmbi_solid *solid;
    uint32_t side;                ///< of a cube, in voxels
    int32_t nx, ny, nz;           ///< cubes
    uint32_t count;               ///< nodes
    uint32_t *node_of;            ///< [solid count]
    uint32_t *cube_of;            ///< [count]
    double *masses;               ///< [count] fraction of the cube that is solid
    double *openness;             ///< [count] fraction of the six sides without a neighbour
    lmbi_sparse laplacian;        ///< weighted by the shared area of voxel faces, in cube faces
    uint32_t *first, *neighbours; ///< [count + 1] of each node
} lmbi_cube_lattice;

/// Uses the smallest cubes that give at most `most` nodes. Errors: MEMORY.
lmb_result lmbi_lattice_create(const lmbi_solid *solid, uint32_t most, lmbi_arena *arena,
                               lmbi_cube_lattice *out, lmb_error *error);

/// The nodes around a point that are connected to its own node, and their trilinear weights.
/// Returns their count; 0 when the point is outside the solid.
enum { LMBI_LATTICE_AROUND = 16 };
uint32_t lmbi_lattice_around(const lmbi_cube_lattice *lattice, lmb_vec3 point,
                             uint32_t nodes[LMBI_LATTICE_AROUND],
                             float shares[LMBI_LATTICE_AROUND]);

#endif
