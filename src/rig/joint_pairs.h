/// Which joint of the left side is which of the right.
#ifndef RIG_JOINT_PAIRS_H
#define RIG_JOINT_PAIRS_H

#include "base/arena.h"
#include "limber/rig.h"

/// Pairs joints whose names differ in left and right alone: "LeftArm", "arm.l", "L_arm", "lArm".
/// Joints that have a partner keep it. right_of[joint_count]: for a joint on the left the one on
/// the right, else LMB_NONE. Errors: MEMORY.
lmb_result lmbi_pair_by_name(const lmb_skeleton *skeleton, int32_t *right_of, lmbi_arena *arena,
                             lmb_error *error);
/// partner[joint_count] from right_of: both ways; LMB_NONE for joints without one.
void lmbi_pair_both_ways(const int32_t *right_of, uint32_t joint_count, int32_t *partner);
/// Pairs joints without a partner that are each other's nearest mirror images within `reach`; a
/// joint that is nearest to its own image is its own partner. places[joint_count].
void lmbi_pair_by_place(const lmb_vec3 *places, uint32_t joint_count, lmb_vec3 normal, float offset,
                        float reach, int32_t *partner);

#endif
