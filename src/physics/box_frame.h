/// Box in world space, for tests of boxes with boxes and with grounds.
#ifndef PHYSICS_BOX_FRAME_H
#define PHYSICS_BOX_FRAME_H

#include "physics/world.h"

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
