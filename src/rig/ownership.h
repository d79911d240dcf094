/// Ownership of the volume: how strongly each joint claims what lies near it, from what can be measured
/// of joints and the volume around them. The claim scales distances to the joint's bones before any solve.
#ifndef RIG_OWNERSHIP_H
#define RIG_OWNERSHIP_H

#include "rig/heat_near.h"

enum { LMBI_JOINT_FEATURES = 7, LMBI_OWNERSHIP = 2 * LMBI_JOINT_FEATURES };

/// What was measured of the slots of a solver.
typedef struct lmbi_ownership {
    float *features;     ///< [slot_count][LMBI_JOINT_FEATURES]
    uint32_t *own_piece; ///< [slot_count] the small piece that the joint lies in, or UINT32_MAX
} lmbi_ownership;

/// Measures joints. Needs the tree, the pieces, the depths and the reach. Allocates in heat's arena.
/// Errors: MEMORY.
lmb_result lmbi_ownership_measure(lmbi_heat *heat, lmbi_ownership *out, lmb_error *error);

/// Fills the claims and strengths from the coefficients [LMBI_OWNERSHIP], or those shipped when
/// NULL: distances to a joint are multiplied by exp(c . x), its heat by exp(d . x), c the first half
/// of them and d the second. Errors: MEMORY.
lmb_result lmbi_ownership_claim(lmbi_heat *heat, const float *coefficients, lmb_error *error);

/// Adds to each vertex's area ([vertex_count], zeros before) a third of each of its triangles'.
void lmbi_vertex_areas(const lmb_surface *surface, float *areas);

/// Factor of distances from a vertex to the bones of a slot.
static inline float lmbi_claim(const lmbi_heat *heat, uint32_t slot, uint32_t v)
{
    return heat->own_piece[slot] == heat->piece_of_vertex[v] ? heat->own_claims[slot]
                                                             : heat->claims[slot];
}

#endif
