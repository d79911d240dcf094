/// Pairs of left and right joints.
#ifndef RIG_JOINT_PAIRS_H
#define RIG_JOINT_PAIRS_H

#include "base/arena.h"
#include "limber/rig.h"

/// Pairs joints whose names differ only in left and right: "LeftArm", "arm.l", "L_arm", "lArm".
/// Existing pairs stay. right_of[joint_count]: the right joint of each left one, else LMB_NONE.
/// Errors: MEMORY.
lmb_result lmbi_pair_by_name(const lmb_skeleton *skeleton, int32_t *right_of, lmbi_arena *arena,
                             lmb_error *error);
/// partner[joint_count]: right_of in both directions; LMB_NONE for joints without a partner.
void lmbi_pair_both_ways(const int32_t *right_of, uint32_t joint_count, int32_t *partner);
/// Pairs joints without a partner that are each other's nearest mirror images within `reach`; a
/// joint nearest to its own image is its own partner. positions[joint_count].
void lmbi_pair_by_position(const lmb_vec3 *positions, uint32_t joint_count, lmb_vec3 normal,
                           float offset, float reach, int32_t *partner);

#endif
