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

// Box in world space, for tests of boxes with boxes and with grounds.

enum { LMBI_POLYGON = 16 }; ///< capacity: a face's 4 corners and at most 1 more per clip

typedef struct lmbi_box_frame {
    lmbi_v3 center, axes[3];
    double half[3];
} lmbi_box_frame;

lmbi_box_frame lmbi_box_frame_of(const lmbi_rigid_shape *box);
/// Half extent of the box along n.
double lmbi_box_extent(const lmbi_box_frame *box, lmbi_v3 n);
/// Corners of the face whose normal is most opposed to n.
void lmbi_box_face(const lmbi_box_frame *box, lmbi_v3 n, lmbi_v3 corners[4]);
/// Clips a polygon of at most LMBI_POLYGON corners to dot(n, p) <= most. Returns the new corner
/// count.
int lmbi_polygon_clip(lmbi_v3 *polygon, int count, lmbi_v3 n, double most);

#endif
