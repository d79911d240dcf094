/// Where the bones of leaves end, as far as the skeleton tells.
#ifndef RIG_BONE_ENDS_H
#define RIG_BONE_ENDS_H

#include "limber/rig.h"

/// The joints of a skeleton that is being made into bones.
typedef struct lmbi_joints {
    const lmb_skeleton *skeleton;
    const uint8_t *deforms; ///< [joint_count] or NULL: all do
    const lmb_mat4 *model;  ///< [joint_count] model_from_joint
    const lmb_vec3 *at;     ///< [joint_count] their places
    const int32_t *above;   ///< [joint_count] nearest deforming ancestor, or LMB_NONE
    const uint32_t *below;  ///< [joint_count] how many deforming joints have this one as `above`
    float zero;             ///< lengths up to this are none
} lmbi_joints;

static inline bool lmbi_joint_deforms(const lmbi_joints *j, uint32_t joint)
{
    return !j->deforms || j->deforms[joint];
}

/// The end of a leaf's bone: its stated tip; else a joint below it that moves nothing; in a
/// skeleton without hierarchy the next joint along the axis that most joints have in common; else
/// the top of another chain straight ahead, a foot that hangs on its goal and not on the shin.
/// `flat_axis` comes from lmbi_flat_axis. False where nothing tells.
bool lmbi_leaf_end(const lmbi_joints *j, uint32_t leaf, int flat_axis, lmb_vec3 *out);

/// The local axis (0..5: x, y, z, -x, -y, -z) along which the joints of a skeleton without
/// hierarchy find their next ones (hands of WebXR: all joints are siblings); -1 for others.
int lmbi_flat_axis(const lmbi_joints *j);

#endif
