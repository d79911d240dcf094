/// Transfer of rotations and of the hips' path, frame by frame.
#ifndef RETARGET_TRANSFER_H
#define RETARGET_TRANSFER_H

#include "retarget/body.h"

typedef enum lmbi_follow {
    FOLLOW_BONE = 0,
    FOLLOW_SPINE,
    FOLLOW_NECK,
} lmbi_follow;

/// A joint of the target that the motion rotates.
typedef struct lmbi_driven {
    uint32_t joint;
    lmbi_follow follow;
    int bone;        ///< human bone, or the index in the target's chain
    lmb_quat offset; ///< A * R_t,ref: what the source's rotation is applied to
    /// index of the driven joint that this one follows without descending from it, else LMB_NONE
    int32_t carrier;
    lmb_vec3 carried; ///< from the carrier to this joint, in the reference pose
} lmbi_driven;

/// A joint that distributes twist along a bone: a helper that only the skin follows, a joint in
/// line with the bone, or the bone's own first joint if others are in line.
typedef struct lmbi_twist {
    uint32_t joint;
    int32_t bone;     ///< driven joint of the bone that it lies along
    int32_t from, to; ///< driven joints: the twist is that of `to` against `from`
    bool undoes;      ///< undoes part of the bone's own twist
    float fraction;   ///< fraction of the twist that is applied; at most 0 if `undoes`
    lmb_vec3 axis;    ///< in the bone's local space
    lmb_quat rest;    ///< its rotation there, in the reference pose
} lmbi_twist;

typedef struct lmbi_transfer {
    const lmbi_humanoid *source, *target;
    const lmbi_motion *motion;
    lmb_quat align[LMB_HUMAN_BONE_COUNT]; ///< A, per human bone
    lmbi_driven *driven;                  ///< [driven_count], by ascending joint
    uint32_t driven_count;
    int32_t *driven_of; ///< [target joint_count] index in driven or LMB_NONE
    /// [target joint_count] joints, parents and carriers first
    uint32_t *order;
    lmbi_twist *twists; ///< [twist_count]
    uint32_t twist_count;
    int32_t *twist_of; ///< [target joint_count] index in twists or LMB_NONE
    uint32_t bone_count;
    float scale;        ///< target's leg length over the source's
    float source_floor; ///< height of a planted toe in the source
    float target_floor; ///< and in the target
    float low;          ///< low quantile of the target's toe heights that is aimed for
    /// from the hips' joint to where the body turns, in the reference pose
    lmb_vec3 source_pivot, target_pivot;
    float rise;          ///< height of the hips above their scaled path
    lmb_quat *rotations; ///< [frame_count][driven_count] result in model space
    lmb_vec3 *hips;      ///< [frame_count] result in model space
} lmbi_transfer;

/// Matches joints and transfers every frame. False when out of memory.
bool lmbi_transfer_make(const lmbi_humanoid *source, const lmbi_humanoid *target,
                        const lmbi_motion *motion, lmbi_arena *arena, lmbi_transfer *out);
/// Transfers one frame again, from the motion as it is now.
void lmbi_transfer_frame(lmbi_transfer *t, uint32_t frame);
/// Legs of one joint cannot bend: moves the hips of a frame up or down until the lower foot is as far
/// from the floor as the source's, in the target's size. `model` is [target joint_count] to work in.
void lmbi_transfer_stand(lmbi_transfer *t, uint32_t frame, lmb_transform *model);
/// Rewrites the arms of the result so that palms keep their contacts with each other, trunk, head,
/// thighs, arms and the floor. `touching` counts the clip's frames with a contact. False when out
/// of memory.
bool lmbi_hands_place(lmbi_transfer *t, lmbi_arena *arena, uint32_t *touching);
/// Swings arms out where the skin of a hand would be in the ground, as of figures whose arms are longer
/// than their legs. A body without a skin stays as it is. False when out of memory.
bool lmbi_arms_clear_ground(lmbi_transfer *t, lmbi_arena *arena);
/// Forward kinematics of one frame of the result; other joints keep their rest pose.
void lmbi_transfer_pose(const lmbi_transfer *t, uint32_t frame, lmb_transform *model);
/// Finds the twist joints of the target. False when out of memory.
bool lmbi_twists_plan(lmbi_transfer *t, lmbi_arena *arena);
/// Model-space rotation of a twist joint, for the rotations of the driven joints in a frame.
lmb_quat lmbi_twist_rotation(const lmbi_transfer *t, const lmbi_twist *twist,
                             const lmb_quat *rotations);
/// The driven joint of a human bone, or LMB_NONE.
static inline int32_t lmbi_driven_slot(const lmbi_transfer *t, int bone)
{
    const int32_t joint = lmbi_joint(t->target, bone);
    return joint >= 0 ? t->driven_of[joint] : LMB_NONE;
}

/// The alignment A of every human bone: for arms, legs and fingers the shortest rotation from the
/// target's bone direction to the source's, for feet and toes the yaw alone, else identity. A bone
/// without a direction inherits its parent's.
void lmbi_align(const lmbi_humanoid *source, const lmbi_humanoid *target,
                lmb_quat align[LMB_HUMAN_BONE_COUNT]);
/// The source's bone that a bone of the target points at: the next one, or the foot or hand for a limb
/// of one joint. LMB_HUMAN_BONE_COUNT for a bone of neither arm, leg nor finger.
int lmbi_bone_toward(const lmbi_humanoid *source, const lmbi_humanoid *target, int bone);
/// Direction of a human bone in the reference pose toward the joint of another, or as
/// lmbi_bone_direction has it where that has no joint.
bool lmbi_direction_toward(const lmbi_humanoid *body, int bone, int toward, lmb_vec3 *out);

#endif
