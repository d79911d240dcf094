/// Shared by anchors, motors and limits of a joint.
#ifndef PHYSICS_WORLD_JOINT_H
#define PHYSICS_WORLD_JOINT_H

#include "physics/world.h"

/// Linearisation of a joint at the current positions: coupling of torques and anchor corrections.
typedef struct lmbi_joint_state {
    lmbi_rigid_body *a, *b;
    lmbi_v3 ra, rb;
    lmbi_v3 gap;       ///< from a's anchor to b's, less what compliance or deferral allows
    lmbi_sym3 inverse; ///< K^-1: correction that closes a gap
} lmbi_joint_state;

lmbi_joint_state lmbi_joint_state_of(lmb_world *world, const lmbi_joint *joint, double h);
/// Applies the torque t to b (and -t to a), and the correction that closes `gap`.
void lmbi_joint_apply(lmbi_joint *joint, const lmbi_joint_state *s, lmbi_v3 gap, lmbi_v3 t);
/// Gap opened by a torque.
lmbi_v3 lmbi_joint_gap_by_torque(const lmbi_joint_state *s, lmbi_v3 t);
/// Rotation of b relative to a per torque, with the anchors coincident.
lmbi_sym3 lmbi_joint_inverse_inertia(const lmbi_joint_state *s);
/// Rotation of b relative to a caused by closing the gap.
lmbi_v3 lmbi_joint_rotation_by_gap(const lmbi_joint_state *s);
/// world_from_frame of side 0 or 1.
lmbi_q4 lmbi_joint_frame(const lmbi_rigid_body *b, const lmbi_joint *joint, int side);
/// Solves the limit coupled with the anchors. False if the limit is inactive.
bool lmbi_joint_solve_limit(const lmb_world *world, lmbi_joint *joint, const lmbi_joint_state *s);
/// Excess over the limit, as lmbi_rotation_vector measures it.
double lmbi_joint_raw_excess(const lmb_world *world, const lmbi_joint *joint);

#endif
