/// Geometry of triangle surfaces: welding, adjacency, components, normals, a triangle tree, the
/// Laplacian, sampling.
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
/// may be NULL). Vertices that no triangle uses stay.
/// Errors: INVALID when the counts do not fit 32 bits, an index is out of range or a placed
/// position is not finite; MEMORY.
LMB_API lmb_result lmb_surface_create(const lmb_surface_part *parts, uint32_t part_count,
                                      const lmb_surface_opts *opts, const lmb_allocator *alloc,
                                      lmb_surface **out, lmb_error *error);
LMB_API void lmb_surface_destroy(lmb_surface *surface);

/// Normals for triangles that have none.
typedef struct lmb_corner_normals_job {
    const lmb_vec3 *positions;
    uint32_t vertex_count;
    const uint32_t *indices; ///< [index_count] in threes, each below vertex_count
    uint32_t index_count;
    float crease_rad;      ///< faces that meet at a larger angle keep a hard edge
    lmb_vec3 *out_normals; ///< [index_count] unit, or zero where no face has an area
} lmb_corner_normals_job;
/// Computes a normal for each corner: the mean of the faces at its position whose normals are
/// within the crease of its own face's, weighted by their angles there. Vertices at equal positions
/// are one.
/// `alloc` and `error` may be NULL. Errors: INVALID for a position that is not finite; MEMORY.
LMB_API lmb_result lmb_corner_normals(const lmb_corner_normals_job *job, const lmb_allocator *alloc,
                                      lmb_error *error);

/// Connected pieces by shared vertices. out_component[vertex_count] in [0, *out_count), rising with
/// the lowest vertex of the piece;
/// a vertex without triangles is a piece. Errors: MEMORY.
LMB_API lmb_result lmb_surface_components(const lmb_surface *surface, const lmb_allocator *alloc,
                                          uint32_t *out_component, uint32_t *out_count,
                                          lmb_error *error);

// -------------------------------------------------------------------------------------- adjacency

/// Edges, and the triangles at edges and vertices. An edge may have any number of triangles: 1 on a
/// border, 2 inside a manifold, more where sheets meet.
typedef struct lmb_adjacency {
    uint32_t edge_count;
    uint32_t *edges;            ///< [edge_count][2], lower vertex first, ascending
    uint32_t *corner_edge;      ///< [triangle_count][3]: the edge from corner k to corner k + 1
    uint32_t *edge_first;       ///< [edge_count + 1] into edge_triangles
    uint32_t *edge_triangles;   ///< [3 * triangle_count]
    uint32_t *vertex_first;     ///< [vertex_count + 1] into vertex_triangles
    uint32_t *vertex_triangles; ///< [3 * triangle_count], ascending for each vertex
    uint32_t border_count;      ///< edges with one triangle
    uint32_t crowded_count;     ///< edges with more than two triangles
    lmb_allocator allocator;
} lmb_adjacency;

LMB_API lmb_result lmb_adjacency_create(const lmb_surface *surface, const lmb_allocator *alloc,
                                        lmb_adjacency **out, lmb_error *error);
LMB_API void lmb_adjacency_destroy(lmb_adjacency *adjacency);

// ---------------------------------------------------------------------------------- triangle tree

/// A bounding volume hierarchy over the triangles of a surface. It copies what it needs, so the
/// surface may be destroyed.
typedef struct lmb_tree lmb_tree;

/// Errors: MEMORY. The tree of a surface without triangles reports no hits.
LMB_API lmb_result lmb_tree_create(const lmb_surface *surface, const lmb_allocator *alloc,
                                   lmb_tree **out, lmb_error *error);
LMB_API void lmb_tree_destroy(lmb_tree *tree);

typedef struct lmb_closest {
    uint32_t triangle; ///< UINT32_MAX when the tree is empty or nothing is within reach
    lmb_vec3 point;
    float barycentric[3];
    float distance;
} lmb_closest;

/// The closest point of the surface no farther than max_distance (infinity for no limit). Of equal
/// distances the lowest triangle wins.
LMB_API lmb_closest lmb_tree_closest(const lmb_tree *tree, lmb_vec3 point, float max_distance);

/// The segment from origin + t_min * direction to origin + t_max * direction, t_min <= t_max.
typedef struct lmb_ray {
    lmb_vec3 origin, direction; ///< direction of any length but zero
    float t_min, t_max;         ///< in lengths of direction; t_max may be infinity
    /// [triangle_count] or NULL; when given, only triangles with groups[triangle] == group count
    const uint32_t *groups;
    uint32_t group;
    /// triangles hit at an angle with a smaller sine are ignored; 0: none
    float least_sine;
} lmb_ray;

typedef struct lmb_hit {
    uint32_t triangle; ///< UINT32_MAX: none
    float t;
    float barycentric[3];
    bool back; ///< the ray hits the back of the face
} lmb_hit;

/// Watertight: a ray through a shared edge hits exactly one of the two triangles (Woop, Benthin,
/// Wald 2013, with a tie rule), so the parity of hits tells inside from outside.
LMB_API bool lmb_tree_hit_any(const lmb_tree *tree, const lmb_ray *ray);
/// The smallest t; of equal ones the lowest triangle.
LMB_API lmb_hit lmb_tree_hit_first(const lmb_tree *tree, const lmb_ray *ray);

// ----------------------------------------------------------------------------- surfaces of fields

/// The surface value(p) == 0 of a field that is negative inside. Always closed, consistently
/// oriented and two-manifold: surface nets (Gibson 1998) with one vertex per sheet of a cell
/// (Nielson 2004), on a sign lattice whose faces with diagonally opposite signs were removed by
/// filling a corner.
typedef struct lmb_iso_job {
    float (*value)(const void *context, lmb_vec3 p);
    const void *context;
    lmb_box box; ///< the surface is cut off and closed at its faces
    float step;  ///< edge of a lattice cell, in metres
    /// upper bound of |gradient| in the box; blocks farther than |value| / slope are skipped. 0
    /// means 1
    float slope;
    unsigned rounds;      ///< of tangential smoothing; each projects back to the surface
    const lmb_jobs *jobs; ///< workers that call `value`. NULL: serial
} lmb_iso_job;

/// Errors: INVALID for an empty box, a step that is not positive, or more than 2^32 lattice points;
/// MEMORY.
LMB_API lmb_result lmb_iso_surface(const lmb_iso_job *job, const lmb_allocator *alloc,
                                   lmb_surface **out, lmb_error *error);

// ------------------------------------------------------------------------------------- decimation

typedef struct lmb_decimate_opts {
    uint32_t
        triangle_count; ///< target; the result has more if the surface allows no more collapses
    /// [vertex_count] relative edge length; NULL: uniform
    const float *sizes;
    /// weight of the shape against even triangles; 0 means 1
    float shape;
} lmb_decimate_opts;

/// Collapses edges, shortest and flattest first (quadrics, Garland & Heckbert 1997, plus squared
/// length over size), until the count is reached. Closed two-manifold surfaces stay so: only
/// collapses that keep the topology and flip no triangle are made. `out_source` (or NULL, else room
/// for surface->vertex_count) receives the input vertex of each kept one.
/// Errors: INVALID unless every edge has exactly two triangles; MEMORY.
LMB_API lmb_result lmb_surface_decimate(const lmb_surface *surface, const lmb_decimate_opts *opts,
                                        const lmb_allocator *alloc, lmb_surface **out,
                                        uint32_t *out_source, lmb_error *error);

#ifdef __cplusplus
}
#endif
#endif
