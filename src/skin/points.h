/// A mesh prepared for deformers that use its surface: vertices welded to points, one weight row
/// per point.
#ifndef SKIN_POINTS_H
#define SKIN_POINTS_H

#include "limber/geometry.h"
#include "limber/skin.h"

/// INVALID without influences or with a joint of 65536 or more, UNSUPPORTED without triangles.
lmb_result lmbi_check_deformable(const lmb_mesh *mesh, lmb_error *error);

typedef struct lmbi_points {
    lmb_surface *surface; ///< vertex_of maps mesh vertices to points
    uint32_t *first;      ///< [surface->vertex_count + 1] in `rows`
    lmb_influence *rows;  ///< mean of the point's vertices, joints ascending, never empty
    uint32_t joint_count; ///< highest joint index + 1
} lmbi_points;

/// Welds vertices at equal positions. Errors: INVALID, MEMORY. Free with lmbi_points_free in either
/// case.
lmb_result lmbi_points_create(const lmb_mesh *mesh, const lmb_allocator *alloc, lmbi_points *out,
                              lmb_error *error);
void lmbi_points_free(lmbi_points *points, const lmb_allocator *alloc);

/// The random walk of an implicit smoothing step, in CSR form. Row i has the neighbours of point i
/// and their transition weights, w_ij / sum of w_ij with cotangent weights w_ij. A point without
/// triangles has an empty row and stays.
typedef struct lmbi_walk {
    uint32_t count;
    uint32_t *first; ///< [count + 1]
    uint32_t *neighbors;
    double *weights;
} lmbi_walk;

lmb_result lmbi_walk_create(const lmb_surface *surface, const lmb_allocator *alloc, lmbi_walk *out,
                            lmb_error *error);
void lmbi_walk_free(lmbi_walk *walk, const lmb_allocator *alloc);

#endif
