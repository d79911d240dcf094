/// Bends the trunk where an arm is too short for its hand's contact.
#ifndef RETARGET_HANDS_REACH_H
#define RETARGET_HANDS_REACH_H

#include "retarget/transfer.h"

enum { LMBI_BEND_JOINTS = LMB_SPINE_MAX + 2 };

typedef struct lmbi_hands_reach {
    lmbi_transfer *t;
    int32_t root;                          ///< lowest joint of the spine; LMB_NONE: nothing bends
    int32_t bend_joints[LMBI_BEND_JOINTS]; ///< driven joints that bend: the spine and the shoulders
    uint32_t bend_joint_count;
    bool any;
    lmb_vec3 *bends;                    ///< [frame_count][lean_count] model-space rotation vectors
    float *bend_sizes, *scratch_frames; ///< [frame_count]
    float *stiffness;                   ///< [target count]
    lmb_transform *local, *rest;        ///< [target count]
    lmb_mat4 *model;                    ///< [target count]
    void *scratch;
    size_t scratch_size;
} lmbi_hands_reach;

/// Goal of a hand's joint; none if the joint is LMB_NONE.
typedef struct lmbi_hand_goal {
    int32_t joint;
    lmb_vec3 position;
} lmbi_hand_goal;

/// False when out of memory.
bool lmbi_hands_reach_begin(lmbi_transfer *t, lmbi_arena *arena, lmbi_hands_reach *out);
/// Finds the rotations of spine and shoulders in a frame that bring the hands to their goals, by
/// full-body IK from the frame's pose.
void lmbi_hands_reach_request(lmbi_hands_reach *reach, uint32_t frame, const lmb_transform *model,
                              const lmbi_hand_goal goals[2]);
/// Applies the requested bends, spread over time so that none is reduced. Arms, hands and head keep
/// their model-space rotation.
void lmbi_hands_reach_apply(lmbi_hands_reach *reach);

#endif
