/// A box in the world: what boxes against boxes and boxes against ground both ask of it.
#ifndef PHYSICS_BOX_FRAME_H
#define PHYSICS_BOX_FRAME_H

#include "physics/world.h"

enum { LMBI_POLYGON = 16 }; ///< corners of a face, cut by as many planes as anyone does

typedef struct lmbi_box_frame {
    lmbi_v3 center, axes[3];
    double half[3];
} lmbi_box_frame;

lmbi_box_frame lmbi_box_frame_of(const lmbi_rigid_shape *box);
/// How far the box goes from its centre along n.
double lmbi_box_extent(const lmbi_box_frame *box, lmbi_v3 n);
/// The corners of the face that looks most against n.
void lmbi_box_face(const lmbi_box_frame *box, lmbi_v3 n, lmbi_v3 corners[4]);
/// Keeps what of a polygon (LMBI_POLYGON corners at most) lies on the inner side: dot(n, p) <= most.
/// Returns how many corners are left.
int lmbi_polygon_clip(lmbi_v3 *polygon, int count, lmbi_v3 n, double most);

#endif
