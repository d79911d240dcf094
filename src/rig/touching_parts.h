/// Parts of a connected surface that only touch: a hand on a hip, thighs of a scan that merged.
#ifndef RIG_TOUCHING_PARTS_H
#define RIG_TOUCHING_PARTS_H

#include "linalg/linalg.h"
#include "rig/heat.h"
#include "rig/rig.h"

/// Distance along the skeleton between points on two joints' bones: along each chain to where they
/// branch, without the distance between the branches. 0 if the skeleton is unknown or the joints
/// have no common ancestor.
float lmbi_skeleton_distance(const lmbi_bones *bones, uint32_t a, lmb_vec3 on_a, uint32_t b,
                             lmb_vec3 on_b);

/// Whether the volumes of two slots only touch at vertex v: the distance along the skeleton between
/// their nearest bone points is much longer than the straight one, the surface is creased there,
/// and the surface separates the two chains.
/// Needs the tree, the pieces and the normals.
bool lmbi_only_touches(const lmbi_heat *heat, uint32_t v, uint32_t slot_a, uint32_t slot_b);

/// Removes the Laplacian's edges between parts of a connected surface that only touch. Needs the
/// sources. `laplacian` is of the surface. Errors: MEMORY.
lmb_result lmbi_cut_touching_parts(const lmbi_heat *heat, lmbi_sparse *laplacian, lmb_error *error);

/// Removes from the rows the weights of joints whose volume only touches that of the bone nearest
/// to the vertex's medial point. Rows do not sum to 1 afterwards.
void lmbi_remove_touching_weights(lmbi_heat *heat);

#endif
