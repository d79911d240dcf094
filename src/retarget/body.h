/// One side of a transfer: a skeleton seen as a humanoid that stands upright.
#ifndef RETARGET_BODY_H
#define RETARGET_BODY_H

#include "base/arena.h"
#include "limber/retarget.h"

/// The chain of spine or neck, and where along it each joint lies: 0 at the joint below, 1 at the
/// last.
typedef struct lmbi_spine_chain {
    int32_t joints[LMB_SPINE_MAX];
    float at[LMB_SPINE_MAX];
    uint32_t count;
} lmbi_spine_chain;

typedef struct lmbi_humanoid {
    const lmb_character *character;
    const lmb_skeleton *skeleton;
    lmb_joint_map map;
    uint32_t count;
    /// [count] model_from_joint in the reference pose, turned upright: +Y up, facing +Z
    lmb_transform *reference;
    lmb_reference_kind reference_kind;
    uint32_t reference_frame;
    /// the reference pose does not stand on the ground y = 0 of its space, so heights in it mean
    /// nothing
    bool lifted;
    float leg_length;   ///< thigh and shin, mean of both sides; 0 without legs
    float trunk_length; ///< hips to neck or head
    lmbi_spine_chain spine, neck;
} lmbi_humanoid;

/// Poses to choose a reference from: a clip of the character sampled by the caller.
typedef struct lmbi_motion {
    const lmb_skeleton *skeleton;
    uint32_t frame_count;
    float rate; ///< Hz
    double duration_s;
    lmb_transform *model; ///< [frame_count][joint_count] model_from_joint
    uint32_t lead, kept;  ///< the clip is frames [lead, lead + kept) of these
    /// frames at the beginning that were a calibration pose and are left out
    uint32_t dropped;
} lmbi_motion;

/// Samples the clip at `rate` (0: its own, or with `fine` twice that of slow recordings) into model
/// transforms. INVALID for a clip without length that says so. MEMORY.
lmb_result lmbi_motion_sample(const lmb_character *character, uint32_t clip, float rate, bool fine,
                              lmbi_arena *arena, lmbi_motion *out, lmb_error *error);
/// When the last frame is the first again, a stride further on or in place: puts cycles before and
/// after it, so that whatever looks at neighbouring frames sees none of the seam. `lead` and `kept`
/// then tell where the clip lies.
bool lmbi_motion_unroll(lmbi_motion *motion, int32_t hips, float size, lmbi_arena *arena);

/// Takes the map (NULL: finds it), chooses the reference pose (the rest pose, the bind pose, or a
/// frame of `motion`, which may be NULL) and measures. UNSUPPORTED when there is no humanoid;
/// `what` names the side for the message.
lmb_result lmbi_body_make(const lmb_character *character, const lmb_joint_map *map,
                          const lmbi_motion *motion, const char *what, const lmb_allocator *alloc,
                          lmbi_arena *arena, lmbi_humanoid *out, lmb_error *error);

/// Why the body may be none of a human, a static string; NULL where nothing speaks against it.
/// `chains` are the body's; NULL where it has none.
const char *lmbi_body_doubt(const lmbi_humanoid *body, const lmb_chain_map *chains);

/// One skeleton, or another of the same joints at rest in the same places: what was chosen for one
/// is right for the other.
bool lmbi_same_skeleton(const lmb_skeleton *a, const lmb_skeleton *b);

static inline int32_t lmbi_joint(const lmbi_humanoid *body, int slot)
{
    return body->map.slots[slot].joint;
}
/// Where a slot's joint is in the reference pose.
static inline lmb_vec3 lmbi_reference_at(const lmbi_humanoid *body, int slot)
{
    return body->reference[body->map.slots[slot].joint].translation;
}
/// The direction of a slot's bone in the reference pose: to the slot that follows it, to its
/// fingers, or to its tip.
bool lmbi_bone_direction(const lmbi_humanoid *body, int slot, lmb_vec3 *out);
/// A place of the model in the frame of a joint.
lmb_vec3 lmbi_local_point(const lmb_transform *joint, lmb_vec3 p);
/// The slot at the other end of an arm's, leg's or finger's bone, or LMB_SLOT_COUNT.
int lmbi_slot_after(int slot);

#endif
