/// What anchors, motors and limits of a joint share.
#ifndef PHYSICS_WORLD_JOINT_H
#define PHYSICS_WORLD_JOINT_H

#include "physics/world.h"

/// A joint as it stands: what its torques and the push between its anchors do to each other.
typedef struct lmbi_joint_state {
    lmbi_rigid_body *a, *b;
    lmbi_v3 ra, rb;
    lmbi_v3 gap;       ///< from a's anchor to b's, less what a compliant anchor may keep
    lmbi_sym3 inverse; ///< of K: the push that closes a gap
} lmbi_joint_state;

lmbi_joint_state lmbi_joint_state_of(lmb_world *world, const lmbi_joint *joint, double h);
/// A torque t that turns b against a, and the push that closes the gap with it.
void lmbi_joint_apply(lmbi_joint *joint, const lmbi_joint_state *s, lmbi_v3 gap, lmbi_v3 t);
/// By how much a torque opens the gap.
lmbi_v3 lmbi_joint_gap_by_torque(const lmbi_joint_state *s, lmbi_v3 t);
/// By how much a torque turns b against a while the anchors stay together.
lmbi_sym3 lmbi_joint_inverse_inertia(const lmbi_joint_state *s);
/// How closing the gap turns b against a.
lmbi_v3 lmbi_joint_rotation_by_gap(const lmbi_joint_state *s);
/// world_from_frame of side 0 or 1.
lmbi_q4 lmbi_joint_frame(const lmbi_rigid_body *b, const lmbi_joint *joint, int side);
/// Solves the limit with the anchors. False where it has nothing to say.
bool lmbi_joint_solve_limit(const lmb_world *world, lmbi_joint *joint, const lmbi_joint_state *s);
/// How far it is out of its limit, as lmbi_rotation_vector measures.
double lmbi_joint_raw_excess(const lmb_world *world, const lmbi_joint *joint);

#endif
