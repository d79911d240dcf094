/// Rows of a character that gets other joints and keeps its weights.
#ifndef RIG_BIND_KEEP_H
#define RIG_BIND_KEEP_H

#include "base/arena.h"
#include "limber/rig.h"

/// Which joint of another skeleton is which.
typedef struct lmbi_kept_joints {
    uint32_t *heir_of; ///< [joint_count of the character] the joint that gets its weight
    /// [joint_count of the other] the joint whose weight it shares: itself, unless it is new; UINT32_MAX: none
    uint32_t *giver_of;
    uint32_t kept_count, new_count, gone_count; ///< gone: of those that had weight
} lmbi_kept_joints;

/// Joints are the same by their names, in order where several have one. `deforms` as in lmb_bind_opts. In the arena.
/// Errors: INVALID where nothing of `to` deforms; MEMORY.
lmb_result lmbi_kept_joints_find(const lmb_character *character, const lmb_skeleton *to,
                                 const uint8_t *deforms, lmbi_arena *arena, lmbi_kept_joints *out,
                                 lmb_error *error);

/// Rows of all instances' vertices in order, joints as in the other skeleton. `solved` has such rows for it; NULL where
/// no joint is new. A row gets no more than `influences` joints unless it had them. Errors: MEMORY.
lmb_result lmbi_kept_rows(const lmb_character *character, const lmbi_kept_joints *joints,
                          const lmb_influences *solved, uint32_t influences, lmbi_arena *arena,
                          lmb_influences *out, lmb_error *error);

#endif
