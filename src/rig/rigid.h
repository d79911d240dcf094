/// What follows one joint alone: the parts of machines and dolls, armour, props, eyes.
#ifndef RIG_RIGID_H
#define RIG_RIGID_H

#include "rig/heat.h"

/// The pieces of a surface and whom they follow.
typedef struct lmbi_rigid {
    lmbi_heat *heat;
    uint32_t piece_count;
    const uint32_t *piece_of; ///< [vertex_count]
    const double *sums;       ///< [piece][slot] weight, by area
    const double *totals;     ///< [piece] its area
    lmb_box *boxes;           ///< [piece]
    uint32_t *most;           ///< [piece] the slot that has half of its weight, or UINT32_MAX
    uint32_t *slots;          ///< [piece] the slot that it follows alone, or UINT32_MAX
} lmbi_rigid;

/// A piece in the middle of which a joint lies turns with it, and a piece at the root of a limb that
/// sits on a much larger rigid one is that one's socket; what sits on rigid ones alone follows them.
/// Needs everything else. Errors: MEMORY.
lmb_result lmbi_rigid_sockets(lmbi_rigid *rigid, lmb_error *error);

/// Takes back from pieces the joint that they follow alone where that would part them from what they
/// lie against. `areas`: [piece]. Errors: MEMORY.
lmb_result lmbi_rigid_contacts(lmbi_rigid *rigid, const double *areas, lmb_error *error);

/// Whether the joint lies in the middle of the piece.
bool lmbi_joint_in_middle(const lmbi_rigid *rigid, uint32_t piece, uint32_t slot);

/// Of the bones of a slot.
float lmbi_longest_bone(const lmbi_heat *heat, uint32_t slot);

#endif
