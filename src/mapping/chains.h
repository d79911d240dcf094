/// The symmetry of a skeleton, and its chains: spine, neck, tail, legs and arms of whatever walks, flies, swims or crawls.
#ifndef MAPPING_CHAINS_H
#define MAPPING_CHAINS_H

#include "base/arena.h"
#include "limber/mapping.h"
#include "mapping/names.h"

/// What a skeleton's rest pose tells before any joint is called anything.
typedef struct lmbi_skeleton_shape {
    const lmb_skeleton *skeleton;
    uint32_t count;
    lmb_vec3 *at;       ///< [count]
    lmb_vec3 *tip;      ///< [count] the end of the joint's own bone, or the joint
    lmb_vec3 *middle;   ///< [count] mean of the joints below it, and itself
    uint32_t *size;     ///< [count] how many these are
    float *below;       ///< [count] length of the longest way down, with its tip
    uint32_t *children; ///< [count]
    /// [count] the first child, and the next of the same parent, by number; 0 for none, for joint 0
    /// is nobody's child
    uint32_t *child, *sibling;
    lmbi_name *names; ///< [count]
    /// [count] the mirror image; itself: in the middle plane; LMB_NONE: neither, or no part of the
    /// body
    int32_t *twin;
    int32_t root;   ///< of the largest tree
    lmb_vec3 aside; ///< across the middle plane: +X or +Z
    float plane;    ///< where that is
    float extent;   ///< diagonal of the body's box
    float ground, height;
} lmbi_skeleton_shape;

/// False when out of memory.
bool lmbi_shape_make(const lmb_skeleton *skeleton, lmbi_arena *arena, lmbi_skeleton_shape *out);
/// An end that a bone leads to: a node for a mesh, lying in its parent, is none.
bool lmbi_shape_is_end(const lmbi_skeleton_shape *shape, uint32_t joint);
/// How far a point lies off the middle plane, to the side of `aside`.
static inline float lmbi_off_plane(const lmbi_skeleton_shape *shape, lmb_vec3 p)
{
    return lmb_vec3_dot(p, shape->aside) - shape->plane;
}
/// The next joint of the longest way down; LMB_NONE at the end.
int32_t lmbi_shape_down(const lmbi_skeleton_shape *shape, int32_t joint);

/// Finds upper, lower and end of limbs (the two bones in a row whose shorter one is longest), and
/// the root. `at` are the joints' places.
void lmbi_chains_complete(lmb_chain_map *map, const lmb_skeleton *skeleton, const lmb_vec3 *at);
/// The chain of that kind; NULL when there is none.
const lmb_chain *lmbi_chain_get(const lmb_chain_map *map, lmb_chain_kind kind, int side,
                                uint32_t pair);
/// How many pairs of legs or arms there are.
uint32_t lmbi_chain_pairs(const lmb_chain_map *map, lmb_chain_kind kind);

#endif
