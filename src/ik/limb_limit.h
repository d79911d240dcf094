/// Joint limits for the closed forms: the roll that a limb or an aim leaves free is used to satisfy
/// them.
#ifndef IK_LIMB_LIMIT_H
#define IK_LIMB_LIMIT_H

#include "asset/asset.h"
#include "limber/ik.h"
#include "math/quat_inline.h"

/// A limb being solved. Rotations are local.
typedef struct lmbi_two_bone_limb {
    lmb_vec3 upper;      ///< start joint to mid joint, in the start joint's frame
    lmb_vec3 lower;      ///< mid joint to end, in the mid joint's frame
    lmb_quat between;    ///< start joint's frame from the frame of the mid joint's parent
    lmb_vec3 toward;     ///< unit direction to the goal, in the frame of the start joint's parent
    float distance;      ///< wanted between start and end, finite
    lmb_quat start, mid; ///< input: the solution without limits; replaced
} lmbi_two_bone_limb;

/// Clamps both joints to their limits (never NULL), with the end as near as possible to its goal.
void lmbi_limb_clamp(const lmb_joint_limit *start, lmb_transform start_rest,
                     const lmb_joint_limit *mid, lmb_transform mid_rest, lmbi_two_bone_limb *limb);

/// `rotation` takes unit `tip` (joint space) to unit `toward` (parent space). Rolls it about
/// `toward` by the least angle that satisfies the limit, or by the one that brings the tip nearest.
/// Returns the remaining distance of the unit vectors.
float lmbi_roll_within(const lmb_joint_limit *limit, lmb_transform rest, lmb_vec3 tip,
                       lmb_vec3 toward, lmb_quat *rotation);

/// A local rotation clamped to its limit.
static inline lmb_quat lmbi_clamp_rotation(const lmb_joint_limit *limit, lmb_transform rest,
                                           lmb_quat local)
{
    rest.scale = lmb_vec3_make(1, 1, 1);
    lmb_transform t = rest;
    t.rotation = local;
    return lmbi_joint_limit_apply(limit, rest, t).rotation;
}

#endif
