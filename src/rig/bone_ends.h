/// Tails of leaf bones, from the skeleton alone.
#ifndef RIG_BONE_ENDS_H
#define RIG_BONE_ENDS_H

#include "limber/rig.h"

/// The joints that bones are built from.
typedef struct lmbi_joints {
    const lmb_skeleton *skeleton;
    const uint8_t *deforms; ///< [joint_count] or NULL: all do
    const lmb_mat4 *model;  ///< [joint_count] model_from_joint
    const lmb_vec3 *at;     ///< [joint_count] their positions
    const int32_t *above;   ///< [joint_count] nearest deforming ancestor, or LMB_NONE
    const uint32_t *below;  ///< [joint_count] how many deforming joints have this one as `above`
    float zero;             ///< shorter lengths are zero
} lmbi_joints;

static inline bool lmbi_joint_deforms(const lmbi_joints *j, uint32_t joint)
{
    return !j->deforms || j->deforms[joint];
}

/// The local axis that bones lie along: most programs turn joints so that their bones do, Blender along +y, others along
/// x. It tells where bones go that no child ends.
typedef struct lmbi_bone_axis {
    int axis;     ///< 0..5: x, y, z, -x, -y, -z; -1 where joints do not agree on one
    float cosine; ///< of the bend at which a joint of another chain still ends a bone
} lmbi_bone_axis;

/// The axis along which joints with one child have it; in a flat skeleton (WebXR's hands: all joints are siblings) that
/// along which they find the next joint.
lmbi_bone_axis lmbi_find_bone_axis(const lmbi_joints *j);

/// Unit vector in model space; zero without an axis.
lmb_vec3 lmbi_joint_axis(const lmbi_joints *j, uint32_t joint, lmbi_bone_axis axis);

/// Whether a joint lies where the bone of another one points, within 15 degrees; false without an axis.
bool lmbi_is_along_bone(const lmbi_joints *j, uint32_t joint, uint32_t other, lmbi_bone_axis axis);

/// Tail of a leaf's bone: its stated tip; else a non-deforming child; else the next joint along the axis, such as a
/// foot parented to its IK target instead of the shin; else the root of another chain straight ahead. False if none
/// applies.
bool lmbi_leaf_end(const lmbi_joints *j, uint32_t leaf, lmbi_bone_axis axis, lmb_vec3 *out);

#endif
