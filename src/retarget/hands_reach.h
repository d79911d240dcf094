/// Trunks that bend where an arm is too short for what its hand touches.
#ifndef RETARGET_HANDS_REACH_H
#define RETARGET_HANDS_REACH_H

#include "retarget/transfer.h"

enum { LMBI_LEANS = LMB_SPINE_MAX + 2 };

typedef struct lmbi_hands_reach {
    lmbi_transfer *t;
    int32_t root;              ///< the lowest joint of the spine; LMB_NONE: nothing bends
    int32_t leans[LMBI_LEANS]; ///< driven joints that bend: the spine, and what carries the arms
    uint32_t lean_count;
    bool any;
    lmb_vec3 *turns;              ///< [frame_count][lean_count] in model space, axis times angle
    float *most, *scratch_frames; ///< [frame_count]
    float *stiffness;             ///< [target count]
    lmb_transform *local, *rest;  ///< [target count]
    lmb_mat4 *model;              ///< [target count]
    void *scratch;
    size_t scratch_size;
} lmbi_hands_reach;

/// What a hand's joint shall be at; none where it is LMB_NONE.
typedef struct lmbi_hand_goal {
    int32_t joint;
    lmb_vec3 place;
} lmbi_hand_goal;

/// False when out of memory.
bool lmbi_hands_reach_begin(lmbi_transfer *t, lmbi_arena *arena, lmbi_hands_reach *out);
/// Finds how spine and shoulders bend in a frame for the hands to be there, by full-body IK from
/// the pose that it has.
void lmbi_hands_reach_ask(lmbi_hands_reach *reach, uint32_t frame, const lmb_transform *model,
                          const lmbi_hand_goal goals[2]);
/// Bends them: no less than was asked for, from some time before until some time after. Arms, hands
/// and head keep their turns.
void lmbi_hands_reach_bend(lmbi_hands_reach *reach);

#endif
