/// Retargeting by chains: spine, neck, tail, legs and arms of any animal.
#ifndef RETARGET_CHAINS_H
#define RETARGET_CHAINS_H

#include "base/arena.h"
#include "mapping/chains.h"
#include "retarget/body.h"

// ---------------------------------------------------------------------------------------- the body

/// One side of a retarget by chains.
typedef struct lmbi_chain_body {
    const lmb_skeleton *skeleton;
    lmb_chain_map map;
    uint32_t count;
    lmb_transform *reference; ///< [count] model_from_joint at rest, rotated to face +Z
    lmb_vec3 centre;          ///< on the ground below the middle of the feet, or of the trunk
    float size;               ///< mean length of the legs; without legs that of the trunk
    float trunk;              ///< length of spine, neck and tail
    float metre;              ///< length of a metre on a body scaled to legs of 0.85 m
    bool has_legs;
} lmbi_chain_body;

lmb_result lmbi_creature_make(const lmb_skeleton *skeleton, const lmb_chain_map *map,
                              const char *what, const lmb_allocator *alloc, lmbi_arena *arena,
                              lmbi_chain_body *out, lmb_error *error);
/// Position of a leg's end in a pose: its last joint, or that joint's tip if it is lower at rest.
lmb_vec3 lmbi_paw(const lmbi_chain_body *creature, const lmb_body_chain *leg,
                  const lmb_transform *pose);

// ------------------------------------------------------------------------------------ the transfer

/// A driven joint of the target: its rotation is interpolated between those of two source joints.
typedef struct lmbi_follower {
    uint32_t joint;
    int32_t a, b;       ///< joints of the source
    float weight;       ///< slerp weight from a to b
    lmb_quat reference; ///< the joint's own rotation in the reference pose
} lmbi_follower;

/// A leg of the target and the source's leg that drives it.
typedef struct lmbi_leg_match {
    const lmb_body_chain *to, *from;
} lmbi_leg_match;

typedef struct lmbi_chain_transfer {
    const lmbi_chain_body *source, *target;
    const lmbi_motion *motion;
    bool same;            ///< both sides are one skeleton: every joint keeps its rotation
    int32_t *follower_of; ///< [target count] or LMB_NONE
    lmbi_follower *followers;
    uint32_t follower_count;
    lmbi_leg_match legs[LMB_CHAIN_MAX];
    uint32_t leg_count, chain_count;
    float scale;
    float source_floor, target_floor; ///< floor heights
    lmb_vec3 *headings;               ///< [frame_count] smoothed forward direction on the ground
    lmb_transform *local;             ///< [frame_count][target count], the result
} lmbi_chain_transfer;

/// Matches chains and retargets every frame; UNSUPPORTED if the bodies have no chain in common.
lmb_result lmbi_chain_transfer_make(const lmbi_chain_body *source, const lmbi_chain_body *target,
                                    const lmbi_motion *motion, const lmb_clip *clip, bool same,
                                    lmbi_arena *arena, lmbi_chain_transfer *out, lmb_error *error);
/// Maps a point of the source to the target. `rest` and `goal` are its positions in the two
/// reference poses.
lmb_vec3 lmbi_chain_map_point(const lmbi_chain_transfer *t, uint32_t frame, lmb_vec3 p,
                              lmb_vec3 rest, lmb_vec3 goal);
/// Retargets a frame: rotations of the driven joints, rest pose elsewhere, then the root's
/// position. model[target count] is scratch.
void lmbi_chain_carry(lmbi_chain_transfer *t, uint32_t frame, lmb_transform *model);
/// Sets a frame's heading to the source's in that frame alone, unfiltered.
void lmbi_chain_face(lmbi_chain_transfer *t, uint32_t frame);
/// model_from_joint of a frame of the result.
void lmbi_chain_pose(const lmbi_chain_transfer *t, uint32_t frame, lmb_transform *model);
/// Sets the root's model-space position in a frame of the result.
void lmbi_chain_set_root(const lmbi_chain_transfer *t, uint32_t frame, lmb_vec3 position);

/// Moves the legs along the source's paths; with `lock`, contacts are locked. False when out of
/// memory.
bool lmbi_paws_place(lmbi_chain_transfer *t, bool lock, lmbi_arena *arena, uint32_t *contact_count,
                     float *largest_correction);
/// Treadmill velocity of a walk in place. False when out of memory.
bool lmbi_paws_treadmill(const lmbi_chain_body *creature, const lmbi_motion *motion,
                         lmbi_arena *arena, lmb_vec3 *velocity);

/// Whether two characters are retargeted as humans or by chains.
typedef struct lmbi_retarget_choice {
    bool human;
    bool sure; ///< given by the options: do not fall back to the other
    const char *target_doubt, *source_doubt; ///< static strings, or NULL
} lmbi_retarget_choice;

/// As humans, unless the options say otherwise or neither body is one. `clip` is the source's, in
/// which it may stand if it does not at rest; LMB_NONE: judged at rest. Errors: MEMORY.
lmb_result lmbi_retarget_choose(const lmb_character *target, const lmb_character *source,
                                int32_t clip, const lmb_retarget_opts *opts,
                                const lmb_allocator *alloc, lmbi_arena *arena,
                                lmbi_retarget_choice *out, lmb_error *error);

/// One call of lmb_retarget.
typedef struct lmbi_retarget_call {
    const lmb_character *target, *source;
    uint32_t clip;
    bool same; ///< both have the same skeleton
    const lmb_retarget_opts *opts;
    const lmb_allocator *alloc;
    lmbi_arena *arena;
    lmb_retarget_report *report;
} lmbi_retarget_call;

/// lmb_retarget by chains.
lmb_result lmbi_retarget_chains(const lmbi_retarget_call *call, lmb_clip **out, lmb_error *error);

#endif
