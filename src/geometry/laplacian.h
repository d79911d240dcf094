/// The cotangent Laplacian of a surface.
#ifndef GEOMETRY_LAPLACIAN_H
#define GEOMETRY_LAPLACIAN_H

#include "limber/geometry.h"
#include "linalg/linalg.h"

/// The cotangent Laplacian (Pinkall, Polthier 1993): L(i,i) = -sum of L(i,j), L(i,j) = -(cot a +
/// cot b) / 2 over the triangles at the edge, any number of them. Positive semi-definite. Corners
/// of sliver triangles are clamped and no edge's weight is below a small positive share of its
/// uniform weight, so L is an M-matrix: heat flows through every edge and solutions keep within the
/// bounds of their sources. Invariant to scale.
typedef struct lmb_laplacian {
    lmb_sparse matrix; ///< lower triangle, [vertex_count] columns
    /// [vertex_count] a third of the triangles around, in square units of the surface
    double *areas;
    uint32_t clamped_count; ///< edges whose weight was raised
    lmb_allocator allocator;
} lmb_laplacian;

lmb_result lmb_laplacian_create(const lmb_surface *surface, const lmb_adjacency *adjacency,
                                const lmb_allocator *alloc, lmb_laplacian **out, lmb_error *error);
void lmb_laplacian_destroy(lmb_laplacian *laplacian);

#endif
