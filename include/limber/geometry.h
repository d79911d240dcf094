/// Geometry of triangle surfaces: welding, adjacency, components, a triangle tree.
///
/// Positions are in any unit; tolerances in that unit say so. Triangles are counter-clockwise seen
/// from outside, but need not form a closed, oriented or manifold surface: open, doubled,
/// degenerate and non-manifold pieces are valid input.
#ifndef LIMBER_GEOMETRY_H
#define LIMBER_GEOMETRY_H

#include "limber/base.h"
#include "limber/jobs.h"
#include "limber/math.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------- surface

/// Triangles over welded vertices, without seams, normals or materials: the input of solvers.
typedef struct lmb_surface {
    uint32_t vertex_count;
    lmb_vec3 *positions;
    uint32_t triangle_count;
    uint32_t *triangles; ///< [triangle_count][3]
    /// [part_vertex_count] the welded vertex of each vertex of each part, parts one after another:
    /// maps results back to render vertices.
    uint32_t *vertex_of;
    uint32_t part_vertex_count;
    lmb_allocator allocator; ///< set by create
} lmb_surface;

/// A mesh's triangles and their transform to the surface's space.
typedef struct lmb_surface_part {
    const lmb_vec3 *positions;
    uint32_t vertex_count;
    const uint32_t *indices; ///< in threes
    uint32_t index_count;
    lmb_mat4 model_from_part; ///< all zero means identity
} lmb_surface_part;

typedef struct lmb_surface_opts {
    /// weld tolerance as a fraction of the diagonal of the bounds; 0: equal positions only
    float weld_fraction;
    /// keep triangles that have two equal corners after welding, and repeated triangles
    bool keep_degenerate;
} lmb_surface_opts;

/// Joins the triangles of all parts, welds their vertices by position, drops triangles that
/// collapse and triangles that repeat another one's three vertices (unless kept by `opts`, which
/// may be NULL). Vertices that no triangle uses stay. A part that is closed and convex is not welded
/// to others, unless they have all its vertices: blocks that lie flush stay two.
/// Errors: INVALID when the counts do not fit 32 bits, an index is out of range or a placed
/// position is not finite; MEMORY.
LMB_API lmb_result lmb_surface_create(const lmb_surface_part *parts, uint32_t part_count,
                                      const lmb_surface_opts *opts, const lmb_allocator *alloc,
                                      lmb_surface **out, lmb_error *error);
LMB_API void lmb_surface_destroy(lmb_surface *surface);

/// Connected pieces by shared vertices. out_component[vertex_count] in [0, *out_count), rising with
/// the lowest vertex of the piece;
/// a vertex without triangles is a piece. Errors: MEMORY.
LMB_API lmb_result lmb_surface_components(const lmb_surface *surface, const lmb_allocator *alloc,
                                          uint32_t *out_component, uint32_t *out_count,
                                          lmb_error *error);

#ifdef __cplusplus
}
#endif
#endif
