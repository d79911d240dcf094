/// Commands to a world that ragdolls give.
#ifndef PHYSICS_PHYSICS_H
#define PHYSICS_PHYSICS_H

#include "limber/physics.h"

/// Sets the velocities that take a kinematic body to a pose within the next step.
void lmbi_world_carry(lmb_world *world, uint32_t body, lmb_vec3 position, lmb_quat rotation,
                      float dt_s);

/// Makes a body kinematic and stops it (false), or restores its mass (true).
void lmbi_world_set_moving(lmb_world *world, uint32_t body, bool moves);

/// Adds a force (N) and torque (N m), in the world, for the whole of the next step.
void lmbi_world_force(lmb_world *world, uint32_t body, lmb_vec3 force, lmb_vec3 torque);
void lmbi_world_set_motor(lmb_world *world, uint32_t joint, const lmb_rigid_motor *motor);

#endif
