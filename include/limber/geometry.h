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
/// may be NULL). Vertices that no triangle uses stay.
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

#ifdef __cplusplus
}
#endif
#endif
