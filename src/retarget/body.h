/// One side of a retarget: a skeleton seen as a humanoid standing upright.
#ifndef RETARGET_BODY_H
#define RETARGET_BODY_H

#include "base/arena.h"
#include "limber/retarget.h"
#include "mapping/mapping.h"

/// The joints of the spine or neck, and the arc-length parameter at which each one's bone ends:
/// 1 for the last.
typedef struct lmbi_spine_chain {
    int32_t joints[LMB_SPINE_MAX];
    float at[LMB_SPINE_MAX];
    uint32_t count;
} lmbi_spine_chain;

/// An arm or a leg of one joint, as toys of blocks have them.
typedef struct lmbi_single_limb {
    bool exists;
    lmb_vec3 end;                 ///< of its skin, in the reference pose
    const struct lmbi_sole *sole; ///< the skin of a leg
} lmbi_single_limb;

typedef struct lmbi_humanoid {
    const lmb_character *character;
    const lmb_skeleton *skeleton;
    lmb_joint_map map;
    uint32_t count;
    /// [count] model_from_joint in the reference pose, rotated upright: +Y up, facing +Z
    lmb_transform *reference;
    lmb_reference_kind reference_kind;
    uint32_t reference_frame;
    /// the reference pose does not stand on y = 0, so its heights carry no information
    bool lifted;
    lmbi_single_limb single[LMBI_UPPER_BONES]; ///< of lmbi_upper_bones
    float leg_length;   ///< thigh plus shin, mean of both sides; 0 without legs
    float trunk_length; ///< hips to neck or head
    lmbi_spine_chain spine, neck;
} lmbi_humanoid;

/// A clip sampled at a constant rate.
typedef struct lmbi_motion {
    const lmb_skeleton *skeleton;
    uint32_t frame_count;
    float rate; ///< Hz
    double duration_s;
    lmb_transform *model; ///< [frame_count][joint_count] model_from_joint
    uint32_t lead, kept;  ///< the clip is frames [lead, lead + kept)
    uint32_t dropped;     ///< leading frames removed as a calibration pose
} lmbi_motion;

/// Samples the clip into model transforms at `rate` Hz. `rate` 0 means the clip's own, if `fine`
/// doubled until it is 55 Hz or more. Errors: INVALID for a clip without length; MEMORY.
lmb_result lmbi_motion_sample(const lmb_character *character, uint32_t clip, float rate, bool fine,
                              lmbi_arena *arena, lmbi_motion *out, lmb_error *error);
/// Pads a loop, in place or travelling, with copies of itself before and after, so that filters
/// over neighbouring frames see no seam. `lead` and `kept` then locate the clip.
bool lmbi_motion_unroll(lmbi_motion *motion, int32_t hips, float size, lmbi_arena *arena);
/// Replaces forward directions on the ground by headings, unit: their means over a stride. False
/// when out of memory.
bool lmbi_headings_average(lmb_vec3 *headings, uint32_t frame_count, float rate, lmbi_arena *arena);

/// Uses `map` (NULL: finds one), chooses the reference pose (rest pose, bind pose, or a frame of
/// `motion`, which may be NULL) and measures lengths. `what` names the side in messages. Errors:
/// UNSUPPORTED without a humanoid; MEMORY.
lmb_result lmbi_body_make(const lmb_character *character, const lmb_joint_map *map,
                          const lmbi_motion *motion, const char *what, const lmb_allocator *alloc,
                          lmbi_arena *arena, lmbi_humanoid *out, lmb_error *error);

/// Fills body->single, with the reference pose known. False when out of memory.
bool lmbi_single_limbs_find(lmbi_humanoid *body, lmbi_arena *arena);
/// The limb of one joint that an upper bone is, or NULL.
const lmbi_single_limb *lmbi_single_limb_of(const lmbi_humanoid *body, int bone);

/// Fills body->reference, reference_kind, reference_frame and lifted. False when out of memory.
bool lmbi_reference_choose(lmbi_humanoid *body, const lmbi_motion *motion, lmbi_arena *arena);

/// Why the body may not be a human, as a static string; NULL if nothing suggests that. `chains` are
/// the body's, NULL if it has none.
const char *lmbi_body_doubt(const lmbi_humanoid *body, const lmb_chain_map *chains);

/// Whether two skeletons have the same hierarchy and rest pose, so that one map serves both.
bool lmbi_same_skeleton(const lmb_skeleton *a, const lmb_skeleton *b);

static inline int32_t lmbi_joint(const lmbi_humanoid *body, int bone)
{
    return body->map.bones[bone].joint;
}
static inline bool lmbi_has_bone(const lmbi_humanoid *body, int bone)
{
    return lmbi_joint(body, bone) >= 0;
}
/// Position of a human bone's joint in the reference pose.
static inline lmb_vec3 lmbi_reference_at(const lmbi_humanoid *body, int bone)
{
    return body->reference[body->map.bones[bone].joint].translation;
}
/// Direction of a human bone in the reference pose: to its child human bone, to the knuckles, or to
/// its tip.
bool lmbi_bone_direction(const lmbi_humanoid *body, int bone, lmb_vec3 *out);
/// The toe in the foot joint's local space: the toe joint, else the tip of the foot, else an
/// estimate in front of the ankle.
lmb_vec3 lmbi_toe_of(const lmbi_humanoid *body, int foot);
/// A model-space point in the local space of a joint.
lmb_vec3 lmbi_local_point(const lmb_transform *joint, lmb_vec3 p);
/// The child of an arm, leg or finger bone, or LMB_HUMAN_BONE_COUNT.
int lmbi_bone_after(int bone);

// Repair of trunks whose joint rotations contradict the joint positions.

/// Learned motions and some solvers fit joint positions but leave the rotations of hips and spine
/// arbitrary, compensated by zero-length joints below. If the line across hips or shoulders shows
/// that, recomputes the rotations of hips, spine, neck and shoulders from positions. Returns
/// whether it did.
bool lmbi_trunk_repair(const lmbi_humanoid *source, lmbi_motion *motion);
/// Takes the rotation of shoulders about their own bones out of a motion in which it is larger than
/// clavicles can turn: the axes of the rest pose are not those of the clip. Whether there was one.
bool lmbi_shoulders_repair(const lmbi_humanoid *source, lmbi_motion *motion);

#endif
