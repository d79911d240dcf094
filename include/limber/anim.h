/// Animation: timers, sampling, blending, transitions, root motion, state machines, clip editing.
///
/// A frame: a timer gives the time, `lmb_sample` writes the local pose, blending and solvers modify
/// it, `lmb_pose_to_model` converts it to model space. Playback does not allocate.
#ifndef LIMBER_ANIM_H
#define LIMBER_ANIM_H

#include "limber/asset.h"
#include "limber/base.h"
#include "limber/jobs.h"
#include "limber/simd.h"

#ifdef __cplusplus
extern "C" {
#endif

// ----------------------------------------------------------------------------------------- timers

/// What happens when time leaves [0, duration].
typedef enum lmb_play_mode {
    LMB_PLAY_CLAMP = 0, ///< stays at the ends
    LMB_PLAY_LOOP,      ///< starts again; time `duration` is time 0
    LMB_PLAY_PING_PONG, ///< reverses at each end
} lmb_play_mode;

/// Maps a time to [0, duration]; to [0, duration) for LMB_PLAY_LOOP. Any unit, any sign. A duration
/// of 0 gives 0.
LMB_API double lmb_time_in(double time, double duration, lmb_play_mode mode);

/// A playback position. The time is wrapped at every step, so that precision lasts for hours.
typedef struct lmb_timer {
    double time_s;     ///< in [0, duration_s]
    double duration_s; ///< of the clip; 0: time is not wrapped
    double speed;      ///< 0 counts as 1; negative plays backwards
    lmb_play_mode mode;
    bool backwards; ///< direction of a ping-pong
} lmb_timer;

/// Advances by dt_s. Lists the events passed, in order, each as often as it was passed: forward
/// those in (before, after], backwards those in [after, before). Ends of the clip are not special.
/// times_s[count] are sorted, in [0, duration_s]. `first` includes an event at the start time, for
/// the first step of a motion. Returns how many were written to events[capacity]; further events of
/// the step are dropped.
LMB_API uint32_t lmb_timer_step_events(lmb_timer *timer, double dt_s, const double *times_s,
                                       uint32_t count, bool first, uint32_t *events,
                                       uint32_t capacity);

// --------------------------------------------------------------------------------------- sampling

/// Samples a pose of a clip. Interpolation: linear, with slerp for rotations; step; or cubic
/// Hermite, rotations normalised (glTF 2.0, appendix C). Before its first key and after its last a
/// channel has the end value. At a key's time that key counts, so two keys at one time are a step.
/// Linear and step rotations are not normalised: their length is that of the keys.
typedef struct lmb_sample_job {
    const lmb_clip *clip;
    double time_s;
    lmb_play_mode mode;
    uint32_t joint_count;
    /// [joint_count] values of joints without a channel; NULL: they keep those in `pose`.
    const lmb_transform *rest;
    lmb_transform *pose; ///< [joint_count] out: parent_from_joint
    /// Morph weights, laid out by lmb_character_weights: the weights of joint j are
    /// weights[weight_first[j]] to weights[weight_first[j + 1]]. All three may be NULL.
    const uint32_t *weight_first;
    const float *rest_weights; ///< like `rest`
    float *weights;            ///< out
    /// [channel_count] last key of each channel, initially zero: a cache for forward playback that
    /// does not change the result. NULL: searches every key.
    uint32_t *cursors;
} lmb_sample_job;
/// Ignores channels of joints that `pose` does not have.
LMB_API void lmb_sample(const lmb_sample_job *job);
/// The skeleton as the clip has it at `time_s`, joints without a channel at rest, as matrices of all
/// joints: model [joint_count] out. `pose` [joint_count] has them relative to their parents.
LMB_API void lmb_clip_to_model(const lmb_clip *clip, const lmb_skeleton *skeleton, double time_s,
                               lmb_transform *pose, lmb_mat4 *model);

// ------------------------------------------------------------------------------- compressed clips

/// A compressed clip for playing: samples at a uniform rate, no constant tracks, and bit widths
/// chosen from an error bound in model space.
/// The bound: a point within reach of a joint and moved by it is never, at samples or between them,
/// farther than error_m from its position in the source clip. A vertex skinned to several joints is
/// within the bound too, since its weights sum to 1.
/// Access to any time costs the same, and forward, backward and random playback give the same bits.
typedef struct lmb_packed_clip {
    const char *name;
    uint32_t joint_count;
    float duration_s;
    float rate_hz; ///< of the samples
    uint32_t sample_count;
    float precision_m; ///< the requested bound
    float error_m;     ///< largest measured error, at samples and midway between
    /// Channels that stay keyed, such as steps; or NULL.
    lmb_clip *exact;
    uint32_t weight_run_count; ///< morph weights: of `weight_joints`, `weight_widths` each
    const uint32_t *weight_joints, *weight_widths;
    const uint32_t *words; ///< the compressed form, as in a file
    uint32_t word_count;
    const struct lmb_packed_tables *tables;
    lmb_allocator allocator;
} lmb_packed_clip;

typedef struct lmb_pack_opts {
    float precision_m; ///< 0 counts as 0.0001, a tenth of a millimetre
    /// [joint_count] distance of each joint's farthest skin (lmb_character_reach); NULL: shell_m
    /// for every joint.
    const float *reach_m;
    float shell_m;  ///< 0 counts as 0.03
    float weight_m; ///< largest movement by a morph weight of 1; 0 counts as 0.1
    /// of the samples; 0: the clip's own if its keys lie on a grid, else as high as the bound needs
    float rate_hz;
    const lmb_jobs *jobs; ///< compresses segments in parallel; the bytes do not depend on it
    const lmb_progress *progress;
} lmb_pack_opts;

/// Compresses a clip of a character with this skeleton. `opts`, `alloc` and `error` may be NULL.
/// Errors: INVALID for a precision outside 1e-7 to 1 m, or a clip with joints that the skeleton
/// lacks; UNSUPPORTED for over 65 534 joints; CANCELLED; MEMORY.
LMB_API lmb_result lmb_packed_clip_create(const lmb_skeleton *skeleton, const lmb_clip *clip,
                                          const lmb_pack_opts *opts, const lmb_allocator *alloc,
                                          lmb_packed_clip **out, lmb_error *error);
LMB_API void lmb_packed_clip_destroy(lmb_packed_clip *clip);
/// Size of the motion in bytes: its words, and the keys of its exact channels as floats.
LMB_API uint64_t lmb_packed_clip_bytes(const lmb_packed_clip *clip);
/// Converts back to keys: linear keys at every sample for moving tracks, and the exact channels.
LMB_API lmb_result lmb_packed_clip_unpack(const lmb_packed_clip *packed,
                                          const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                                          lmb_clip **out, lmb_error *error);

/// Samples a pose of a compressed clip. No state, no allocation.
typedef struct lmb_packed_sample_job {
    const lmb_packed_clip *clip;
    double time_s;
    lmb_play_mode mode;
    lmb_transform *pose; ///< [clip->joint_count] out: parent_from_joint, every joint
    /// as in lmb_sample_job; weights of joints without a channel are kept. Both may be NULL
    const uint32_t *weight_first;
    float *weights;
    lmb_simd simd;
} lmb_packed_sample_job;
LMB_API void lmb_packed_sample(const lmb_packed_sample_job *job);

/// reach[joint_count]: largest distance at rest, in metres, from each joint to a vertex skinned to
/// it, morph targets included. 0 for joints without skin.
LMB_API void lmb_character_reach(const lmb_character *character, float *reach);

// ------------------------------------------------------------------------------------ .limb files

/// Contents of a .limb file: a skeleton and its clips, ready to play.
typedef struct lmb_limb_file {
    lmb_skeleton *skeleton; ///< never NULL; `carried` texts are not kept
    uint32_t clip_count, packed_count;
    lmb_clip **clips;         ///< as keys, exactly
    lmb_packed_clip **packed; ///< compressed
    lmb_allocator allocator;
} lmb_limb_file;

/// Free the buffer with lmb_buffer_free. Errors: INVALID where a clip does not fit the skeleton;
/// MEMORY.
LMB_API lmb_result lmb_limb_file_write(const lmb_limb_file *limb, const lmb_allocator *alloc,
                                       lmb_buffer *out, lmb_error *error);
/// Validates everything, so that playing cannot fail. Skips unknown sections. Errors: MALFORMED
/// with the byte, UNSUPPORTED for a file that needs a later version; MEMORY.
LMB_API lmb_result lmb_limb_file_read(const void *bytes, size_t size, const lmb_allocator *alloc,
                                      lmb_limb_file **out, lmb_error *error);
/// Also destroys the skeleton and the clips.
LMB_API void lmb_limb_file_destroy(lmb_limb_file *limb);

// ----------------------------------------------------------------------------------------- crowds

/// A finished range of a crowd's characters.
typedef struct lmb_crowd_piece {
    uint32_t first, count; ///< characters
    /// [count][joint_count]; model_from_bind is NULL without joint_from_bind
    const lmb_transform *local;
    const lmb_mat4 *model_from_joint, *model_from_bind;
} lmb_crowd_piece;
typedef void (*lmb_crowd_fn)(void *context, const lmb_crowd_piece *piece);

/// Samples, blends and converts to model space many characters of one skeleton, each with the same
/// number of clips. Outputs that are NULL are not stored, which saves memory bandwidth; the
/// skeleton then has at most 2 048 joints. Uses 50 KiB of every worker's stack, 400 KiB if an
/// output is NULL. Same bits for any number of workers.
typedef struct lmb_crowd_job {
    const lmb_skeleton *skeleton;
    uint32_t count;                      ///< characters
    uint32_t layer_count;                ///< clips per character, at least 1
    const lmb_packed_clip *const *clips; ///< [count][layer_count], of this skeleton
    const double *times_s;               ///< [count][layer_count]
    lmb_play_mode mode;
    /// [count][layer_count], need not sum to 1; NULL: only the first clip
    const float *weights;
    const lmb_mat4 *roots; ///< [count] world_from_model, or NULL
    /// [joint_count], affine, to compute skinning matrices; or NULL
    const lmb_mat4 *joint_from_bind;
    lmb_transform *local;       ///< [count][joint_count] out, the blended local poses; or NULL
    lmb_mat4 *model_from_joint; ///< [count][joint_count] out, or NULL
    lmb_mat4 *model_from_bind;  ///< [count][joint_count] out with joint_from_bind, or NULL
    /// Called for every few characters while their poses are in cache, for skinning say, by the
    /// thread that computed them, in no particular order. The piece is valid during the call. Or
    /// NULL.
    lmb_crowd_fn each;
    void *context;
    const lmb_jobs *jobs;
    lmb_simd simd;
} lmb_crowd_job;
LMB_API void lmb_crowd(const lmb_crowd_job *job);

// ----------------------------------------------------------------------------------------- curves

typedef enum lmb_tangents {
    LMB_TANGENTS_MONOTONE = 0, ///< no overshoot
    LMB_TANGENTS_TCB,
} lmb_tangents;

typedef struct lmb_smooth_opts {
    lmb_tangents kind;
    float tension, continuity, bias; ///< of LMB_TANGENTS_TCB
} lmb_smooth_opts;

// ------------------------------------------------------------------------------- clips from clips

/// What lmb_clip_apply makes of a clip.
typedef enum lmb_clip_op {
    /// Linear keys at rate_hz, the last at the end of the clip. Ticks of the result are frames. Step channels keep
    /// their keys. INVALID for a rate that is not positive or makes over 10 million keys a channel.
    LMB_CLIP_RESAMPLE = 0,
    /// The part from begin_s to end_s, which starts at 0 in the result. Keys inside stay, and keys are added at the
    /// cuts, so the motion is the same (cubic rotations: up to normalisation). INVALID when end_s <= begin_s.
    LMB_CLIP_TRIM,
    /// Keys, tangents of cubic channels and the intervals of step channels in reverse.
    LMB_CLIP_REVERSE,
    /// Mirrored at x = 0: the motion of joint k relative to its rest pose in model space goes to joint pairs[k]. The
    /// rest pose should be symmetric. Linear keys at rate_hz; morph weights are unchanged. INVALID for pairs that are
    /// not mutual or a rate out of range.
    LMB_CLIP_MIRROR,
    /// A closed loop: within blend_s of the seam each joint moves half the distance to the other side, in position
    /// and velocity, so that the last pose equals the first except for root motion. Linear keys at rate_hz. INVALID
    /// for a clip of less than 4 frames or a rate out of range.
    LMB_CLIP_CLOSE,
    /// Tangents: linear channels become cubic with the same keys; others stay.
    LMB_CLIP_SMOOTH,
    /// Without linear keys that interpolation between the others restores: no point within reach_m of a joint moves
    /// by more than precision_m, at the keys of the busiest channel and midway between. Step and cubic keys stay.
    LMB_CLIP_REDUCE,
} lmb_clip_op;

typedef struct lmb_clip_edit {
    lmb_clip_op op;
    const lmb_skeleton *skeleton; ///< MIRROR, CLOSE, REDUCE
    float rate_hz;                ///< RESAMPLE; MIRROR, CLOSE: 0 is the clip's own, or 60
    double begin_s, end_s;        ///< TRIM
    const uint32_t *pairs;        ///< MIRROR: [joint_count], of lmb_mirror_pairs
    int32_t root;                 ///< CLOSE: as in lmb_root_opts, or LMB_NONE
    double blend_s;               ///< CLOSE
    lmb_smooth_opts tangents;     ///< SMOOTH
    float precision_m;            ///< REDUCE
    const float *reach_m;         ///< REDUCE: [joint_count]; NULL: 3 cm
} lmb_clip_edit;

/// Makes a new clip of one. Errors: INVALID as said above; MEMORY. On failure `out` is untouched.
LMB_API lmb_result lmb_clip_apply(const lmb_clip *clip, const lmb_clip_edit *edit,
                                  const lmb_allocator *alloc, lmb_clip **out, lmb_error *error);

/// A clip of linear keys from poses[frame_count][joint_count], one tick per frame. A track that
/// stays at rest has no channel; any other constant track has one key. Errors: INVALID for no
/// frames, more than 10 million, or a rate that is not positive; MEMORY.
LMB_API lmb_result lmb_clip_from_poses(const lmb_skeleton *skeleton, const lmb_transform *poses,
                                       uint32_t frame_count, float rate_hz, const char *name,
                                       const lmb_allocator *alloc, lmb_clip **out,
                                       lmb_error *error);

/// Concatenates clips, in the ticks of the first. A channel missing in one of them is at rest there
/// (`skeleton`), a morph weight at 0. A channel whose interpolation differs between clips becomes
/// linear, with cubics sampled at 60 Hz. Errors: INVALID for no clips, a channel that does not fit
/// the skeleton, or widths that differ; MEMORY.
LMB_API lmb_result lmb_clip_join(const lmb_clip *const *clips, uint32_t count,
                                 const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                                 lmb_clip **out, lmb_error *error);

/// Finds the best loop: two times at least `least_s` apart with the most similar poses and
/// velocities (squared differences of positions + (0.1 s)^2 velocities; Kovar 2002). Errors:
/// INVALID when the clip is shorter; MEMORY.
LMB_API lmb_result lmb_clip_find_loop(const lmb_clip *clip, const lmb_skeleton *skeleton,
                                      int32_t root, double least_s, const lmb_allocator *alloc,
                                      double *begin_s, double *end_s, lmb_error *error);

// ------------------------------------------------------------------------------------------- keys

/// How a joint rotates through a smooth key: radians a second about its own axes.
typedef struct lmb_key_slope {
    uint32_t joint;
    float time_s;     ///< of a key
    bool automatic;   ///< as smoothing has it, whatever `from` has
    lmb_vec3 in, out; ///< towards the key and away from it
} lmb_key_slope;

/// Poses at times, and what is between them: a clip as a person sets it.
typedef struct lmb_keys {
    const char *name; ///< of the clip; NULL: that of `from`
    /// The clip that they come from, or NULL. Rotations pass through its keys as they do there, where
    /// that differs from what smoothing gives.
    const lmb_clip *from;
    bool replaces;                   ///< they take the place of `from`, a clip of the character
    lmb_interpolation interpolation; ///< LMB_CUBIC: as LMB_CLIP_SMOOTH has it
    uint32_t key_count;              ///< 0: times, poses and interpolation are those of `from`
    const float *times_s; ///< [key_count], rising by a tenth of a millisecond at least, from 0 on
    const lmb_transform *poses; ///< [key_count][joint_count] parent_from_joint
    uint32_t slope_count;
    const lmb_key_slope *slopes;
} lmb_keys;

/// Writes keys as the text that lmb_keys_apply reads: joints that are not at rest, a line each.
/// Slopes are rounded to a thousandth of a degree a second, or to five digits where that is more.
/// Free `out` with lmb_buffer_free. Errors: INVALID for times that do not rise or go beyond 100 000
/// s, more than 10 000 keys, rotations that are not unit, numbers beyond 1e9, slopes where there is
/// no smooth key, a clip to replace that is not the character's; MEMORY.
LMB_API lmb_result lmb_keys_write(const lmb_character *character, const lmb_keys *keys,
                                  const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error);

typedef struct lmb_keys_report {
    uint32_t key_count, joint_count, slope_count; ///< joints that have a line
    bool replaced;                                ///< another clip
} lmb_keys_report;

/// Makes a clip, the first of the character's, by a text of keys, which docs/clips.md describes, and
/// drops the one that the text says it replaces, all but its morph weights. Joints are named, or are
/// human bones of a humanoid. Tracks that do not change have one key, those at rest none; but for the
/// rotation of joint 0, which has all. `report` may be NULL; `character` is unchanged on failure.
/// Errors: MALFORMED with line and column, also for a joint or a clip that is not there; INVALID
/// without joints; MEMORY.
LMB_API lmb_result lmb_keys_apply(lmb_character **character, const void *text, size_t size,
                                  const lmb_allocator *alloc, lmb_keys_report *report,
                                  lmb_error *error);

// --------------------------------------------------------------------------------------- blending

/// A pose in a blend.
typedef struct lmb_blend_layer {
    /// [joint_count] parent_from_joint; of an additive layer the difference from
    /// lmb_pose_difference.
    const lmb_transform *pose;
    float weight;      ///< 0 or more; of an additive layer -1 to 1, where < 0 subtracts
    const float *mask; ///< [joint_count] factors of the weight, 0 to 1; NULL: 1 everywhere
} lmb_blend_layer;

#define LMB_BLEND_LAYERS 32 ///< at most, and as many additive ones

/// Blends poses, then adds the additive layers. Weights are divided by their sum, joint by joint.
/// Translations and scales are averaged. Rotations are averaged in the hemisphere of the first
/// layer's and normalised (within 0.92 degrees of slerp for two poses less than 90 degrees apart,
/// and equal at a half). The order of layers makes no other difference. A blend of a pose with
/// itself is that pose, to the bit (a zero may lose its sign).
/// Additive layers apply in order: q = q * slerp(1, d, weight), t = t + weight d,
/// s = s * (1 + weight (d - 1)).
typedef struct lmb_blend_job {
    uint32_t joint_count;
    const lmb_blend_layer *layers;
    uint32_t layer_count; ///< 0: additive layers apply to the rest pose
    const lmb_blend_layer *additives;
    uint32_t additive_count;
    /// [joint_count] added where a joint's weights sum to less than `threshold`; or NULL
    const lmb_transform *rest;
    float threshold;    ///< 0 counts as 0.1
    lmb_transform *out; ///< [joint_count]; may be one of the layers' poses, or `rest`
    lmb_simd simd;      ///< leave at zero
} lmb_blend_job;
LMB_API void lmb_blend(const lmb_blend_job *job);

/// The difference from `base` to `pose`, for an additive layer: q = base^-1 * pose, t = pose -
/// base, s = pose / base. A base scale of 0 gives 1.
typedef struct lmb_pose_difference_job {
    uint32_t joint_count;
    const lmb_transform *base, *pose; ///< [joint_count]
    lmb_transform *out;               ///< [joint_count]; may be either
    /// rotations in model space, as lmb_overlay takes them there: q = M(pose) * M(base)^-1, where M
    /// is model_from_joint; NULL: in the joints' own frames, as above
    const lmb_skeleton *skeleton;
    lmb_quat *scratch; ///< [2 * joint_count], with a skeleton only
} lmb_pose_difference_job;
LMB_API void lmb_pose_difference(const lmb_pose_difference_job *job);

/// Blends a pose over another, optionally on some joints only.
typedef struct lmb_overlay_job {
    const lmb_skeleton *skeleton;
    const lmb_transform *over; ///< [joint_count] a pose, or a difference when `additive`
    float weight;              ///< 0 to 1
    const float *mask;         ///< [joint_count] factors of the weight; NULL: 1 everywhere
    bool additive;
    /// Blends rotations in model space, so that an aim keeps its direction whatever its parents do.
    /// An additive difference is then one in model space (lmb_pose_difference_job.skeleton).
    bool model_space;
    lmb_quat *scratch;   ///< [3 * joint_count], for model_space only
    lmb_transform *pose; ///< [joint_count] in and out
} lmb_overlay_job;
LMB_API void lmb_overlay(const lmb_overlay_job *job);

/// Sets mask[j] of `joint` and all joints below it to `weight`. With `feather` n > 0 the weight
/// rises over n joints: weight / (n + 1) at `joint`, twice that below it, and so on. Other entries
/// stay.
LMB_API void lmb_mask_branch(const lmb_skeleton *skeleton, uint32_t joint, float weight,
                             uint32_t feather, float *mask);

// ------------------------------------------------------------------------------------ transitions

/// Transitions between motions that play only one of them at a time.
typedef enum lmb_transition_kind {
    /// Inertialisation: the target plays at once, and the offset decays as a critically damped
    /// spring (Holden 2020). Position and velocity are continuous.
    LMB_TRANSITION_SPRING = 0,
    /// The same with a quintic that ends after `duration_s` (Bollo 2018, but keeping the velocity
    /// perpendicular to the offset).
    LMB_TRANSITION_QUINTIC,
    /// Dead blending: the source is extrapolated with a decaying velocity and crossfaded (Holden
    /// 2023). For very different poses.
    LMB_TRANSITION_DEAD,
    /// The source's last pose is frozen and crossfaded.
    LMB_TRANSITION_FROZEN,
} lmb_transition_kind;

typedef struct lmb_transition lmb_transition;

typedef struct lmb_transition_start_job {
    lmb_transition_kind kind;
    float duration_s;  ///< of QUINTIC and of the crossfade of DEAD and FROZEN; 0 counts as 0.3
    float half_life_s; ///< of SPRING, and of the velocity of DEAD; 0 counts as 0.1
    /// The last two poses that were output. from_before NULL: at rest.
    const lmb_transform *from, *from_before;
    float from_dt_s; ///< between those two; 0: dt_s
    /// The target now, and dt_s ago. to_before NULL: at rest. Both are needed by SPRING and
    /// QUINTIC.
    const lmb_transform *to, *to_before;
    float dt_s;
} lmb_transition_start_job;

LMB_API lmb_result lmb_transition_create(uint32_t joint_count, const lmb_allocator *alloc,
                                         lmb_transition **out, lmb_error *error);
LMB_API void lmb_transition_destroy(lmb_transition *transition);
/// Starts a transition, also during another: `from` is the last output.
LMB_API void lmb_transition_start(lmb_transition *transition, const lmb_transition_start_job *job);
/// Advances by dt_s and modifies `pose`, the target's, in place. Returns false once finished.
LMB_API bool lmb_transition_step(lmb_transition *transition, float dt_s, lmb_transform *pose);

// ------------------------------------------------------------------------------------ root motion

/// A position and a heading: rotate by yaw about +Y, then translate.
typedef struct lmb_root_placement {
    lmb_vec3 position;
    float yaw_rad; ///< not wrapped
} lmb_root_placement;

/// a * b, and a placement as a transform.
LMB_API lmb_root_placement lmb_root_placement_mul(lmb_root_placement a, lmb_root_placement b);
LMB_API lmb_transform lmb_root_placement_transform(lmb_root_placement placement);

typedef struct lmb_root_opts {
    uint32_t joint; ///< the joint with the root motion: the hips, or a root joint
    bool height;    ///< vertical motion is root motion too; else it stays in the pose
    bool no_yaw;    ///< yaw stays in the pose
    /// the mean motion from the first frame to the last, a straight line or an arc; sway stays in
    /// the pose
    bool even;
    float rate_hz; ///< sample rate; 0: 60
} lmb_root_opts;

/// The root motion of a clip, model_from_root over time. Computed once per clip.
typedef struct lmb_root_track {
    uint32_t joint;
    bool even;
    uint32_t frame_count; ///< from 0 to the end; the first and the last when `even`
    float duration_s;
    lmb_root_placement *placements;
    lmb_root_placement
        cycle; ///< motion of one loop: the next loop's placements are cycle * placements
    lmb_allocator allocator;
} lmb_root_track;

/// Errors: INVALID for a joint that is not there; MEMORY.
LMB_API lmb_result lmb_root_track_create(const lmb_clip *clip, const lmb_skeleton *skeleton,
                                         const lmb_root_opts *opts, const lmb_allocator *alloc,
                                         lmb_root_track **out, lmb_error *error);
LMB_API void lmb_root_track_destroy(lmb_root_track *track);
/// Motion between two times, in the frame of the first: at(from)^-1 * at(to). With
/// LMB_PLAY_LOOP times may lie in different loops; loops between count.
LMB_API lmb_root_placement lmb_root_track_between(const lmb_root_track *track, double from_s,
                                                  double to_s, lmb_play_mode mode);
/// Applies a root motion to a pose.
LMB_API void lmb_pose_apply_root(const lmb_skeleton *skeleton, uint32_t joint,
                                 lmb_root_placement root, lmb_transform *pose);

// --------------------------------------------------------------------------------- state machines

/// States, blend spaces, transitions and layers as JSON describes them (docs/blending.md). Shared
/// by any number of machines.
typedef struct lmb_graph lmb_graph;

/// Errors: MALFORMED with line and column; MEMORY.
LMB_API lmb_result lmb_graph_read(const void *bytes, size_t size, const lmb_allocator *alloc,
                                  lmb_graph **out, lmb_error *error);
LMB_API void lmb_graph_destroy(lmb_graph *graph);
/// LMB_NONE when there is none of that name.
LMB_API int32_t lmb_graph_parameter_find(const lmb_graph *graph, const char *name);
/// The name of a clip that the graph plays, each once; NULL from their number on.
LMB_API const char *lmb_graph_clip(const lmb_graph *graph, uint32_t index);

typedef struct lmb_machine lmb_machine;

enum { LMB_MACHINE_FEET = 8 };

/// A foot whose ground contact a machine reports, of any number of legs.
typedef struct lmb_machine_foot {
    uint32_t joint; ///< the ankle; hock or wrist of an animal
    lmb_vec3 ball;  ///< ball in the joint's frame, down while the heel rises; zero: the joint
    uint32_t toes;  ///< the toe joint; 0: none, and the tip is in the foot's frame
    lmb_vec3 tip;   ///< the end of the toes, in their frame
} lmb_machine_foot;

/// One character that plays a graph. All pointers must outlive the machine.
typedef struct lmb_machine_def {
    const lmb_graph *graph;
    const lmb_skeleton *skeleton;
    const lmb_clip *const *clips; ///< found by name
    uint32_t clip_count;
    /// the joint with the root motion; LMB_NONE: poses as in the clips
    int32_t root;
    int32_t left_foot, right_foot; ///< to synchronise clips; LMB_NONE: by length
    uint32_t foot_count;           ///< up to LMB_MACHINE_FEET; 0: contacts are not computed
    const lmb_machine_foot *feet;
    const lmb_packed_clip *const *packed; ///< searched where `clips` has no clip of that name
    uint32_t packed_count;
    /// Layout and rest values of the morph weights (lmb_character_weights); NULL: only joints are
    /// played
    const uint32_t *weight_first;
    const float *rest_weights;
} lmb_machine_def;

/// An event passed in the last step.
typedef struct lmb_machine_event {
    const char *name;
    const char *clip;
} lmb_machine_event;

/// Errors: INVALID for a clip or a joint of a mask that is not there, or a compressed clip of
/// another skeleton; MEMORY. All memory is allocated here.
LMB_API lmb_result lmb_machine_create(const lmb_machine_def *def, const lmb_allocator *alloc,
                                      lmb_machine **out, lmb_error *error);
LMB_API void lmb_machine_destroy(lmb_machine *machine);
/// Sets a parameter; a bool and a trigger to 0 or 1. A trigger is reset when a transition that
/// tests it is taken.
LMB_API void lmb_machine_set(lmb_machine *machine, uint32_t parameter, float value);
/// Advances by dt_s >= 0. Writes the pose without root motion, and the root motion of this step in
/// the frame of its start; `moved` may be NULL. The same steps give the same bits.
LMB_API void lmb_machine_step(lmb_machine *machine, double dt_s, lmb_transform *pose,
                              lmb_root_placement *moved);
enum { LMB_MACHINE_LAYERS = 8 };

/// What a machine played in its last step. Pointers are valid until the next step.
typedef struct lmb_machine_info {
    /// the root's position and heading in the clips of the base layer, in model space: the weighted
    /// mean, with headings unwrapped to the heaviest clip's. Used after a first step of 0 s to start
    /// where the clips do. All 0 without a root or in an empty state
    lmb_root_placement root;
    const float *
        parameters; ///< [parameters of the graph] their values; smoothed ones may not have reached theirs
    const float *weights; ///< morph weights, laid out by weight_first; NULL when there are none
    uint32_t foot_count, layer_count, event_count;
    /// [foot_count] weight, 0 to 1, of the base layer's motion that has each foot planted; for
    /// lmb_ik_foot_lock, so that feet neither slide in transitions nor dip into the ground in blends
    const float *planted;
    /// [foot_count][2] lowest model-space heights of each foot's ball and tip in the clips of the base
    /// layer, averaged by weight
    const float *floors;
    /// [layer_count] the state of a layer (0 is the base) and, during a crossfade, the next one,
    /// otherwise NULL. A state in sub-machines is named by its path: "air/fall"
    const char *states[LMB_MACHINE_LAYERS], *next_states[LMB_MACHINE_LAYERS];
    /// [event_count] of the last step, in order: the first 32; a step that passes more drops the rest
    const lmb_machine_event *events;
} lmb_machine_info;
LMB_API lmb_machine_info lmb_machine_describe(const lmb_machine *machine);

#ifdef __cplusplus
}
#endif
#endif
