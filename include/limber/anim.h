/// Clips at a time: timers, sampling, and clips made from clips.
///
/// A frame is: a timer says when, `lmb_sample` writes the local pose, blending and solvers rewrite
/// it, `lmb_pose_to_model` takes it to model space. Nothing here allocates but the editing of
/// clips.
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
    LMB_PLAY_CLAMP = 0, ///< the ends hold
    LMB_PLAY_LOOP,      ///< begins again; time `duration` is time 0
    LMB_PLAY_PING_PONG, ///< turns round at each end
} lmb_play_mode;

/// Brings a time into [0, duration]; into [0, duration) for LMB_PLAY_LOOP. Any unit, any sign. A
/// duration of 0 gives 0.
LMB_API double lmb_time_in(double time, double duration, lmb_play_mode mode);

/// The tick of a clip at `time_s` of playing it: 100 ticks at 25 a second, looped, are at tick 32.5
/// after 5.3 s, and at 97.5 at -0.1 s.
LMB_API double lmb_clip_tick(const lmb_clip *clip, double time_s, lmb_play_mode mode);

/// A playback position that does not lose precision over hours: the time is folded at every step.
typedef struct lmb_timer {
    double time_s;     ///< in [0, duration_s]
    double duration_s; ///< of the clip, or 0: time runs on without end
    double speed;      ///< 0 counts as 1; negative plays backwards
    lmb_play_mode mode;
    bool backwards; ///< where a ping-pong is
} lmb_timer;

/// Goes on by dt_s seconds of the world. Returns how many ends were passed: a loop that wrapped
/// once gives 1, and a clamped timer that has arrived gives 1 in the step in which it arrives.
LMB_API uint32_t lmb_timer_step(lmb_timer *timer, double dt_s);

/// lmb_timer_step that also lists the events passed, in the order in which they were, each as often
/// as it was: going forward those in (before, after], backwards in [after, before), an end of the
/// clip being a place like any other. times_s[count] rise, in [0, duration_s]. With `first`, of a
/// motion that begins, an event at the very start counts. Returns how many were written to
/// events[capacity]; more than that in one step are left out.
LMB_API uint32_t lmb_timer_step_events(lmb_timer *timer, double dt_s, const double *times_s,
                                       uint32_t count, bool first, uint32_t *events,
                                       uint32_t capacity);

// --------------------------------------------------------------------------------------- sampling

/// One pose of one clip. Values between keys: linear, with slerp for rotations; step; or cubic
/// Hermite, rotations normalised (glTF 2.0, appendix C). Before its first key and after its last a
/// channel holds the end value. A key at the very time wins over the one before it, so two keys at
/// one time are a step. Rotations are as near to unit length as their keys are: files round them,
/// and viewers show them as they come.
typedef struct lmb_sample_job {
    const lmb_clip *clip;
    double time_s;
    lmb_play_mode mode;
    uint32_t joint_count;
    /// [joint_count] what joints without a channel get; NULL: they keep what `pose` holds.
    const lmb_transform *rest;
    lmb_transform *pose; ///< [joint_count] out: parent_from_joint
    /// Morph weights, laid out by lmb_character_weights: the weights of joint j are
    /// weights[weight_first[j]] to weights[weight_first[j + 1]]. All three may be NULL.
    const uint32_t *weight_first;
    const float *rest_weights; ///< like `rest`
    float *weights;            ///< out
    /// [channel_count] where each channel was last; zero at first. Makes playing on cheap and does
    /// not change the result. NULL: every key is searched for.
    uint32_t *cursors;
} lmb_sample_job;
/// Channels on joints that `pose` does not have are passed over.
LMB_API void lmb_sample(const lmb_sample_job *job);

/// One channel alone at a tick: channel->width floats. `cursor` may be NULL.
LMB_API void lmb_channel_at(const lmb_channel *channel, double tick, uint32_t *cursor, float *out);

// ------------------------------------------------------------------------------- compressed clips

/// A clip for playing: samples at a steady rate, still tracks left out, numbers as wide as an error
/// bound in model space wants.
/// What the bound says: every point within reach of a joint, moved by that joint, is nowhere and at
/// no time, at samples and between them, farther than error_m from where the clip that it was made
/// from puts it. A vertex that joints share is within the bound of its joints too, as its weights
/// sum to 1.
/// Every moment costs the same to reach, and forward, backward and random playing give the same
/// bits.
typedef struct lmb_packed_clip {
    const char *name;
    uint32_t joint_count;
    float duration_s;
    float rate_hz; ///< of the samples inside
    uint32_t sample_count;
    float precision_m; ///< the bound that was asked for
    float error_m;     ///< the largest error found, at every sample and halfway to the next
    /// Channels that samples cannot hold, kept as they are: steps. Or NULL.
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
    /// [joint_count] how far from each joint there is something to see (lmb_character_reach), or
    /// NULL: shell_m everywhere.
    const float *reach_m;
    float shell_m;  ///< 0 counts as 0.03
    float weight_m; ///< what a morph weight of 1 moves at most; 0 counts as 0.1
    /// of the samples; 0: the clip's own where its keys lie on one, else as fine as the bound wants
    float rate_hz;
    const lmb_jobs *jobs; ///< segments are compressed side by side; the bytes do not depend on it
    const lmb_progress *progress;
} lmb_pack_opts;

/// Compresses a clip of a character with this skeleton. `opts`, `alloc` and `error` may be NULL.
/// Errors: INVALID for a precision that no float holds there, or a clip that moves joints the
/// skeleton has not; UNSUPPORTED for over 65 534 joints; CANCELLED; MEMORY.
LMB_API lmb_result lmb_packed_clip_create(const lmb_skeleton *skeleton, const lmb_clip *clip,
                                          const lmb_pack_opts *opts, const lmb_allocator *alloc,
                                          lmb_packed_clip **out, lmb_error *error);
/// Takes words as a .limb holds them, checks everything that playing relies on, and copies them.
/// `exact` (or NULL) is copied too.
/// Errors: MALFORMED with the byte; MEMORY.
LMB_API lmb_result lmb_packed_clip_open(const lmb_skeleton *skeleton, const char *name,
                                        const uint32_t *words, size_t word_count,
                                        const lmb_clip *exact, const lmb_allocator *alloc,
                                        lmb_packed_clip **out, lmb_error *error);
LMB_API void lmb_packed_clip_destroy(lmb_packed_clip *clip);
/// Bytes that the motion takes: its words, and the keys of its exact channels as floats.
LMB_API uint64_t lmb_packed_clip_bytes(const lmb_packed_clip *clip);
/// The editing form again: linear keys at every sample, for what moves, and the exact channels.
LMB_API lmb_result lmb_packed_clip_unpack(const lmb_packed_clip *packed,
                                          const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                                          lmb_clip **out, lmb_error *error);

/// One pose of a compressed clip. No state, no allocation.
typedef struct lmb_packed_sample_job {
    const lmb_packed_clip *clip;
    double time_s;
    lmb_play_mode mode;
    lmb_transform *pose; ///< [clip->joint_count] out: parent_from_joint, every joint
    /// as in lmb_sample_job; weights of joints without a channel stay. Both may be NULL
    const uint32_t *weight_first;
    float *weights;
    lmb_simd simd;
} lmb_packed_sample_job;
LMB_API void lmb_packed_sample(const lmb_packed_sample_job *job);

/// How far each joint's skin reaches: the largest distance of a vertex that follows the joint from
/// the joint, at rest, [joint_count].
/// Joints without skin get 0: where they are does not matter but for their children. Morph targets
/// are counted in.
LMB_API void lmb_character_reach(const lmb_character *character, float *reach);

// ------------------------------------------------------------------------------------ .limb files

/// What a .limb file holds: a skeleton and its motions, ready to play.
typedef struct lmb_limb {
    lmb_skeleton *skeleton; ///< never NULL; `carried` texts are not kept
    uint32_t clip_count, packed_count;
    lmb_clip **clips;         ///< as keys, exactly
    lmb_packed_clip **packed; ///< compressed
    lmb_allocator allocator;
} lmb_limb;

/// Free the buffer with lmb_buffer_free. Errors: INVALID where a clip does not fit the skeleton;
/// MEMORY.
LMB_API lmb_result lmb_limb_write(const lmb_limb *limb, const lmb_allocator *alloc, lmb_buffer *out,
                                  lmb_error *error);
/// Checks everything, so that playing cannot fail. Sections that this version does not know are
/// passed over. Errors: MALFORMED with the byte, UNSUPPORTED for a file that only a later version
/// can read; MEMORY.
LMB_API lmb_result lmb_limb_read(const void *bytes, size_t size, const lmb_allocator *alloc,
                                 lmb_limb **out, lmb_error *error);
/// Destroys what it holds, too.
LMB_API void lmb_limb_destroy(lmb_limb *limb);

// ----------------------------------------------------------------------------------------- crowds

/// Some neighbours of a crowd as they are done.
typedef struct lmb_crowd_piece {
    uint32_t first, count; ///< characters
    /// [count][joint_count] of these alone; model_from_bind NULL without joint_from_bind
    const lmb_transform *local;
    const lmb_mat4 *model_from_joint, *model_from_bind;
} lmb_crowd_piece;
typedef void (*lmb_crowd_fn)(void *context, const lmb_crowd_piece *piece);

/// Many characters of one skeleton, each with as many clips blended: sampled, blended, taken to
/// model space. What nobody asks for (NULL) is not kept, which spares the way to memory and back;
/// skeletons of up to 2 048 joints, then. Takes 50 KiB of the stack of every thread that works on
/// it, 400 KiB where something is not kept. Same bits for any number of workers.
typedef struct lmb_crowd_job {
    const lmb_skeleton *skeleton;
    uint32_t count;                      ///< characters
    uint32_t layer_count;                ///< clips that each blends, at least 1
    const lmb_packed_clip *const *clips; ///< [count][layer_count], of this skeleton
    const double *times_s;               ///< [count][layer_count]
    lmb_play_mode mode;
    /// [count][layer_count], need not sum to 1; NULL: the first clip alone
    const float *weights;
    const lmb_mat4 *roots; ///< [count] world_from_model, or NULL
    /// [joint_count], affine: makes the palettes that skinning wants; or NULL
    const lmb_mat4 *joint_from_bind;
    lmb_transform *local;       ///< [count][joint_count] out, the blended local poses; or NULL
    lmb_mat4 *model_from_joint; ///< [count][joint_count] out, or NULL
    lmb_mat4 *model_from_bind;  ///< [count][joint_count] out with joint_from_bind, or NULL
    /// Called for every few characters while their poses are still in the nearest caches, by the
    /// thread that made them, in no order: to skin them, say. What is in the piece lives as long as
    /// the call. Or NULL.
    lmb_crowd_fn each;
    void *context;
    const lmb_jobs *jobs;
    lmb_simd simd;
} lmb_crowd_job;
LMB_API void lmb_crowd(const lmb_crowd_job *job);

// ----------------------------------------------------------------------------------------- curves

/// Cubic Hermite from v0 to v1 over `span` units of time, tangents a unit of time, at u in [0, 1].
LMB_API float lmb_curve_hermite(float v0, float out0, float v1, float in1, float span, float u);
/// A Bezier from (0, 0) to (1, 1) with handles, at the share u of the time: CSS's cubic-bezier. x1
/// and x2 are held to [0, 1], so that time only goes forward; y may leave it.
LMB_API float lmb_curve_bezier(float x1, float y1, float x2, float y2, float u);
/// Tangents of a key by tension, continuity and bias (Kochanek and Bartels 1984) from the slopes on
/// its sides, which may be of unequal length in time. All zero: Catmull and Rom's.
LMB_API void lmb_curve_tcb(float before, float after, float tension, float continuity, float bias,
                           float *in, float *out);
/// The tangent of a curve that does not overshoot its keys (Fritsch and Carlson 1980).
LMB_API float lmb_curve_monotone(float before, float after);
/// Spherical cubic interpolation: the control of a key from its neighbours, and the curve from q0
/// to q1.
LMB_API lmb_quat lmb_quat_squad_control(lmb_quat before, lmb_quat q, lmb_quat after);
LMB_API lmb_quat lmb_quat_squad(lmb_quat q0, lmb_quat s0, lmb_quat s1, lmb_quat q1, float u);

typedef enum lmb_tangents {
    LMB_TANGENTS_MONOTONE = 0, ///< no overshoot
    LMB_TANGENTS_TCB,
} lmb_tangents;

typedef struct lmb_smooth_opts {
    lmb_tangents kind;
    float tension, continuity, bias; ///< of LMB_TANGENTS_TCB
} lmb_smooth_opts;

/// The same keys with tangents: linear channels become cubic ones; others stay. `opts` may be NULL.
/// Errors: MEMORY.
LMB_API lmb_result lmb_clip_smooth(const lmb_clip *clip, const lmb_smooth_opts *opts,
                                   const lmb_allocator *alloc, lmb_clip **out, lmb_error *error);

/// Fewer linear keys: those are dropped that straight lines between the kept ones give back, so
/// that no point within `reach_m` of a joint (or 3 cm, NULL) is farther than precision_m from where
/// it was, at the keys of the busiest channel and halfway between. Steps and cubic keys stay.
/// Errors: MEMORY.
LMB_API lmb_result lmb_clip_reduce(const lmb_skeleton *skeleton, const lmb_clip *clip,
                                   float precision_m, const float *reach_m,
                                   const lmb_allocator *alloc, lmb_clip **out, lmb_error *error);

// ------------------------------------------------------------------------------- clips from clips

/// The same motion in linear keys at rate_hz, from 0 to the end, the last key at the end itself.
/// Ticks of the result are frames. Step channels stay steps: they keep their own keys. Errors:
/// INVALID for a rate that is not positive or makes over 10 million keys a channel; MEMORY.
LMB_API lmb_result lmb_clip_resample(const lmb_clip *clip, float rate_hz,
                                     const lmb_allocator *alloc, lmb_clip **out, lmb_error *error);

/// The part of a clip between two times, which becomes 0 to end_s - begin_s. Keys inside stay as
/// they are; keys are made at the cuts, so the motion inside is the same (cubic rotations: within
/// what normalising does). Errors: INVALID when the times do not rise; MEMORY.
LMB_API lmb_result lmb_clip_trim(const lmb_clip *clip, double begin_s, double end_s,
                                 const lmb_allocator *alloc, lmb_clip **out, lmb_error *error);

/// A clip of linear keys from poses[frame_count][joint_count], one tick a frame. What stays as it
/// is at rest has no channel, what stays as it is otherwise one key. Errors: INVALID for no frames,
/// more than 10 million, or a rate that is not positive; MEMORY.
LMB_API lmb_result lmb_clip_from_poses(const lmb_skeleton *skeleton, const lmb_transform *poses,
                                       uint32_t frame_count, float rate_hz, const char *name,
                                       const lmb_allocator *alloc, lmb_clip **out,
                                       lmb_error *error);

/// The clip played backwards: keys turned round, tangents of cubic ones too, and what steps holds
/// until the same moments.
/// Errors: MEMORY.
LMB_API lmb_result lmb_clip_reverse(const lmb_clip *clip, const lmb_allocator *alloc,
                                    lmb_clip **out, lmb_error *error);

/// Clips one after the other, in the first one's ticks. A channel that one of them lacks holds the
/// rest pose there (`skeleton`), a morph weight 0. Where interpolations differ, the channel becomes
/// linear, cubics sampled at 60 Hz. Errors: INVALID for no clips, a channel that does not fit the
/// skeleton, or widths that differ; MEMORY.
LMB_API lmb_result lmb_clip_join(const lmb_clip *const *clips, uint32_t count,
                                 const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                                 lmb_clip **out, lmb_error *error);

/// Which joint is which one's mirror image, by their names (left and right, L and R apart from
/// other letters, lThigh and rThigh); itself where there is none. pairs[joint_count]. A table of the names is on the heap meanwhile;
/// where it cannot be had, every name is looked for by itself.
LMB_API void lmb_mirror_pairs(const lmb_skeleton *skeleton, uint32_t *pairs);
/// Left for right across x = 0: what joint k does against its rest pose in model space, its pair
/// does mirrored. The rest pose should be symmetric. Linear keys at rate_hz (0: the clip's own
/// rate, or 60); morph weights go over as they are. Errors: INVALID for pairs that are not mutual
/// or a rate out of range; MEMORY.
LMB_API lmb_result lmb_clip_mirror(const lmb_clip *clip, const lmb_skeleton *skeleton,
                                   const uint32_t *pairs, float rate_hz, const lmb_allocator *alloc,
                                   lmb_clip **out, lmb_error *error);

/// How far the end of a clip is from its beginning, the way it has gone and turned taken out.
typedef struct lmb_seam {
    float place;    ///< root mean square over the joints, in model units
    float velocity; ///< the same a second
    float farthest; ///< of the joint that is off most
} lmb_seam;
/// `root` as in lmb_root_opts, or LMB_NONE. Errors: INVALID for a joint that is not there; MEMORY.
LMB_API lmb_result lmb_clip_seam(const lmb_clip *clip, const lmb_skeleton *skeleton, int32_t root,
                                 const lmb_allocator *alloc, lmb_seam *out, lmb_error *error);
/// The part that closes best: times between which at least `least_s` seconds lie and whose poses
/// and velocities are most alike (places + (0.1 s)^2 velocities, squared; Kovar 2002). Errors:
/// INVALID when the clip is shorter; MEMORY.
LMB_API lmb_result lmb_clip_find_loop(const lmb_clip *clip, const lmb_skeleton *skeleton,
                                      int32_t root, double least_s, const lmb_allocator *alloc,
                                      double *begin_s, double *end_s, lmb_error *error);
/// The clip closed: within `blend_s` of the seam each joint goes half the way to the other side, in
/// place and velocity.
/// The last pose is the first, but for the way of the root. Linear keys at rate_hz (0: as
/// lmb_clip_mirror). Errors: as there.
LMB_API lmb_result lmb_clip_close(const lmb_clip *clip, const lmb_skeleton *skeleton, int32_t root,
                                  double blend_s, float rate_hz, const lmb_allocator *alloc,
                                  lmb_clip **out, lmb_error *error);

// --------------------------------------------------------------------------------------- blending

/// One pose that takes part in a blend.
typedef struct lmb_blend_layer {
    /// [joint_count] parent_from_joint; of an additive layer the difference that
    /// lmb_pose_difference makes.
    const lmb_transform *pose;
    float weight;      ///< 0 or more; of an additive layer -1 to 1, below 0 it is taken away
    const float *mask; ///< [joint_count] factors of the weight, 0 to 1; NULL: 1 everywhere
} lmb_blend_layer;

#define LMB_BLEND_LAYERS 32 ///< most layers of one blend, and most additive ones

/// Mixes poses and puts additive ones on top. Weights are relative: they are divided by their sum,
/// joint by joint. Translations and scales are averaged; rotations too, each first brought to the
/// hemisphere of the first layer's, and made unit again (for two poses less than 90 degrees apart
/// within 0.92 degrees of slerp, equal at a half).
/// The order of layers makes no other difference. A blend of a pose with itself is that pose, to
/// the bit (a zero may lose its sign).
/// An additive layer goes on by q = q * slerp(1, d, weight), t = t + weight d, s = s * (1 + weight
/// (d - 1)), in order.
typedef struct lmb_blend_job {
    uint32_t joint_count;
    const lmb_blend_layer *layers;
    uint32_t layer_count; ///< 0: the rest pose is what additive layers go on
    const lmb_blend_layer *additives;
    uint32_t additive_count;
    /// [joint_count] what fills a joint whose weights sum to less than `threshold`. NULL: nothing
    /// does.
    const lmb_transform *rest;
    float threshold;    ///< 0 counts as 0.1
    lmb_transform *out; ///< [joint_count]; may be one of the layers' poses, or `rest`
    lmb_simd simd;      ///< leave at zero
} lmb_blend_job;
LMB_API void lmb_blend(const lmb_blend_job *job);

/// What takes `base` to `pose`, to be used in an additive layer: q = base^-1 * pose, t = pose -
/// base, s = pose / base.
/// `out` may be either. A base scale of 0 gives 1.
LMB_API void lmb_pose_difference(const lmb_transform *base, const lmb_transform *pose,
                                 uint32_t joint_count, lmb_transform *out);

/// One pose laid over another, on some of the joints.
typedef struct lmb_overlay_job {
    const lmb_skeleton *skeleton;
    const lmb_transform *over; ///< [joint_count] a pose, or a difference when `additive`
    float weight;              ///< 0 to 1
    const float *mask;         ///< [joint_count] factors of the weight; NULL: 1 everywhere
    bool additive;
    /// Rotations are mixed as they stand in model space, so that an aim keeps its direction
    /// whatever the joints below the mask do. An additive difference is then a rotation in model
    /// space: lmb_pose_difference_model makes it.
    bool model_space;
    lmb_quat *scratch;   ///< [3 * joint_count], for model_space only
    lmb_transform *pose; ///< [joint_count] in and out
} lmb_overlay_job;
LMB_API void lmb_overlay(const lmb_overlay_job *job);

/// The difference of two poses for lmb_overlay in model space: rotations d = M(pose) * M(base)^-1,
/// M being model_from_joint; translations and scales as lmb_pose_difference has them. `scratch` is
/// [2 * joint_count].
LMB_API void lmb_pose_difference_model(const lmb_skeleton *skeleton, const lmb_transform *base,
                                       const lmb_transform *pose, lmb_quat *scratch,
                                       lmb_transform *out);

/// Sets mask[j] of `joint` and all joints below it to `weight`. With `feather` n > 0 the weight
/// comes in over n joints:
/// weight / (n + 1) at `joint`, twice that below it, and so on. Other entries stay.
LMB_API void lmb_mask_branch(const lmb_skeleton *skeleton, uint32_t joint, float weight,
                             uint32_t feather, float *mask);

// ----------------------------------------------------------------------------------- blend spaces

/// Clips at places of a line (how fast) or a plane (which way): a parameter gives their weights.
/// Immutable, one block.
typedef struct lmb_blend_space {
    uint32_t point_count;
    bool is_line;     ///< all points lie on a line: `order` sorts them along it
    lmb_vec2 *points; ///< [point_count]; y is 0 for a space of one dimension
    /// [point_count] along the line; the triangulation's vertices otherwise unsorted
    uint32_t *order;
    uint32_t triangle_count;
    uint32_t (*triangles)[3]; ///< Delaunay, counter-clockwise
    uint32_t edge_count;
    uint32_t (*edges)[2]; ///< the convex hull, counter-clockwise, every point on it being a vertex
    lmb_allocator allocator;
} lmb_blend_space;

/// Errors: INVALID for no points, more than 256, points that coincide or are not finite; MEMORY.
LMB_API lmb_result lmb_blend_space_create(const lmb_vec2 *points, uint32_t count,
                                          const lmb_allocator *alloc, lmb_blend_space **out,
                                          lmb_error *error);
LMB_API void lmb_blend_space_destroy(lmb_blend_space *space);
/// The weights of the points at a parameter: at most two (line) or three (plane) are not 0, they
/// sum to 1 within rounding, and they change continuously. Outside the points the nearest place on
/// their hull counts.
LMB_API void lmb_blend_space_weights(const lmb_blend_space *space, lmb_vec2 at, float *weights);

// ------------------------------------------------------------------------------------ transitions

/// How one motion gives way to another without both being played.
typedef enum lmb_transition_kind {
    /// Inertialisation: the target plays at once, and what it is off by decays like a critically
    /// damped spring (Holden 2020). Position and velocity go on unbroken.
    LMB_TRANSITION_SPRING = 0,
    /// The same with a quintic that ends after `duration_s` (Bollo 2018, with the velocity across
    /// the offset kept).
    LMB_TRANSITION_QUINTIC,
    /// Dead blending: the source is carried on with a decaying velocity and crossfaded (Holden
    /// 2023). For poses far apart.
    LMB_TRANSITION_DEAD,
    /// The source's last pose stands still and is crossfaded.
    LMB_TRANSITION_FROZEN,
} lmb_transition_kind;

/// x(t) of one number that starts at x0 with velocity v0 and is at rest at 0 from `end_s` on (Bollo
/// 2018):
/// x = A t^5 + B t^4 + C t^3 + a0 t^2 / 2 + v0 t + x0. It does not overshoot.
typedef struct lmb_quintic {
    double a, b, c, a0, v0, x0;
    double end_s; ///< the time asked for, or earlier when v0 carries x past 0 before
} lmb_quintic;
/// A velocity that leads away from 0 counts as 0.
LMB_API lmb_quintic lmb_quintic_make(double x0, double v0, double end_s);
LMB_API double lmb_quintic_at(const lmb_quintic *quintic, double time_s);

/// Steps a critically damped spring towards 0 exactly: with y = 2 ln 2 / half_life and j = v + x y,
/// x = e^(-y dt) (x + j dt), v = e^(-y dt) (v - j y dt) (Holden 2020). After one half-life from
/// rest 0.5966 is left.
LMB_API void lmb_spring_decay(double *x, double *v, double half_life_s, double dt_s);

typedef struct lmb_transition lmb_transition;

typedef struct lmb_transition_start_job {
    lmb_transition_kind kind;
    float duration_s;  ///< of QUINTIC and of the crossfade of DEAD and FROZEN; 0 counts as 0.3
    float half_life_s; ///< of SPRING, and of the velocity of DEAD; 0 counts as 0.1
    /// The last two poses that were shown. from_before NULL: at rest.
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
/// Begins, also in the midst of another: `from` is what was shown.
LMB_API void lmb_transition_start(lmb_transition *transition, const lmb_transition_start_job *job);
/// Goes on by dt_s and rewrites `pose`, the target's, in place. Returns false once nothing is left
/// to do.
LMB_API bool lmb_transition_step(lmb_transition *transition, float dt_s, lmb_transform *pose);
/// Forgets what is under way.
LMB_API void lmb_transition_stop(lmb_transition *transition);

// ------------------------------------------------------------------------------------ root motion

/// A place on the ground and a heading: turn by yaw about +Y, then move.
typedef struct lmb_place {
    lmb_vec3 position;
    float yaw_rad; ///< counts on over full turns
} lmb_place;

/// b in the frame of a; what undoes a; the same as a transform.
LMB_API lmb_place lmb_place_mul(lmb_place a, lmb_place b);
LMB_API lmb_place lmb_place_inverse(lmb_place a);
LMB_API lmb_transform lmb_place_transform(lmb_place place);

typedef struct lmb_root_opts {
    uint32_t joint; ///< whose motion it is: the hips, or a root joint that carries it
    bool height;    ///< up and down is motion of the root too; else it stays in the pose
    bool no_yaw;    ///< turning stays in the pose
    /// the steady way from the first frame to the last, a straight line or an arc: sway stays in
    /// the pose
    bool even;
    float rate_hz; ///< places kept a second; 0: 60
} lmb_root_opts;

/// The way of a clip, model_from_root over time. Made once a clip.
typedef struct lmb_root_track {
    uint32_t joint;
    bool even;
    uint32_t frame_count; ///< from 0 to the end; the first and the last when `even`
    float duration_s;
    lmb_place *places;
    lmb_place cycle; ///< what one loop adds: the next loop's places are cycle * places
    lmb_allocator allocator;
} lmb_root_track;

/// Errors: INVALID for a joint that is not there; MEMORY.
LMB_API lmb_result lmb_root_track_create(const lmb_clip *clip, const lmb_skeleton *skeleton,
                                         const lmb_root_opts *opts, const lmb_allocator *alloc,
                                         lmb_root_track **out, lmb_error *error);
LMB_API void lmb_root_track_destroy(lmb_root_track *track);
LMB_API lmb_place lmb_root_track_at(const lmb_root_track *track, double time_s);
/// What is gone from one time to another, as seen from the first: place(from)^-1 * place(to). With
/// LMB_PLAY_LOOP times may lie in different loops, and every loop between counts.
LMB_API lmb_place lmb_root_track_between(const lmb_root_track *track, double from_s, double to_s,
                                         lmb_play_mode mode);
/// Takes the root's place out of a pose sampled there, so that the body stays above the origin;
/// puts it on, or another.
LMB_API void lmb_pose_take_root(const lmb_skeleton *skeleton, uint32_t joint, lmb_place root,
                                lmb_transform *pose);
LMB_API void lmb_pose_put_root(const lmb_skeleton *skeleton, uint32_t joint, lmb_place root,
                               lmb_transform *pose);

#define LMB_STRIDE_MARKS 64

/// When the feet of a cycle are farthest apart, left in front, right in front, and so on in turn:
/// about where they are set down (Zeni 2008). Clips whose marks are played together keep step.
typedef struct lmb_stride {
    uint32_t mark_count; ///< even; 0 when the feet do not stride
    double duration_s;
    /// from a left one on; those after the clip's end are at the beginning
    double marks_s[LMB_STRIDE_MARKS];
    lmb_allocator allocator;
} lmb_stride;

/// `track` gives the heading and may be NULL. Errors: INVALID for joints that are not there;
/// MEMORY.
LMB_API lmb_result lmb_stride_create(const lmb_clip *clip, const lmb_skeleton *skeleton,
                                     const lmb_root_track *track, uint32_t left_foot,
                                     uint32_t right_foot, const lmb_allocator *alloc,
                                     lmb_stride **out, lmb_error *error);
LMB_API void lmb_stride_destroy(lmb_stride *stride);
/// A phase counts marks: 0 at the first, 1 at the second, mark_count one loop later. Its time, not
/// folded into the loop;
/// the phase of a time, in [0, mark_count]; the seconds from the mark before a phase to the next.
LMB_API double lmb_stride_time(const lmb_stride *stride, double phase);
LMB_API double lmb_stride_phase(const lmb_stride *stride, double time_s);
LMB_API double lmb_stride_interval(const lmb_stride *stride, double phase);

/// When a foot of a clip stands, in frames of step_s.
typedef struct lmb_contacts {
    uint32_t frame_count; ///< from 0 to the end
    float step_s, duration_s;
    float floor;    ///< model height of the point where it is lowest
    float *planted; ///< [frame_count] 1 where it stands, else 0
    lmb_allocator allocator;
} lmb_contacts;

/// `point` of `joint`, in its frame, stands where it is slow and nearly as low as it ever comes in
/// the clip. With `loops`, what the end leaves goes on at the beginning. Errors: INVALID for a
/// joint that is not there; MEMORY.
LMB_API lmb_result lmb_contacts_create(const lmb_clip *clip, const lmb_skeleton *skeleton,
                                       uint32_t joint, lmb_vec3 point, bool loops,
                                       const lmb_allocator *alloc, lmb_contacts **out,
                                       lmb_error *error);
LMB_API void lmb_contacts_destroy(lmb_contacts *contacts);
/// 0 to 1 at a time of the clip, ends held.
LMB_API float lmb_contacts_at(const lmb_contacts *contacts, double time_s);

// --------------------------------------------------------------------------------- state machines

/// States, blend spaces, transitions and layers as JSON describes them (docs/blending.md). Shared
/// by any number of machines.
typedef struct lmb_graph lmb_graph;

/// Errors: MALFORMED with line and column; MEMORY.
LMB_API lmb_result lmb_graph_read(const void *bytes, size_t size, const lmb_allocator *alloc,
                                  lmb_graph **out, lmb_error *error);
LMB_API void lmb_graph_destroy(lmb_graph *graph);
LMB_API uint32_t lmb_graph_parameter_count(const lmb_graph *graph);
LMB_API const char *lmb_graph_parameter_name(const lmb_graph *graph, uint32_t index);
/// LMB_NONE when there is none of that name.
LMB_API int32_t lmb_graph_parameter_find(const lmb_graph *graph, const char *name);
/// The names of the clips that the graph plays, each once.
LMB_API uint32_t lmb_graph_clip_count(const lmb_graph *graph);
LMB_API const char *lmb_graph_clip_name(const lmb_graph *graph, uint32_t index);

typedef struct lmb_machine lmb_machine;

enum { LMB_MACHINE_FEET = 8 };

/// A foot that a machine watches, of any number of legs.
typedef struct lmb_machine_foot {
    uint32_t joint; ///< the ankle; hock or wrist of an animal
    lmb_vec3 ball;  ///< what stands while a heel comes up, in its frame; zero: the joint itself
    uint32_t toes; ///< the joint of the toes; 0: the foot is one piece, and the tip is in its frame
    lmb_vec3 tip;  ///< the end of the toes, in their frame
} lmb_machine_foot;

/// One character that plays a graph. What it points to must outlive the machine.
typedef struct lmb_machine_def {
    const lmb_graph *graph;
    const lmb_skeleton *skeleton;
    const lmb_clip *const *clips; ///< found by name
    uint32_t clip_count;
    /// the joint whose motion is the root's; LMB_NONE: poses as they are in the clips
    int32_t root;
    int32_t left_foot, right_foot; ///< for keeping step; LMB_NONE: clips keep step by their length
    uint32_t foot_count;           ///< up to LMB_MACHINE_FEET; 0: how they stand is not asked
    const lmb_machine_foot *feet;
    const lmb_packed_clip *const *packed; ///< looked for where `clips` has none of that name
    uint32_t packed_count;
    /// Morph weights and where they are at rest, as lmb_character_weights lays them out; NULL:
    /// joints alone are played
    const uint32_t *weight_first;
    const float *rest_weights;
} lmb_machine_def;

/// An event of a clip that was passed in the last step.
typedef struct lmb_machine_event {
    const char *name;
    const char *clip;
} lmb_machine_event;

/// Errors: INVALID for a clip or a joint of a mask that is not there, or a compressed clip of
/// another skeleton; MEMORY. All memory is allocated here.
LMB_API lmb_result lmb_machine_create(const lmb_machine_def *def, const lmb_allocator *alloc,
                                      lmb_machine **out, lmb_error *error);
LMB_API void lmb_machine_destroy(lmb_machine *machine);
/// Sets a parameter; a bool and a trigger to 0 or 1. A trigger falls back when a transition that
/// asks for it is taken.
LMB_API void lmb_machine_set(lmb_machine *machine, uint32_t parameter, float value);
LMB_API float lmb_machine_get(const lmb_machine *machine, uint32_t parameter);
/// Goes on by dt_s >= 0. Writes the pose, the root's motion taken out, and what the root has moved
/// in this step, as seen from where it was; `moved` may be NULL. The same steps give the same bits.
LMB_API void lmb_machine_step(lmb_machine *machine, double dt_s, lmb_transform *pose,
                              lmb_place *moved);
/// The morph weights of the last step, laid out by weight_first; NULL when there are none.
LMB_API const float *lmb_machine_weights(const lmb_machine *machine);
/// How much of what the base layer plays stands on each of its feet, 0 to 1, [foot_count]: for
/// lmb_ik_hold, that feet do not slide where motions change.
LMB_API void lmb_machine_planted(const lmb_machine *machine, float *planted);
/// The lowest that the ball and the tip of each foot ever are in what the base layer plays, mixed by
/// its weights, [foot_count][2], model space: for lmb_ik_hold, that no foot goes through the ground
/// where motions are mixed.
LMB_API void lmb_machine_floors(const lmb_machine *machine, float *floors);
/// The state of a layer (0 is the base) and, during a crossfade, the one it goes to; NULL
/// otherwise. A state in machines is named with them: "air/fall".
LMB_API const char *lmb_machine_state(const lmb_machine *machine, uint32_t layer);
LMB_API const char *lmb_machine_next_state(const lmb_machine *machine, uint32_t layer);
/// The events of the last step, in order.
LMB_API const lmb_machine_event *lmb_machine_events(const lmb_machine *machine, uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif
