/// Decomposition of a surface into pieces that boxes, capsules and spheres fit.
#ifndef PHYSICS_RIGID_PIECES_H
#define PHYSICS_RIGID_PIECES_H

#include "base/arena.h"
#include "limber/physics.h"

/// Smallest shape around some points of the surface. The box is always set.
typedef struct lmbi_piece {
    lmb_rigid_shape_kind kind;
    lmb_vec3 center, axes[3]; ///< unit, right-handed
    lmb_vec3 half;            ///< of the box, along the axes; never 0
    int axis;                 ///< index of a capsule's axis
    float radius, straight;   ///< radius of a sphere or capsule; half the straight part
} lmbi_piece;

/// Area vector of a triangle.
lmb_vec3 lmbi_mesh_area(const lmb_ground_mesh *mesh, uint32_t triangle);
double lmbi_piece_volume(const lmbi_piece *piece);
/// At most `most` pieces, fewer where more save little volume. False if out of memory.
bool lmbi_pieces_find(const lmb_ground_mesh *mesh, uint32_t most, lmbi_arena *arena,
                      lmbi_piece *out, uint32_t *count);

#endif
