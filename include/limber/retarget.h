/// Motion of one skeleton on another: rest poses aligned, sizes matched, feet kept on the ground,
/// faces carried over.
#ifndef LIMBER_RETARGET_H
#define LIMBER_RETARGET_H

#include "limber/asset.h"
#include "limber/base.h"
#include "limber/ik.h"
#include "limber/io.h"
#include "limber/mapping.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------ retargeting

/// The pose that was chosen as the reference.
typedef enum lmb_reference_kind {
    LMB_REFERENCE_REST = 0, ///< the skeleton's rest pose stands upright
    LMB_REFERENCE_BIND,     ///< the pose that the skin was bound in
    LMB_REFERENCE_FRAME,    ///< a frame of the clip: neither of those stands
} lmb_reference_kind;

/// How bodies are matched.
typedef enum lmb_retarget_method {
    LMB_RETARGET_AUTO = 0, ///< as humans, unless neither has a humanoid, or it is doubtful
    LMB_RETARGET_HUMAN,
    LMB_RETARGET_CHAINS, ///< by spine, neck, tail, legs and arms, for any animal
} lmb_retarget_method;

typedef struct lmb_retarget_opts {
    lmb_retarget_method method;
    const lmb_joint_map *target_map;                    ///< NULL: found
    const lmb_joint_map *source_map;                    ///< NULL: found
    const lmb_chain_map *target_chains, *source_chains; ///< NULL: found
    bool no_lock_feet;                                  ///< do not lock the feet
    bool free_hands;                                    ///< do not correct hand contacts
    bool in_place;                                      ///< the hips keep their horizontal position
    /// of the result, Hz. 0: the source's own, at least 24; with locked feet it is doubled until it
    /// is at least 55
    float frame_rate;
    const char *name; ///< of the result; NULL: the source clip's
} lmb_retarget_opts;

typedef struct lmb_retarget_report {
    bool by_chains; ///< the chain maps below were used, else the joint maps
    lmb_joint_map target_map, source_map;
    lmb_chain_map target_chains, source_chains;
    uint32_t chain_count; ///< chains of the target that are driven by one of the source
    lmb_reference_kind target_reference, source_reference;
    /// why a body may be no human, whatever its joints are called: a static string, or NULL
    const char *target_doubt, *source_doubt;
    uint32_t source_reference_frame; ///< with LMB_REFERENCE_FRAME
    uint32_t bone_count;             ///< human bones that both have
    uint32_t frame_count;
    /// leading frames removed as a calibration pose
    uint32_t dropped_frames;
    bool loops; ///< the motion is a loop, and so is the result
    float frame_rate;
    float scale; ///< length of the target's legs over the source's
    /// treadmill speed of a walk in place, in model units of the target per second: standing feet
    /// move backward at it. 0 where the body travels
    float belt_speed;
    uint32_t touching_frames;  ///< frames in which a hand touches the other, the body or the floor
    uint32_t contact_count;    ///< locked foot contacts
    float largest_correction;  ///< greatest correction of a foot, in model units of the target
    uint32_t expression_count; ///< expressions of the face that were carried over
    uint32_t expressions_dropped; ///< expressions that the target does not have
    bool has_gaze;                ///< the eyes follow a VRM animation's look-at
} lmb_retarget_report;

/// Why a character with a humanoid's joints may be no human: its trunk lies level, or it has more
/// legs than two. Judged at rest, or in the first clip where it stands if it does not stand at rest.
/// A static string; NULL where nothing says so, or joints are missing. Errors:
/// MEMORY.
LMB_API lmb_result lmb_humanoid_doubt(const lmb_character *character, const lmb_joint_map *map,
                                      const lmb_allocator *alloc, const char **out,
                                      lmb_error *error);

/// Retargets a clip of `source` to the skeleton of `target`.
///
/// Model-space rotations are transferred relative to a reference pose in which both bodies stand:
/// R_t = R_s R_s,ref^-1 A R_t,ref, with A the shortest rotation of the target's bone onto the
/// source's (arms, legs, fingers; for feet the yaw alone, so that soles stay flat). Spines and
/// necks of different lengths distribute the rotation along the chain. The hips' path is scaled by
/// the length of the legs. Feet in contact are locked by two-bone IK, with blended corrections, and
/// the hips are lowered where a leg cannot reach. Palms that touch each other, trunk, head, thighs,
/// arms or the floor touch them on the target, by two-bone IK of the arms. The clip has rotations
/// of the mapped joints and translations of the hips (and of joints that do not descend from the
/// joint they follow). Expressions are matched by name (lmb_face_apply); a VRM animation's gaze
/// rotates the eyes. The clip fits target->skeleton; add it to the character to use it. Errors:
/// INVALID when there is no such clip; UNSUPPORTED when one of the two has no humanoid, named in
/// `found`; MEMORY.
LMB_API lmb_result lmb_retarget(const lmb_character *target, const lmb_character *source,
                                uint32_t clip, const lmb_retarget_opts *opts,
                                const lmb_allocator *alloc, lmb_clip **out,
                                lmb_retarget_report *report, lmb_error *error);

// ----------------------------------------------------------------------------------------- limits

/// Joint limits of a humanoid: lmb_human_limits for the mapped human bones, spine and neck, with
/// the map's facing direction. limits[joint_count]. Errors: MEMORY.
LMB_API lmb_result lmb_joint_map_limits(const lmb_joint_map *map, const lmb_skeleton *skeleton,
                                        const lmb_allocator *alloc, lmb_joint_limit *limits,
                                        lmb_error *error);

// ------------------------------------------------------------------------------------------ faces

/// Weight of one morph target: of the instance on `joint`, indexed as in lmb_character_weights.
typedef struct lmb_expression_bind {
    uint32_t joint, target;
    float weight; ///< of the target at the expression's full value
} lmb_expression_bind;

/// Effect of an expression on a group of others.
typedef enum lmb_expression_override {
    LMB_OVERRIDE_NONE = 0,
    LMB_OVERRIDE_BLOCK, ///< suppressed entirely
    LMB_OVERRIDE_BLEND, ///< reduced in proportion to this expression's value
} lmb_expression_override;

typedef struct lmb_expression {
    const char *name; ///< VRM 1.0's for presets ("happy", "blinkLeft"), else the file's
    bool is_preset;   ///< a preset of VRM 1.0
    bool is_target;   ///< not from a VRM: all morph targets of that name
    bool is_binary;   ///< on from one half, else off
    /// of the mouth, blink and gaze presets, except its own group
    lmb_expression_override override_mouth, override_blink, override_look;
    uint32_t bind_count;
    lmb_expression_bind *binds;
} lmb_expression;

/// Maps the size of a gaze angle to an eye's rotation (radians) or an expression's value.
typedef struct lmb_gaze_range {
    float input_max_rad, output;
} lmb_gaze_range;

/// A character's face: the expressions of a VRM 0.x or 1.0, then its morph targets by name, and how
/// its eyes follow a gaze.
typedef struct lmb_face {
    uint32_t expression_count;
    lmb_expression *expressions;
    int32_t eyes[2]; ///< joints, left and right, or LMB_NONE
    float facing;    ///< +1: along +Z; -1: along -Z, as in VRM 0.x
    bool gaze_by_expression;
    lmb_gaze_range gaze_in, gaze_out, gaze_down, gaze_up; ///< of an eye towards the nose, …
    lmb_allocator allocator;
} lmb_face;

/// Errors: MEMORY.
LMB_API lmb_result lmb_face_create(const lmb_character *character, const lmb_allocator *alloc,
                                   lmb_face **out, lmb_error *error);
LMB_API void lmb_face_destroy(lmb_face *face);

/// Expressions over time, and a gaze.
typedef struct lmb_face_motion {
    uint32_t track_count, key_count;
    const char **names; ///< [track_count] of expressions
    float *times_s;     ///< [key_count] ascending
    float *values;      ///< [key_count][track_count] 0 to 1
    bool is_step;       ///< values hold until the next key
    /// [key_count] radians from straight ahead: x to the body's left, y up; NULL: no gaze
    lmb_vec2 *gaze;
    lmb_allocator allocator;
} lmb_face_motion;

/// The facial motion of a clip: expressions and gaze of a VRM animation; else morph weights as
/// expressions (least squares over those of a VRM, before overrides; residuals as targets by name).
/// `out` gets NULL if there is none. Errors: MEMORY.
LMB_API lmb_result lmb_face_motion_of_clip(const lmb_character *character, uint32_t clip,
                                           const lmb_allocator *alloc, lmb_face_motion **out,
                                           lmb_error *error);
/// The blend shapes of a VMC recording, with the times of lmb_vmc_character. NULL if there are
/// none. Errors: MEMORY.
LMB_API lmb_result lmb_face_motion_of_vmc(const lmb_vmc_frame *frames, uint32_t count,
                                          const lmb_allocator *alloc, lmb_face_motion **out,
                                          lmb_error *error);
LMB_API void lmb_face_motion_destroy(lmb_face_motion *motion);
/// The tracks at a time: values[track_count]. Constant before the first key and after the last.
LMB_API void lmb_face_motion_at(const lmb_face_motion *motion, double time_s, float *values);

typedef struct lmb_face_report {
    uint32_t matched;   ///< tracks that the face has an expression for
    uint32_t unmatched; ///< tracks that it has none for
    bool has_gaze;      ///< eyes or gaze expressions are animated
} lmb_face_report;

typedef struct lmb_face_apply_job {
    const lmb_character *character;
    const lmb_face *face; ///< of the character
    const lmb_face_motion *motion;
    const lmb_clip *clip; ///< of the character
    double shift_s;       ///< time of the clip at which the face motion begins
} lmb_face_apply_job;

/// A copy of a clip of the character with morph weights and eyes animated by the face motion.
/// Weights add up, each expression's value clamped to [0, 1] and
/// overridden by others (VRMC_vrm 1.0). Replaces channels of the same weights and eyes. `report` may
/// be NULL. Errors: MEMORY.
LMB_API lmb_result lmb_face_apply(const lmb_face_apply_job *job, const lmb_allocator *alloc,
                                  lmb_clip **out, lmb_face_report *report, lmb_error *error);

#ifdef __cplusplus
}
#endif
#endif
