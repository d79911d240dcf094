/// Which bones are near a vertex, as seen from the middle of its flesh.
#ifndef RIG_HEAT_NEAR_H
#define RIG_HEAT_NEAR_H

#include "rig/heat.h"

/// How many of the nearest bones a vertex looks at: the nearest may be behind the wall of another
/// limb that sticks in the same flesh.
enum { LMBI_LOOKS = 4 };

/// A bone as seen from a vertex.
typedef struct lmbi_near {
    float distance; ///< from the vertex
    /// from the middle of the flesh under it, less where the bone reaches farther than others
    float counted;
    uint32_t bone;
    lmb_vec3 point; ///< of the bone, the one nearest to the vertex
} lmbi_near;

/// The bones nearest to the middle of the flesh under vertex v, nearest first; as many as `out`
/// takes. Of equal distances the first bone comes first. Needs the normals, the depths and the
/// reach.
uint32_t lmbi_nearest_bones(const lmbi_heat *heat, uint32_t v, lmbi_near out[LMBI_LOOKS]);
/// Finds the pieces of the surface, and the normals, which look outward of each piece. Errors:
/// MEMORY.
lmb_result lmbi_heat_pieces(lmbi_heat *heat, lmb_error *error);
/// Fills heat->depths. Needs the pieces, the normals and the tree. Errors: MEMORY.
lmb_result lmbi_heat_middles(lmbi_heat *heat, const lmb_adjacency *around, lmb_error *error);
/// Fills heat->reach and heat->beyond. Errors: MEMORY.
lmb_result lmbi_heat_reach(lmbi_heat *heat, lmb_error *error);

#endif
