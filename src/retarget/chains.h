/// Bodies as chains: spine, neck, tail, legs and arms of whatever walks, flies, swims or crawls.
#ifndef RETARGET_CHAINS_H
#define RETARGET_CHAINS_H

#include "base/arena.h"
#include "retarget/body.h"
#include "retarget/names.h"

// --------------------------------------------------------------------------------------- the shape

/// What a skeleton's rest pose tells before any joint is called anything.
typedef struct lmbi_shape {
    const lmb_skeleton *skeleton;
    uint32_t count;
    lmb_vec3 *at;       ///< [count]
    lmb_vec3 *tip;      ///< [count] the end of the joint's own bone, or the joint
    lmb_vec3 *middle;   ///< [count] mean of the joints below it, and itself
    uint32_t *size;     ///< [count] how many these are
    float *below;       ///< [count] length of the longest way down, with its tip
    uint32_t *children; ///< [count]
    /// [count] the first child, and the next of the same parent, by number; 0 for none, for joint 0
    /// is nobody's child
    uint32_t *child, *sibling;
    lmbi_name *names; ///< [count]
    /// [count] the mirror image; itself: in the middle plane; LMB_NONE: neither, or no part of the
    /// body
    int32_t *twin;
    int32_t root;   ///< of the largest tree
    lmb_vec3 aside; ///< across the middle plane: +X or +Z
    float plane;    ///< where that is
    float extent;   ///< diagonal of the body's box
    float ground, height;
} lmbi_shape;

/// False when out of memory.
bool lmbi_shape_make(const lmb_skeleton *skeleton, lmbi_arena *arena, lmbi_shape *out);
/// An end that a bone leads to: a node for a mesh, lying in its parent, is none.
bool lmbi_shape_is_end(const lmbi_shape *shape, uint32_t joint);
/// How far a point lies off the middle plane, to the side of `aside`.
static inline float lmbi_off_plane(const lmbi_shape *shape, lmb_vec3 p)
{
    return lmb_vec3_dot(p, shape->aside) - shape->plane;
}
/// The next joint of the longest way down; LMB_NONE at the end.
int32_t lmbi_shape_down(const lmbi_shape *shape, int32_t joint);

/// Finds upper, lower and end of limbs (the two bones in a row whose shorter one is longest), and
/// the root. `at` are the joints' places.
void lmbi_chains_complete(lmb_chain_map *map, const lmb_skeleton *skeleton, const lmb_vec3 *at);
/// The chain of that kind; NULL when there is none.
const lmb_chain *lmbi_chain_get(const lmb_chain_map *map, lmb_chain_kind kind, int side,
                                uint32_t pair);
/// How many pairs of legs or arms there are.
uint32_t lmbi_chain_pairs(const lmb_chain_map *map, lmb_chain_kind kind);

// ------------------------------------------------------------------------------------- the
// creature

/// One side of a transfer by chains.
typedef struct lmbi_creature {
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
} lmbi_creature;

lmb_result lmbi_creature_make(const lmb_skeleton *skeleton, const lmb_chain_map *map,
                              const char *what, const lmb_allocator *alloc, lmbi_arena *arena,
                              lmbi_creature *out, lmb_error *error);
/// Where a leg's end is in a pose: its last joint, or the tip of that where it is lower at rest.
lmb_vec3 lmbi_paw(const lmbi_creature *creature, const lmb_chain *leg, const lmb_transform *pose);

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
typedef struct lmbi_leg_pair {
    const lmb_chain *to, *from;
} lmbi_leg_pair;

typedef struct lmbi_chain_transfer {
    const lmbi_creature *source, *target;
    const lmbi_motion *motion;
    bool same;            ///< one skeleton: every joint does what it did
    int32_t *follower_of; ///< [target count] or LMB_NONE
    lmbi_follower *followers;
    uint32_t follower_count;
    lmbi_leg_pair legs[LMB_CHAIN_MAX];
    uint32_t leg_count, chain_count;
    float scale;
    float source_floor, target_floor; ///< heights of the paws' ground
    lmb_vec3 *headings;               ///< [frame_count] on the ground, smooth
    lmb_transform *local;             ///< [frame_count][target count], out
} lmbi_chain_transfer;

/// Plans and carries over every frame; UNSUPPORTED when no chain of one is one of the other.
lmb_result lmbi_chain_transfer_make(const lmbi_creature *source, const lmbi_creature *target,
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
bool lmbi_paws_belt(const lmbi_creature *creature, const lmbi_motion *motion, lmbi_arena *arena,
                    lmb_vec3 *velocity);

/// What retargeting takes two characters for.
typedef struct lmbi_way {
    bool human;
    bool sure;                               ///< told so: if it fails, the other way is not tried
    const char *target_doubt, *source_doubt; ///< static strings, or NULL
} lmbi_way;

/// As humans, unless the options say otherwise or neither is one. Errors: MEMORY.
lmb_result lmbi_way_choose(const lmb_character *target, const lmb_character *source,
                           const lmb_retarget_opts *opts, const lmb_allocator *alloc,
                           lmbi_arena *arena, lmbi_way *out, lmb_error *error);

/// lmb_retarget by chains.
lmb_result lmbi_retarget_chains(const lmb_character *target, const lmb_character *source,
                                uint32_t clip, const lmb_retarget_opts *opts, bool same,
                                const lmb_allocator *alloc, lmbi_arena *arena, lmb_clip **out,
                                lmb_retarget_report *report, lmb_error *error);

#endif
