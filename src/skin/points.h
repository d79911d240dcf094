/// A mesh as the deformers that look at its surface see it: welded points, one row of weights each.
#ifndef SKIN_POINTS_H
#define SKIN_POINTS_H

#include "limber/geometry.h"
#include "limber/skin.h"

/// INVALID without influences or for a joint of 65536 or more, UNSUPPORTED without triangles.
lmb_result lmbi_check_deformable(const lmb_mesh *mesh, lmb_error *error);

typedef struct lmbi_points {
    lmb_surface *surface; ///< vertex_of leads from a vertex of the mesh to its point
    uint32_t *first;      ///< [surface->vertex_count + 1] rows of weights
    lmb_influence *rows;  ///< the mean of the point's vertices, by rising joint, never empty
    uint32_t joint_count; ///< the highest joint and one
} lmbi_points;

/// Welds vertices at equal places. Errors: INVALID, MEMORY. Free with lmbi_points_free in any case.
lmb_result lmbi_points_create(const lmb_mesh *mesh, const lmb_allocator *alloc, lmbi_points *out,
                              lmb_error *error);
void lmbi_points_free(lmbi_points *points, const lmb_allocator *alloc);

/// The random walk over a surface that an implicit smoothing step averages by: row i has the
/// neighbours of point i and their shares, w_ij / sum of w_ij by the cotangent weights. A point
/// without triangles stays.
typedef struct lmbi_walk {
    uint32_t count;
    uint32_t *first; ///< [count + 1]
    uint32_t *neighbors;
    double *shares;
} lmbi_walk;

lmb_result lmbi_walk_create(const lmb_surface *surface, const lmb_allocator *alloc, lmbi_walk *out,
                            lmb_error *error);
void lmbi_walk_free(lmbi_walk *walk, const lmb_allocator *alloc);

#endif
