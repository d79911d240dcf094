/// Pieces that follow one joint alone: parts of machines and dolls, armour, props, eyes.
#ifndef RIG_RIGID_H
#define RIG_RIGID_H

#include "rig/heat.h"

/// The pieces of a surface and the joints they follow.
typedef struct lmbi_rigid {
    lmbi_heat *heat;
    uint32_t piece_count;
    const uint32_t *piece_of; ///< [vertex_count]
    const double *sums;       ///< [piece][slot] area-weighted sum of weights
    const double *totals;     ///< [piece] area
    lmb_box *boxes;           ///< [piece]
    uint32_t *most;           ///< [piece] the slot with half of its weight, or UINT32_MAX
    uint32_t *slots;          ///< [piece] the slot that it follows alone, or UINT32_MAX
} lmbi_rigid;

/// Binds a piece to the joint at its centre, and a piece at the root of a limb to the much larger
/// rigid piece it is a socket of. A piece that touches only rigid pieces follows them. Needs all
/// other fields. Errors: MEMORY.
lmb_result lmbi_rigid_sockets(lmbi_rigid *rigid, lmb_error *error);

/// Unbinds pieces from their one joint where that would separate them from pieces in contact.
/// `areas`: [piece]. Errors: MEMORY.
lmb_result lmbi_rigid_contacts(lmbi_rigid *rigid, const double *areas, lmb_error *error);

/// Binds pieces that have no vertices between the ends of their bones to the topmost joint, and with
/// them the rigid pieces at their ends. Errors: MEMORY.
lmb_result lmbi_rigid_blocks(lmbi_rigid *rigid, lmb_error *error);

/// Whether the joint has a bone in the bounds of the piece. The forearm of a raised arm is nearer
/// to the brim of a hat than the head is, but through air.
bool lmbi_has_bone_in_piece(const lmbi_rigid *rigid, uint32_t piece, uint32_t slot);

/// Whether the joint lies at the centre of the piece.
bool lmbi_joint_in_middle(const lmbi_rigid *rigid, uint32_t piece, uint32_t slot);

/// Whether the boxes come within `margin` of each other along every axis.
bool lmbi_boxes_meet(const lmb_box *a, const lmb_box *b, float margin);

/// Length of a slot's longest bone.
float lmbi_longest_bone(const lmbi_heat *heat, uint32_t slot);

#endif
