/// Bones near a vertex, measured from its medial point.
#ifndef RIG_HEAT_NEAR_H
#define RIG_HEAT_NEAR_H

#include "geometry/adjacency.h"
#include "rig/heat.h"

/// Nearest bones tested for each vertex: the first ones may be hidden by the surface of another
/// limb that intersects this one.
enum { LMBI_NEAR_BONES = 4 };

/// A bone as seen from a vertex.
typedef struct lmbi_near {
    float distance; ///< from the vertex
    /// distance from the vertex's medial point, times the bone's reach factors
    float counted;
    uint32_t bone;
    lmb_vec3 point; ///< the bone's point nearest to the vertex
} lmbi_near;

/// A distance to a bone, scaled by its reach. What the factor takes off grows up to the bone's
/// thickness and no further: past its own skin a leaf is not thicker than the bone above.
static inline float lmbi_reach_distance(const lmbi_heat *heat, uint32_t bone, float distance)
{
    const float r = heat->reach[bone], most = heat->thickness[bone];
    return distance <= most ? distance * r : distance - (1 - r) * most;
}

/// The bones nearest to the medial point of vertex v, nearest first; as many as `out` holds. The
/// first of equally near bones comes first. Needs the normals, the depths and the reach.
uint32_t lmbi_nearest_bones(const lmbi_heat *heat, uint32_t v, lmbi_near out[LMBI_NEAR_BONES]);
/// Finds the pieces of the surface, and vertex normals that point out of each piece. Errors:
/// MEMORY.
lmb_result lmbi_heat_pieces(lmbi_heat *heat, lmb_error *error);
/// Fills heat->depths. Needs the pieces, the normals and the tree. Errors: MEMORY.
lmb_result lmbi_heat_middles(lmbi_heat *heat, const lmbi_adjacency *around, lmb_error *error);
/// Fills heat->reach, heat->thickness and heat->beyond. Errors: MEMORY.
lmb_result lmbi_heat_reach(lmbi_heat *heat, lmb_error *error);

#endif
