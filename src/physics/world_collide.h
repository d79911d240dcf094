/// Shared by the collision tests of shape pairs.
#ifndef PHYSICS_WORLD_COLLIDE_H
#define PHYSICS_WORLD_COLLIDE_H

#include "physics/world.h"

/// Two shapes and the contacts found so far.
typedef struct lmbi_collision {
    const lmb_world *world;
    const lmbi_rigid_shape *a, *b;
    double size, margin; ///< of the smaller shape; contact distance, metres
    lmbi_contact *out;
    uint32_t most, count;
} lmbi_collision;

/// Adds a contact from world points on the two surfaces; the normal points from b to a.
void lmbi_contact_add(lmbi_collision *m, lmbi_v3 on_a, lmbi_v3 on_b, lmbi_v3 normal);

lmbi_v3 lmbi_box_corner(const lmbi_rigid_shape *box, int corner);
/// Box against sphere or capsule, in either order.
void lmbi_box_collide_round(lmbi_collision *m);
void lmbi_boxes_collide(lmbi_collision *m);

#endif
