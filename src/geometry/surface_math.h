/// Measures of surfaces and of points that coincide.
#ifndef GEOMETRY_SURFACE_MATH_H
#define GEOMETRY_SURFACE_MATH_H

#include "limber/geometry.h"

/// Numbers points so that coincident ones share a number. out_point[i] in [0, *out_count) is the
/// number of points[i]; numbers ascend in the order of first appearance. With tolerance 0 only
/// equal coordinates coincide (-0 equals 0). With tolerance > 0, in the unit of the points, a point
/// joins the first kept point within that distance, or is kept itself.
/// Errors: INVALID for a point that is not finite, a tolerance that is negative or not finite;
/// MEMORY.
lmb_result lmbi_weld(const lmb_vec3 *points, uint32_t count, float tolerance,
                     const lmb_allocator *alloc, uint32_t *out_point, uint32_t *out_count,
                     lmb_error *error);

/// out_normals[vertex_count]: unit; faces weighted by sin(angle) / (product of the two edges) (Max
/// 1999), zero where nothing is defined.
void lmbi_surface_vertex_normals(const lmb_surface *surface, lmb_vec3 *out_normals);

/// out_areas[triangle_count]. Returns the sum.
double lmbi_surface_areas(const lmb_surface *surface, float *out_areas);

#endif
