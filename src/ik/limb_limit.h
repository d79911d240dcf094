/// Joint limits on the closed forms: what a limb and an aim leave open, its roll, is spent on
/// staying inside.
#ifndef IK_LIMB_LIMIT_H
#define IK_LIMB_LIMIT_H

#include "ik/turn.h"
#include "limber/ik.h"

/// A limb on its way to a goal. Rotations are local ones.
typedef struct lmbi_two_bone_limb {
    lmb_vec3 upper;      ///< start joint to mid joint, in the start joint's frame
    lmb_vec3 lower;      ///< mid joint to end, in the mid joint's frame
    lmb_quat between;    ///< start joint's frame from that of the mid joint's parent
    lmb_vec3 toward;     ///< unit, to the goal, in the frame of the start joint's parent
    float distance;      ///< of start and end that is wanted, finite
    lmb_quat start, mid; ///< as solved without limits; replaced
} lmbi_two_bone_limb;

/// Moves both joints into their limits (never NULL), the end as near to its goal as that lets it.
void lmbi_limb_hold(const lmb_joint_limit *start, lmb_transform start_rest,
                    const lmb_joint_limit *mid, lmb_transform mid_rest, lmbi_two_bone_limb *limb);

/// `rotation` takes unit `tip` (joint space) to unit `toward` (parent space). Rolls it about
/// `toward` by the least angle that puts it inside the limit; where none does, to what brings the
/// tip nearest. Returns the distance left between the unit vectors.
float lmbi_roll_within(const lmb_joint_limit *limit, lmb_transform rest, lmb_vec3 tip,
                       lmb_vec3 toward, lmb_quat *rotation);

/// A local rotation inside its limit.
static inline lmb_quat lmbi_turn_within(const lmb_joint_limit *limit, lmb_transform rest,
                                        lmb_quat local)
{
    rest.scale = lmb_vec3_make(1, 1, 1);
    lmb_transform t = rest;
    t.rotation = local;
    return lmb_joint_limit_apply(limit, rest, t).rotation;
}

#endif
