/// Nearest-neighbour search for mirror images among the children of a joint, by a k-d tree, so that
/// a hundred thousand siblings do not take quadratic time.
#ifndef MAPPING_TWINS_H
#define MAPPING_TWINS_H

#include "mapping/chains.h"

/// Bounds of the remaining joints of a node.
typedef struct lmbi_twin_node {
    float low[4], high[4]; ///< x y z of the subtree's centroid, then its length
    uint32_t first;        ///< lowest joint index; UINT32_MAX if the node is empty
} lmbi_twin_node;

typedef struct lmbi_twins {
    const lmbi_skeleton_shape *shape;
    /// [count] index of the family's first node: nodes 2 n and 2 n + 1 of a family are the halves
    /// of node n, its leaves the last `width`
    uint32_t *family;
    uint32_t *width; ///< [count] leaves of the family, a power of two; 0: no children
    uint32_t *leaf;  ///< [count] the joint's node in the family of its parent
    lmbi_twin_node *nodes;
} lmbi_twins;

/// Builds the tree from a measured shape: children, centroids, lengths. False when out of memory.
bool lmbi_twins_make(const lmbi_skeleton_shape *shape, lmbi_arena *arena, lmbi_twins *out);
/// Restores all joints that can be paired by position: those of the body without a namesake on the
/// other side.
void lmbi_twins_reset(lmbi_twins *twins, const uint32_t *named);
void lmbi_twins_remove(lmbi_twins *twins, uint32_t joint);
/// The remaining child of `parent` nearest to the mirror image of `joint` across the shape's plane;
/// of equals the lowest index. Siblings must lie off the plane, on opposite sides.
int32_t lmbi_twins_nearest(const lmbi_twins *twins, uint32_t joint, uint32_t parent, bool siblings);

#endif
