/// Memory layout of the triangle tree, shared by its builder and its queries.
#ifndef GEOMETRY_TREE_H
#define GEOMETRY_TREE_H

#include "limber/geometry.h"

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

struct lmb_tree {
    uint32_t node_count, triangle_count;
    lmbi_tree_node
        *nodes; ///< node 0 is the root; node 1 is unused, so that siblings share a cache line
    lmbi_tree_triangle *triangles;
    lmb_allocator allocator;
};

static inline float lmbi_box_distance_squared(const lmbi_tree_node *n, lmb_vec3 p)
{
    float x = p.x < n->low.x ? n->low.x - p.x : p.x > n->high.x ? p.x - n->high.x : 0;
    float y = p.y < n->low.y ? n->low.y - p.y : p.y > n->high.y ? p.y - n->high.y : 0;
    float z = p.z < n->low.z ? n->low.z - p.z : p.z > n->high.z ? p.z - n->high.z : 0;
    return x * x + y * y + z * z;
}

/// out[3]: barycentric coordinates of the triangle's point nearest to p.
void lmbi_closest_barycentric(const lmbi_tree_triangle *t, lmb_vec3 p, float out[3]);

#endif
