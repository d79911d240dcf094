/// A solid as a lattice of few nodes: cubes of several voxels a side. What touches in one cube
/// without being joined there (two fingers) has a node each (after the virtual nodes of Molino,
/// Bao, Fedkiw 2004).
#ifndef RIG_LATTICE_H
#define RIG_LATTICE_H

#include "rig/biharmonic.h"
#include "rig/solid.h"

typedef struct lmbi_cube_lattice {
    const lmbi_solid *solid;
    uint32_t side;        ///< of a cube, in voxels
    int32_t nx, ny, nz;   ///< cubes
    uint32_t count;       ///< nodes
    uint32_t *node_of;    ///< [solid count]
    uint32_t *cube_of;    ///< [count]
    double *masses;       ///< [count] share of the cube that is solid
    double *openness;     ///< [count] share of the six sides without a neighbour
    lmb_sparse laplacian; ///< by the area of the faces that voxels share, a cube's side being 1
    uint32_t *first, *neighbours; ///< [count + 1] of each node
} lmbi_cube_lattice;

/// Cubes as small as `most` nodes allow. Errors: MEMORY.
lmb_result lmbi_lattice_create(const lmbi_solid *solid, uint32_t most, lmbi_arena *arena,
                               lmbi_cube_lattice *out, lmb_error *error);

/// The nodes around a point and their shares, trilinear between the cubes' centres, of those that
/// are joined to the point's own node there. Returns how many; 0 when the point is off the solid.
enum { LMBI_LATTICE_AROUND = 16 };
uint32_t lmbi_lattice_around(const lmbi_cube_lattice *lattice, lmb_vec3 point,
                             uint32_t nodes[LMBI_LATTICE_AROUND],
                             float shares[LMBI_LATTICE_AROUND]);

#endif
