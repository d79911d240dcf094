/// Bodies as chains: spine, neck, tail, legs and arms of whatever walks, flies, swims or crawls.
#ifndef RETARGET_CHAINS_H
#define RETARGET_CHAINS_H

#include "base/arena.h"
#include "mapping/chains.h"
#include "retarget/body.h"

// ------------------------------------------------------------------------------------- the
// creature

/// One side of a transfer by chains.
typedef struct lmbi_chain_body {
    const lmb_skeleton *skeleton;
    lmb_chain_map map;
    uint32_t count;
    lmb_transform *reference; ///< [count] model_from_joint at rest, turned to face +Z
    lmb_vec3 centre;          ///< on the ground below the middle of the feet, or of the trunk
    /// length of the legs, mean; without legs that of the trunk
    float size;
    float trunk; ///< length of spine, neck and tail
    float metre; ///< a metre on a body of common size: legs of 0.85 m
    bool has_legs;
} lmbi_chain_body;

lmb_result lmbi_creature_make(const lmb_skeleton *skeleton, const lmb_chain_map *map,
                              const char *what, const lmb_allocator *alloc, lmbi_arena *arena,
                              lmbi_chain_body *out, lmb_error *error);
/// Where a leg's end is in a pose: its last joint, or the tip of that where it is lower at rest.
lmb_vec3 lmbi_paw(const lmbi_chain_body *creature, const lmb_chain *leg, const lmb_transform *pose);

// ------------------------------------------------------------------------------------- the
// transfer

/// What a joint of the target follows: a turn between those of two joints of the source.
typedef struct lmbi_follower {
    uint32_t joint;
    int32_t a, b;    ///< joints of the source
    float share;     ///< of the way from a's turn to b's
    lmb_quat stands; ///< the joint's own rotation in the reference
} lmbi_follower;

/// A leg of the target and the source's that it goes with.
typedef struct lmbi_leg_match {
    const lmb_chain *to, *from;
} lmbi_leg_match;

typedef struct lmbi_chain_transfer {
    const lmbi_chain_body *source, *target;
    const lmbi_motion *motion;
    bool same;            ///< one skeleton: every joint does what it did
    int32_t *follower_of; ///< [target count] or LMB_NONE
    lmbi_follower *followers;
    uint32_t follower_count;
    lmbi_leg_match legs[LMB_CHAIN_MAX];
    uint32_t leg_count, chain_count;
    float scale;
    float source_floor, target_floor; ///< heights of the paws' ground
    lmb_vec3 *headings;               ///< [frame_count] on the ground, smooth
    lmb_transform *local;             ///< [frame_count][target count], out
} lmbi_chain_transfer;

/// Plans and carries over every frame; UNSUPPORTED when no chain of one is one of the other.
lmb_result lmbi_chain_transfer_make(const lmbi_chain_body *source, const lmbi_chain_body *target,
                                    const lmbi_motion *motion, const lmb_clip *clip, bool same,
                                    lmbi_arena *arena, lmbi_chain_transfer *out, lmb_error *error);
/// A place of the source as the target has it: `stood` and `shall` are where the same point is in
/// the two references.
lmb_vec3 lmbi_chain_place(const lmbi_chain_transfer *t, uint32_t frame, lmb_vec3 p, lmb_vec3 stood,
                          lmb_vec3 shall);
/// A frame from the motion as it is now: turns of the followers, the rest at rest; then the root's
/// place, as the body heads. model[target count] is scratch.
void lmbi_chain_carry(lmbi_chain_transfer *t, uint32_t frame, lmb_transform *model);
/// Lets the body of a frame head where the source's does in that frame alone.
void lmbi_chain_face(lmbi_chain_transfer *t, uint32_t frame);
/// model_from_joint of a frame of the result.
void lmbi_chain_pose(const lmbi_chain_transfer *t, uint32_t frame, lmb_transform *model);
/// Sets the root's place, in model space, of a frame of the result.
void lmbi_chain_put_root(const lmbi_chain_transfer *t, uint32_t frame, lmb_vec3 place);

/// Legs go where the source's go; with `lock` those that stand are held. False when out of memory.
bool lmbi_paws_place(lmbi_chain_transfer *t, bool lock, lmbi_arena *arena, uint32_t *contact_count,
                     float *largest_correction);
/// How fast the ground goes by under paws that walk on the spot. False when out of memory.
bool lmbi_paws_belt(const lmbi_chain_body *creature, const lmbi_motion *motion, lmbi_arena *arena,
                    lmb_vec3 *velocity);

/// What retargeting takes two characters for.
typedef struct lmbi_retarget_choice {
    bool human;
    bool sure;                               ///< told so: if it fails, the other way is not tried
    const char *target_doubt, *source_doubt; ///< static strings, or NULL
} lmbi_retarget_choice;

/// As humans, unless the options say otherwise or neither is one. Errors: MEMORY.
lmb_result lmbi_way_choose(const lmb_character *target, const lmb_character *source,
                           const lmb_retarget_opts *opts, const lmb_allocator *alloc,
                           lmbi_arena *arena, lmbi_retarget_choice *out, lmb_error *error);

/// lmb_retarget by chains.
lmb_result lmbi_retarget_chains(const lmb_character *target, const lmb_character *source,
                                uint32_t clip, const lmb_retarget_opts *opts, bool same,
                                const lmb_allocator *alloc, lmbi_arena *arena, lmb_clip **out,
                                lmb_retarget_report *report, lmb_error *error);

#endif
