/// Poses by goals: two-bone chains in closed form, and aiming.
///
/// Jobs rewrite a local pose. They read model_from_joint, which must belong to that pose on entry, and leave it as it
/// was: run lmb_pose_to_model again before the next job that looks at the same joints. Scale above a chain must be uniform.
#ifndef LIMBER_IK_H
#define LIMBER_IK_H

#include "limber/asset.h"
#include "limber/base.h"
#include "limber/math.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------------------ two bones

/// Three points of a limb: hip, knee, ankle; or shoulder, elbow, wrist.
typedef struct lmb_two_bone_points {
    lmb_vec3 start, mid, end;
} lmb_two_bone_points;

/// The rotations, in the space of the points, that take a limb to its goal: turn everything below the mid joint by `mid`
/// about the mid joint first, then everything below the start joint by `start` about the start joint.
typedef struct lmb_two_bone_turn {
    lmb_quat start, mid;
    float reach; ///< distance of the goal over the length of the limb; above 1 it cannot be reached
} lmb_two_bone_turn;

/// The law of cosines on the limb's own bend plane (interior angle cos g = (a^2 + b^2 - d^2) / 2ab).
/// `hinge` is the axis that a positive turn bends the mid joint about: it decides for a limb that is nearly straight, or bent
/// the wrong way. Zero: the limb's own plane whatever it is, and +X for a straight one.
/// `pole` is the direction that the mid joint should point to; zero keeps the limb's own bend plane, turned by the shortest arc.
/// `soft` in [0, 1): the share of the length over which full extension is approached smoothly; 0: none.
/// Never gives NaN: a goal at the start joint folds the limb, bones of no length turn nothing.
LMB_API lmb_two_bone_turn lmb_two_bone_solve(lmb_two_bone_points limb, lmb_vec3 goal, lmb_vec3 hinge, lmb_vec3 pole, float soft);

/// Moves the end of a chain of three joints to a goal.
typedef struct lmb_ik_two_bone_job {
    const lmb_skeleton *skeleton;
    lmb_transform *local;             ///< [joint_count] parent_from_joint, rewritten at chain[0] and chain[1], and at chain[2] with keep_end
    const lmb_mat4 *model_from_joint; ///< [joint_count] of that pose
    uint32_t chain[3];                ///< start, mid, end; each an ancestor of the next, others may lie between
    lmb_vec3 target;                  ///< model space: where the end joint goes
    lmb_vec3 pole;                    ///< model space direction that the mid joint points to; zero: keep the bend plane
    lmb_vec3 hinge;                   ///< the mid joint's bending axis in its own space, as for lmb_two_bone_solve; may be zero
    float soft;                       ///< in [0, 1); 0.03 keeps knees from popping
    float weight;                     ///< in [0, 1]: 0 leaves the pose, 1 reaches the goal
    bool keep_end;                    ///< the end joint keeps its orientation in the model: a foot stays flat
} lmb_ik_two_bone_job;

/// Returns the distance of the goal over the length of the limb: above 1 the end stops short.
LMB_API float lmb_ik_two_bone(const lmb_ik_two_bone_job *job);

// ---------------------------------------------------------------------------------------------------- aiming

/// Turns one joint until the ray from `offset` along `forward` meets the target: a head that looks, a gun that points.
typedef struct lmb_ik_aim_job {
    const lmb_skeleton *skeleton;
    lmb_transform *local;             ///< [joint_count], rewritten at `joint`
    const lmb_mat4 *model_from_joint; ///< [joint_count] of that pose
    uint32_t joint;
    lmb_vec3 target;  ///< model space
    lmb_vec3 forward; ///< joint space, need not be unit; zero counts as +Z
    lmb_vec3 offset;  ///< joint space: where the ray starts (an eye, a muzzle)
    lmb_vec3 up;      ///< joint space; with pole, keeps the roll. Zero: no roll control
    lmb_vec3 pole;    ///< model space direction that `up` leans to; zero: no roll control
    float weight;     ///< in [0, 1]
} lmb_ik_aim_job;

/// False when the target lies inside the circle that the offset ray can never touch; the pose is then turned as near as it gets.
LMB_API bool lmb_ik_aim(const lmb_ik_aim_job *job);

// ------------------------------------------------------------------------------------- limits of a human body

/// What a joint is of a human body. The chain from hips to chest is spine; neck and head are neck.
typedef enum lmb_body_part {
    LMB_PART_OTHER = 0, ///< no limit: props, hair, twist joints
    LMB_PART_HIPS,      ///< no limit
    LMB_PART_SPINE,
    LMB_PART_NECK,
    LMB_PART_SHOULDER, ///< the collarbone
    LMB_PART_UPPER_ARM,
    LMB_PART_LOWER_ARM, ///< a hinge: never past 150 degrees, never back
    LMB_PART_HAND,
    LMB_PART_THUMB,  ///< each of its joints
    LMB_PART_FINGER, ///< each joint of the others
    LMB_PART_UPPER_LEG,
    LMB_PART_LOWER_LEG, ///< a hinge, as the lower arm
    LMB_PART_FOOT,
    LMB_PART_TOES,
} lmb_body_part;

/// The limits of a human body in the frames of a skeleton's own rest pose, which stands upright (+Y) and faces +Z; how the arms
/// rest, between T-pose and hanging, is allowed for. Both arrays have joint_count entries.
LMB_API void lmb_human_limits(const lmb_skeleton *skeleton, const lmb_body_part *parts, lmb_joint_limit *limits);

#ifdef __cplusplus
}
#endif
#endif
