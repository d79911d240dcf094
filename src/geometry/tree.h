/// A triangle tree: the closest point of a surface, and what a ray hits.
#ifndef GEOMETRY_TREE_H
#define GEOMETRY_TREE_H

#include "limber/geometry.h"

/// A bounding volume hierarchy over the triangles of a surface. It copies what it needs, so the
/// surface may be destroyed.
typedef struct lmbi_tree lmbi_tree;

/// Errors: MEMORY. The tree of a surface without triangles reports no hits.
lmb_result lmbi_tree_create(const lmb_surface *surface, const lmb_allocator *alloc, lmbi_tree **out,
                            lmb_error *error);
void lmbi_tree_destroy(lmbi_tree *tree);

typedef struct lmbi_closest {
    uint32_t triangle; ///< UINT32_MAX when the tree is empty or nothing is within reach
    lmb_vec3 point;
    float barycentric[3];
    float distance;
} lmbi_closest;

/// The closest point of the surface no farther than max_distance (infinity for no limit). Of equal
/// distances the lowest triangle wins.
lmbi_closest lmbi_tree_closest(const lmbi_tree *tree, lmb_vec3 point, float max_distance);

/// The segment from origin + t_min * direction to origin + t_max * direction, t_min <= t_max.
typedef struct lmbi_ray {
    lmb_vec3 origin, direction; ///< direction of any length but zero
    float t_min, t_max;         ///< in lengths of direction; t_max may be infinity
    /// [triangle_count] or NULL; when given, only triangles with groups[triangle] == group count
    const uint32_t *groups;
    uint32_t group;
    /// triangles hit at an angle with a smaller sine are ignored; 0: none
    float least_sine;
} lmbi_ray;

typedef struct lmbi_hit {
    uint32_t triangle; ///< UINT32_MAX: none
    float t;
    float barycentric[3];
    bool back; ///< the ray hits the back of the face
} lmbi_hit;

/// Watertight: a ray through a shared edge hits exactly one of the two triangles (Woop, Benthin,
/// Wald 2013, with a tie rule), so the parity of hits tells inside from outside.
bool lmbi_tree_hit_any(const lmbi_tree *tree, const lmbi_ray *ray);
/// The smallest t; of equal ones the lowest triangle.
lmbi_hit lmbi_tree_hit_first(const lmbi_tree *tree, const lmbi_ray *ray);

#endif
