/// The cotangent Laplacian of a surface.
#ifndef GEOMETRY_LAPLACIAN_H
#define GEOMETRY_LAPLACIAN_H

#include "geometry/adjacency.h"
#include "limber/geometry.h"
#include "linalg/linalg.h"

/// The cotangent Laplacian (Pinkall, Polthier 1993): L(i,i) = -sum of L(i,j), L(i,j) = -(cot a +
/// cot b) / 2 over the triangles at the edge, any number of them. Positive semi-definite. Corners
/// of slivers are clamped and edge weights have a small positive minimum, so L is an M-matrix: heat
/// flows through every edge and solutions stay within the range of their sources. Scale-invariant.
typedef struct lmbi_laplacian {
    lmbi_sparse matrix; ///< lower triangle, [vertex_count] columns
    /// [vertex_count] a third of the adjacent triangles' area, in square units of the surface
    double *areas;
    uint32_t clamped_count; ///< edges raised to the least weight
    lmb_allocator allocator;
} lmbi_laplacian;

lmb_result lmbi_laplacian_create(const lmb_surface *surface, const lmbi_adjacency *adjacency,
                                 const lmb_allocator *alloc, lmbi_laplacian **out,
                                 lmb_error *error);
void lmbi_laplacian_destroy(lmbi_laplacian *laplacian);

#endif
