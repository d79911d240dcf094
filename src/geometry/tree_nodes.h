/// Memory layout of the triangle tree, shared by its builder and its queries.
#ifndef GEOMETRY_TREE_NODES_H
#define GEOMETRY_TREE_NODES_H

#include "geometry/tree.h"

/// Greatest depth of a tree. Below LMBI_TREE_FAIR_DEPTH nodes are halved by count, so 32 more
/// levels hold any triangle count.
#define LMBI_TREE_FAIR_DEPTH 60
#define LMBI_TREE_STACK (LMBI_TREE_FAIR_DEPTH + 36)

/// A leaf if count > 0: triangles [first, first + count) in leaf order. Otherwise its children are
/// the nodes first and first + 1.
typedef struct lmbi_tree_node {
    lmb_vec3 low, high;
    uint32_t first, count;
} lmbi_tree_node;

typedef struct lmbi_tree_triangle {
    lmb_vec3 a, b, c;
    uint32_t id; ///< in the surface
} lmbi_tree_triangle;

struct lmbi_tree {
    uint32_t node_count, triangle_count;
    lmbi_tree_node
        *nodes; ///< node 0 is the root; node 1 is unused, so that siblings share a cache line
    lmbi_tree_triangle *triangles;
    lmb_allocator allocator;
};

/// Puts the root on a traversal's stack [LMBI_TREE_STACK]. Returns the stack's height: 0 for a tree
/// without triangles.
static inline int lmbi_tree_start(const lmbi_tree *tree, uint32_t *stack)
{
    stack[0] = 0;
    return tree->triangle_count > 0 ? 1 : 0;
}

static inline float lmbi_box_distance_squared(const lmbi_tree_node *n, lmb_vec3 p)
{
    float x = p.x < n->low.x ? n->low.x - p.x : p.x > n->high.x ? p.x - n->high.x : 0;
    float y = p.y < n->low.y ? n->low.y - p.y : p.y > n->high.y ? p.y - n->high.y : 0;
    float z = p.z < n->low.z ? n->low.z - p.z : p.z > n->high.z ? p.z - n->high.z : 0;
    return x * x + y * y + z * z;
}

/// out[3]: barycentric coordinates of the triangle's point nearest to p.
void lmbi_closest_barycentric(const lmbi_tree_triangle *t, lmb_vec3 p, float out[3]);

/// A ball that touches the surface from inside at `point`.
typedef struct lmbi_inner_ball_job {
    lmb_vec3 point, inward; ///< inward: unit
    float radius;  ///< initial and largest radius, positive: half the thickness, for example
    float nothing; ///< surface nearer to the point is ignored
    /// how far surface may reach into the ball, as a fraction of its radius, above 0: inside a
    /// large round surface a query with 0.2 takes a tenth of the time of one with 0.02
    float slack;
    /// squared sine of the least angle, seen from the point, at which surface limits the ball. At
    /// flatter angles it is the bent or rough skin around the point
    float flat;
    /// [triangle_count] or NULL; when given, only triangles with groups[triangle] == group limit
    /// the ball, unless others lie well inside it, in which case none do: a shell around other
    /// pieces is as thick as all it contains
    const uint32_t *groups;
    uint32_t group;
} lmbi_inner_ball_job;

/// Radius of the largest such ball without surface inside, at most job->radius (after Ma, Bae and
/// Choi 2012, shrinking balls, in one traversal). Visits triangles in tree order, so that equal
/// surfaces give equal balls.
float lmbi_tree_inner_ball(const lmbi_tree *tree, const lmbi_inner_ball_job *job);

/// Counts the triangles hit. `out_balance` (or NULL): hits from the back minus hits from the front,
/// the winding number along the ray.
uint32_t lmbi_tree_hit_count(const lmbi_tree *tree, const lmbi_ray *ray, int32_t *out_balance);

/// Calls `visit` for each triangle whose box meets `box`, in tree order, until it returns false.
typedef struct lmbi_tree_visit_job {
    lmb_box box;
    bool (*visit)(void *user, uint32_t triangle);
    void *user;
} lmbi_tree_visit_job;

/// False when `visit` returned false.
bool lmbi_tree_visit(const lmbi_tree *tree, const lmbi_tree_visit_job *job);

#endif
