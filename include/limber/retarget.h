/// Motion of one skeleton on another: rest poses aligned, sizes matched, feet kept on the ground, faces carried over.
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

/// What a rest pose was aligned by.
typedef enum lmb_reference_kind {
    LMB_REFERENCE_REST = 0, ///< the skeleton's rest pose stands upright
    LMB_REFERENCE_BIND,     ///< the pose that the skin was bound in does
    LMB_REFERENCE_FRAME,    ///< neither: a frame of the clip was taken
} lmb_reference_kind;

/// What bodies are seen as.
typedef enum lmb_retarget_way {
    LMB_RETARGET_AUTO = 0, ///< as humans, unless neither has a humanoid, or it is doubtful
    LMB_RETARGET_HUMAN,
    LMB_RETARGET_CHAINS, ///< by spine, neck, tail, legs and arms, whatever they are
} lmb_retarget_way;

typedef struct lmb_retarget_opts {
    lmb_retarget_way way;
    const lmb_joint_map *target_map;                    ///< NULL: found
    const lmb_joint_map *source_map;                    ///< NULL: found
    const lmb_chain_map *target_chains, *source_chains; ///< NULL: found
    bool no_lock_feet;                                  ///< leave the feet as they come out
    bool free_hands;                                    ///< leave the hands as they come out
    bool in_place; ///< the hips stay above their place on the ground
    /// of the result; 0: the source's own, twice that below 45 Hz when feet are locked
    float frame_rate;
    const char *name; ///< of the result; NULL: the source clip's
} lmb_retarget_opts;

typedef struct lmb_retarget_report {
    bool by_chains; ///< then the chain maps tell which joint is which, else the joint maps
    lmb_joint_map target_map, source_map;
    lmb_chain_map target_chains, source_chains;
    uint32_t chain_count; ///< chains of the target that follow one of the source's
    lmb_reference_kind target_reference, source_reference;
    /// why the one or the other may be no human, whatever its joints are called: a static string,
    /// or NULL
    const char *target_doubt, *source_doubt;
    uint32_t source_reference_frame; ///< with LMB_REFERENCE_FRAME
    uint32_t slot_count;             ///< slots that both have
    uint32_t frame_count;
    /// at the beginning: a calibration pose that the motion jumps away from
    uint32_t dropped_frames;
    bool loops; ///< the motion's last frame is its first: the result closes as well
    float frame_rate;
    float scale; ///< length of the target's legs over the source's
    /// of the ground under a walk on the spot, in model units of the target a second; feet stand
    /// still on it. 0 where the body travels
    float belt_speed;
    uint32_t touching_frames; ///< in which a hand touches the other, the body or the floor
    uint32_t contact_count;   ///< times a foot was found to stand still and held
    float largest_correction; ///< how far a foot was moved to hold it, in model units of the target
    uint32_t expression_count;    ///< expressions of the face that were carried over
    uint32_t expressions_dropped; ///< and those that the target does not have
    bool has_gaze;                ///< the eyes follow a VRM animation's look-at
} lmb_retarget_report;

/// Puts a clip of `source` on the skeleton of `target`.
///
/// World rotations are carried over relative to a reference pose that both are seen to stand in:
/// R_t = R_s R_s,ref^-1 A R_t,ref, with A the least rotation of the target's bone onto the source's
/// (arms, legs, fingers; the feet's yaw alone, so that soles stay flat).
/// Spines and necks of different lengths share out the turn along the chain. The hips' path is
/// scaled by the length of the legs.
/// Feet that stand still in the source are then held still by two-bone IK, with blended corrections
/// and hips lowered where a leg cannot reach. Palms that touch each other, trunk, head, thighs,
/// arms or the floor are put where they do so on the target, by two-bone IK of the arms. The clip
/// has rotations for the mapped joints and the hips' translation (and that of joints which do not
/// hang from the joint they follow). Expressions go over by their names (lmb_face_put), a VRM
/// animation's gaze onto the eyes. The clip is made for target->skeleton; add it to the character
/// to use it. Errors: INVALID when there is no such clip; UNSUPPORTED when one of the two has no
/// humanoid, named in `found`; MEMORY.
LMB_API lmb_result lmb_retarget(const lmb_character *target, const lmb_character *source,
                                uint32_t clip, const lmb_retarget_opts *opts,
                                const lmb_allocator *alloc, lmb_clip **out,
                                lmb_retarget_report *report, lmb_error *error);

// ----------------------------------------------------------------------------------------- limits

/// What the limits of a humanoid's joints are, from what the map says they are of a body:
/// lmb_human_limits for the slots, the spine and the neck, and the facing that the map tells.
/// limits[joint_count]. Errors: MEMORY.
LMB_API lmb_result lmb_joint_map_limits(const lmb_joint_map *map, const lmb_skeleton *skeleton,
                                        const lmb_allocator *alloc, lmb_joint_limit *limits,
                                        lmb_error *error);

// ------------------------------------------------------------------------------------------ faces

/// A pull on one morph target: of the instance on `joint`, as lmb_character_weights counts.
typedef struct lmb_expression_bind {
    uint32_t joint, target;
    float weight; ///< of the target when the expression is fully there
} lmb_expression_bind;

/// What an expression does to others while it is there.
typedef enum lmb_expression_override {
    LMB_OVERRIDE_NONE = 0,
    LMB_OVERRIDE_BLOCK, ///< they are not there at all
    LMB_OVERRIDE_BLEND, ///< they are there the less, the more it is
} lmb_expression_override;

typedef struct lmb_expression {
    const char *name; ///< VRM 1.0's of its presets ("happy", "blinkLeft"), else the file's
    bool is_preset;   ///< one of VRM 1.0's
    bool is_target;   ///< no expression of a VRM: all morph targets of that name
    bool is_binary;   ///< there or not, from one half on
    /// of the presets of speech, of the lids and of looking, but those of its own kind
    lmb_expression_override override_mouth, override_blink, override_look;
    uint32_t bind_count;
    lmb_expression_bind *binds;
} lmb_expression;

/// From the size of an angle to how far eyes turn (radians) or an expression is there.
typedef struct lmb_gaze_range {
    float input_max_rad, output;
} lmb_gaze_range;

/// What a character's face can do: the expressions of a VRM 0.x or 1.0 and, behind them, its morph
/// targets by name; how its eyes follow a gaze.
typedef struct lmb_face {
    uint32_t expression_count;
    lmb_expression *expressions;
    int32_t eyes[2]; ///< joints, left and right, or LMB_NONE
    float facing;    ///< +1: along +z; -1: along -z, as VRM 0.x has it
    bool gaze_by_expression;
    lmb_gaze_range gaze_in, gaze_out, gaze_down, gaze_up; ///< of an eye towards the nose, …
    lmb_allocator allocator;
} lmb_face;

/// Errors: MEMORY.
LMB_API lmb_result lmb_face_create(const lmb_character *character, const lmb_allocator *alloc,
                                   lmb_face **out, lmb_error *error);
LMB_API void lmb_face_destroy(lmb_face *face);
/// The expression of that name: case does not count, and VRM 0.x's names ("Joy", "Blink_L", "A")
/// mean VRM 1.0's. LMB_NONE for none.
LMB_API int32_t lmb_face_find(const lmb_face *face, const char *name);

/// Expressions over time, and a gaze.
typedef struct lmb_face_motion {
    uint32_t track_count, key_count;
    const char **names; ///< [track_count] of expressions
    float *times_s;     ///< [key_count] rising
    float *values;      ///< [key_count][track_count] 0 to 1
    bool is_step;       ///< values hold until the next key
    /// [key_count] radians since straight ahead: x to the body's left, y up; NULL: no gaze
    lmb_vec2 *gaze;
    lmb_allocator allocator;
} lmb_face_motion;

/// What a clip does with the face: the expressions and the gaze of a VRM animation; of others the
/// morph weights as expressions (least squares over those of a VRM, before these override each
/// other; what they do not explain, as targets by name). `out` gets NULL when it does nothing. Errors: MEMORY.
LMB_API lmb_result lmb_face_motion_of_clip(const lmb_character *character, uint32_t clip,
                                           const lmb_allocator *alloc, lmb_face_motion **out,
                                           lmb_error *error);
/// The blend shapes of a VMC recording; times as lmb_vmc_character has them. NULL when there are
/// none. Errors: MEMORY.
LMB_API lmb_result lmb_face_motion_of_vmc(const lmb_vmc_frame *frames, uint32_t count,
                                          const lmb_allocator *alloc, lmb_face_motion **out,
                                          lmb_error *error);
LMB_API void lmb_face_motion_destroy(lmb_face_motion *motion);
/// The tracks at a time: values[track_count]. Before the first key and after the last these hold.
LMB_API void lmb_face_motion_at(const lmb_face_motion *motion, double time_s, float *values);

typedef struct lmb_face_report {
    uint32_t matched;   ///< tracks that the face has an expression for
    uint32_t unmatched; ///< and those that it does not
    bool has_gaze;      ///< the eyes or the expressions of looking follow
} lmb_face_report;

/// A copy of a clip of the character, with its morph weights and eyes moved by the face motion,
/// whose time 0 is the clip's `shift_s`. Weights add up, each expression's value clamped to [0, 1]
/// and overridden by others (VRMC_vrm 1.0). Channels of the same weights and eyes give way. Errors: MEMORY.
LMB_API lmb_result lmb_face_put(const lmb_character *character, const lmb_face *face,
                                const lmb_face_motion *motion, double shift_s, const lmb_clip *clip,
                                const lmb_allocator *alloc, lmb_clip **out, lmb_face_report *report,
                                lmb_error *error);
/// The weights of one moment: values[track_count] of the tracks' names onto
/// weights[lmb_character_weights], which is left as it is where no track reaches.
LMB_API void lmb_face_weights(const lmb_face *face, const char *const *names, const float *values,
                              uint32_t track_count, const uint32_t *weight_first, float *weights);

#ifdef __cplusplus
}
#endif
#endif
