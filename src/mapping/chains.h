/// The mirror symmetry of a skeleton, and its chains: spine, neck, tail, legs and arms of any
/// animal.
#ifndef MAPPING_CHAINS_H
#define MAPPING_CHAINS_H

#include "base/arena.h"
#include "limber/mapping.h"
#include "mapping/names.h"

/// What the rest pose says about a joint.
typedef struct lmbi_shape_joint {
    lmb_vec3 tip;      ///< end of the joint's own bone, or the joint
    lmb_vec3 middle;   ///< centroid of the subtree's joints
    uint32_t size;     ///< number of those
    float below;       ///< length of the longest path down, to its tip
    uint32_t children; ///< number of them
    /// first child and next sibling, by index; 0 for none, since joint 0 is a root
    uint32_t child, sibling;
    lmbi_name name;
    /// the mirror image; the joint itself in the middle plane; LMB_NONE for neither, or if it is no
    /// part of the body
    int32_t twin;
} lmbi_shape_joint;

/// The same of a skeleton, before joints are assigned to body parts.
typedef struct lmbi_skeleton_shape {
    const lmb_skeleton *skeleton;
    uint32_t count;
    lmb_vec3 *at;             ///< [count] positions of the joints
    lmbi_shape_joint *joints; ///< [count]
    int32_t root;             ///< of the largest tree
    lmb_vec3 aside;           ///< normal of the middle plane: +X or +Z
    float plane;              ///< offset of the middle plane along it
    float extent;             ///< diagonal of the body's box
    float ground, height;
} lmbi_skeleton_shape;

/// False when out of memory.
bool lmbi_shape_make(const lmb_skeleton *skeleton, lmbi_arena *arena, lmbi_skeleton_shape *out);
/// Whether a joint is an end with a bone: a mesh node at its parent's position is not.
bool lmbi_shape_is_end(const lmbi_skeleton_shape *shape, uint32_t joint);
/// Signed distance of a point from the middle plane, along `aside`.
static inline float lmbi_off_plane(const lmbi_skeleton_shape *shape, lmb_vec3 p)
{
    return lmb_vec3_dot(p, shape->aside) - shape->plane;
}
/// The next joint of the longest path down; LMB_NONE at the end.
int32_t lmbi_shape_down(const lmbi_skeleton_shape *shape, int32_t joint);

/// Finds upper, lower and end of limbs (the two consecutive bones whose shorter one is longest),
/// and the root. `at` are the joints' positions.
void lmbi_chains_complete(lmb_chain_map *map, const lmb_skeleton *skeleton, const lmb_vec3 *at);
/// The chain of that kind, side and pair; NULL if there is none.
const lmb_body_chain *lmbi_chain_get(const lmb_chain_map *map, lmb_body_chain_kind kind, int side,
                                     uint32_t pair);
/// Number of pairs of legs or arms.
uint32_t lmbi_chain_pairs(const lmb_chain_map *map, lmb_body_chain_kind kind);

#endif
