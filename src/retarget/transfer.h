/// Rotations and the hips' path, carried over frame by frame.
#ifndef RETARGET_TRANSFER_H
#define RETARGET_TRANSFER_H

#include "retarget/body.h"

typedef enum lmbi_follow {
    FOLLOW_SLOT = 0,
    FOLLOW_SPINE,
    FOLLOW_NECK,
} lmbi_follow;

/// A joint of the target that the motion turns.
typedef struct lmbi_driven {
    uint32_t joint;
    lmbi_follow follow;
    int slot;        ///< or the place in the target's chain
    lmb_quat offset; ///< A * R_t,ref: what the source's turn is applied to
    /// index of the driven joint that this one follows without hanging from it, else LMB_NONE
    int32_t carrier;
    lmb_vec3 carried; ///< from the carrier to this joint, in the reference pose
} lmbi_driven;

/// A joint that spreads a twist along a bone: one that the skin alone follows, one in line with the
/// bone, or where there is such a one the bone's own first.
typedef struct lmbi_twist {
    uint32_t joint;
    int32_t bone;     ///< driven joint that it lies along
    int32_t from, to; ///< driven joints: the twist is that of `to` against `from`
    bool stays;       ///< the joint undoes a share of what the bone turned
    float share;      ///< of the twist; then at most 0: what the bone turned too far here
    lmb_vec3 axis;    ///< in the frame of the bone
    lmb_quat rest;    ///< its rotation there, in the reference pose
} lmbi_twist;

typedef struct lmbi_transfer {
    const lmbi_humanoid *source, *target;
    const lmbi_motion *motion;
    lmb_quat align[LMB_SLOT_COUNT]; ///< A: the target's bone onto the source's
    lmbi_driven *driven;            ///< [driven_count], joints rising
    uint32_t driven_count;
    int32_t *driven_of; ///< [target joint_count] index in driven or LMB_NONE
    /// [target joint_count] parents and carriers before those that follow them
    uint32_t *order;
    lmbi_twist *twists; ///< [twist_count]
    uint32_t twist_count;
    int32_t *twist_of; ///< [target joint_count] index in twists or LMB_NONE
    uint32_t slot_count;
    float scale;         ///< leg over leg
    float source_floor;  ///< height of a planted toe in the source
    float target_floor;  ///< and in the target
    float low;           ///< the height that the target's feet shall not often go below
    float rise;          ///< how much higher the hips are than their scaled path
    lmb_quat *rotations; ///< [frame_count][driven_count] model space, out
    lmb_vec3 *hips;      ///< [frame_count] model space, out
} lmbi_transfer;

/// Plans and carries over every frame. False when out of memory.
bool lmbi_transfer_make(const lmbi_humanoid *source, const lmbi_humanoid *target,
                        const lmbi_motion *motion, lmbi_arena *arena, lmbi_transfer *out);
/// One frame again, from the motion as it is now.
void lmbi_transfer_frame(lmbi_transfer *t, uint32_t frame);
/// Forward kinematics of one frame of the result: joints that are not driven keep their rest.
void lmbi_transfer_pose(const lmbi_transfer *t, uint32_t frame, lmb_transform *model);
/// Finds the twist joints of the target. False when out of memory.
bool lmbi_twists_plan(lmbi_transfer *t, lmbi_arena *arena);
/// In model space, for the rotations of the driven joints in a frame.
lmb_quat lmbi_twist_rotation(const lmbi_transfer *t, const lmbi_twist *twist,
                             const lmb_quat *rotations);
/// The driven joint of a slot, or LMB_NONE.
int32_t lmbi_driven_slot(const lmbi_transfer *t, int slot);

#endif
