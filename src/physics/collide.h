/// How deep the end of a spring is in a collider, and the way out.
#ifndef PHYSICS_COLLIDE_H
#define PHYSICS_COLLIDE_H

#include "limber/physics.h"

/// The distance from the ball of `radius` about p to the free side, negative inside, and the unit
/// direction to it where it is negative.
/// `fallback` is the direction of a point on the very middle.
float lmbi_spring_distance(const lmb_spring_collider *collider, const lmb_mat4 *world, lmb_vec3 p,
                           float radius, lmb_vec3 fallback, lmb_vec3 *direction);

#endif
