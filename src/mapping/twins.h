/// The nearest mirror image among the children of a joint, in a tree over each family: a skeleton
/// of a hundred thousand siblings must not take the square of that.
#ifndef MAPPING_TWINS_H
#define MAPPING_TWINS_H

#include "mapping/chains.h"

/// What is left below a node: bounds of middles and of lengths.
typedef struct lmbi_twin_node {
    float low[4], high[4]; ///< x y z of the middle, then the length of what hangs from it
    uint32_t first;        ///< the lowest joint of them; UINT32_MAX: nothing is left
} lmbi_twin_node;

typedef struct lmbi_twins {
    const lmbi_skeleton_shape *shape;
    /// [count] the family's root node: nodes 2 n and 2 n + 1 of a family are the halves of node n,
    /// its leaves are the last `width`
    uint32_t *family;
    uint32_t *width; ///< [count] leaves of the family, a power of two; 0: no children
    uint32_t *leaf;  ///< [count] the joint's node in the family of its parent
    lmbi_twin_node *nodes;
} lmbi_twins;

/// Of the shape as measured: children, middles, lengths. False when out of memory.
bool lmbi_twins_make(const lmbi_skeleton_shape *shape, lmbi_arena *arena, lmbi_twins *out);
/// Puts back every joint that may be a twin by its place: of the body, and without a namesake on
/// the other side.
void lmbi_twins_reset(lmbi_twins *twins, const uint32_t *named);
void lmbi_twins_remove(lmbi_twins *twins, uint32_t joint);
/// The child of `parent` that is left and lies nearest to the mirror image of `joint`, by the
/// shape's plane; the lowest of several. As siblings, both must lie off the plane, on either side.
int32_t lmbi_twins_nearest(const lmbi_twins *twins, uint32_t joint, uint32_t parent, bool siblings);

#endif
