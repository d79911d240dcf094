/// Flesh that only touches: a hand on a hip, thighs of a scan that grew together.
#ifndef RIG_KIN_H
#define RIG_KIN_H

#include "linalg/linalg.h"
#include "rig/heat.h"

/// The way along the skeleton from a point on one joint's bone to a point on another's: along their
/// own bones to where the chains part. How far apart the chains begin does not count. 0 where
/// nothing is known of the skeleton, or the joints are of different ones.
float lmbi_kin_way(const lmb_bones *bones, uint32_t a, lmb_vec3 on_a, uint32_t b, lmb_vec3 on_b);

/// Whether two slots' flesh meets at vertex v by touching: the way along the skeleton between their
/// bones' points nearest to it is much longer than the straight one, the skin is creased there, and
/// on the way back to where their chains part skin lies between them.
/// Needs the tree, the pieces and the normals.
bool lmbi_only_touches(const lmbi_heat *heat, uint32_t v, uint32_t slot_a, uint32_t slot_b);

/// Stops the heat between vertices of a connected surface whose flesh only touches. Needs the
/// sources. `laplacian` is of the surface. Errors: MEMORY.
lmb_result lmbi_heat_part(const lmbi_heat *heat, lmb_sparse *laplacian, lmb_error *error);

/// Drops from the rows the weights of flesh that only touches that of the bone nearest to the middle
/// of the vertex's. Rows do not sum to 1 then.
void lmbi_kin_clean(lmbi_heat *heat);

#endif
