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

/// Tail of a leaf's bone: its stated tip; else a non-deforming child; in a flat skeleton the next
/// joint along the axis most joints share; else the root of another chain straight ahead, such as a
/// foot parented to its IK target instead of the shin. `flat_axis` comes from lmbi_flat_axis. False
/// if none applies.
bool lmbi_leaf_end(const lmbi_joints *j, uint32_t leaf, int flat_axis, lmb_vec3 *out);

/// The local axis (0..5: x, y, z, -x, -y, -z) along which the joints of a flat skeleton (WebXR
/// hands: all joints are siblings) find the next joint; -1 for other skeletons.
int lmbi_flat_axis(const lmbi_joints *j);

#endif
