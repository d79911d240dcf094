/// Delaunay triangulation of a few points of the plane.
#ifndef ANIM_DELAUNAY_H
#define ANIM_DELAUNAY_H

#include "limber/math.h"

/// Twice the signed area of the triangle a b c, positive counter-clockwise. For floats of one
/// magnitude its sign is exact.
double lmbi_orient(lmb_vec2 a, lmb_vec2 b, lmb_vec2 c);

/// `order` sorts the points by x, then y. Points are distinct and not all collinear. Writes up to
/// 2 * count counter-clockwise triangles, and up to `count` points of the convex hull,
/// counter-clockwise, including those on its edges.
void lmbi_delaunay_triangulate(const lmb_vec2 *points, const uint32_t *order, uint32_t count,
                               uint32_t (*triangles)[3], uint32_t *triangle_count, uint32_t *hull,
                               uint32_t *hull_count);

#endif
