/// Clips at a time: timers, sampling, and clips made from clips.
///
/// A frame is: a timer says when, `lmb_sample` writes the local pose, blending and solvers rewrite it,
/// `lmb_pose_to_model` takes it to model space. Nothing here allocates but the editing of clips.
#ifndef LIMBER_ANIM_H
#define LIMBER_ANIM_H

#include "limber/asset.h"
#include "limber/base.h"
#include "limber/jobs.h"
#include "limber/simd.h"

#ifdef __cplusplus
extern "C" {
#endif

// --------------------------------------------------------------------------------------------------- timers

/// What happens when time leaves [0, duration].
typedef enum lmb_play_mode {
    LMB_PLAY_CLAMP = 0, ///< the ends hold
    LMB_PLAY_LOOP,      ///< begins again; time `duration` is time 0
    LMB_PLAY_PING_PONG, ///< turns round at each end
} lmb_play_mode;

/// Brings a time into [0, duration]; into [0, duration) for LMB_PLAY_LOOP. Any unit, any sign. A duration of 0 gives 0.
LMB_API double lmb_time_in(double time, double duration, lmb_play_mode mode);

/// The tick of a clip at `time_s` of playing it: 100 ticks at 25 a second, looped, are at tick 32.5 after 5.3 s, and at
/// 97.5 at -0.1 s.
LMB_API double lmb_clip_tick(const lmb_clip *clip, double time_s, lmb_play_mode mode);

/// A playback position that does not lose precision over hours: the time is folded at every step.
typedef struct lmb_timer {
    double time_s;     ///< in [0, duration_s]
    double duration_s; ///< of the clip, or 0: time runs on without end
    double speed;      ///< 0 counts as 1; negative plays backwards
    lmb_play_mode mode;
    bool backwards; ///< where a ping-pong is
} lmb_timer;

/// Goes on by dt_s seconds of the world. Returns how many ends were passed: a loop that wrapped once gives 1, and
/// a clamped timer that has arrived gives 1 in the step in which it arrives.
LMB_API uint32_t lmb_timer_step(lmb_timer *timer, double dt_s);

// ------------------------------------------------------------------------------------------------- sampling

/// One pose of one clip. Values between keys: linear, with slerp for rotations; step; or cubic Hermite, rotations
/// normalised (glTF 2.0, appendix C). Before its first key and after its last a channel holds the end value. A key at
/// the very time wins over the one before it, so two keys at one time are a step. Rotations are as near to unit length as
/// their keys are: files round them, and viewers show them as they come.
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
    /// [channel_count] where each channel was last; zero at first. Makes playing on cheap and does not change the
    /// result. NULL: every key is searched for.
    uint32_t *cursors;
} lmb_sample_job;
/// Channels on joints that `pose` does not have are passed over.
LMB_API void lmb_sample(const lmb_sample_job *job);

/// One channel alone at a tick: channel->width floats. `cursor` may be NULL.
LMB_API void lmb_channel_at(const lmb_channel *channel, double tick, uint32_t *cursor, float *out);

// ------------------------------------------------------------------------------------------ compressed clips

/// A clip for playing: samples at a steady rate, still tracks left out, numbers as wide as an error bound in model space wants.
/// What the bound says: every point within reach of a joint, moved by that joint, is nowhere and at no time, at samples and
/// between them, farther than error_m from where the clip that it was made from puts it. A vertex that joints share is
/// within the bound of its joints too, as its weights sum to 1.
/// Every moment costs the same to reach, and forward, backward and random playing give the same bits.
typedef struct lmb_packed_clip {
    const char *name;
    uint32_t joint_count;
    float duration_s;
    float rate_hz;         ///< of the samples inside
    uint32_t sample_count;
    float precision_m;     ///< the bound that was asked for
    float error_m;         ///< the largest error found, at every sample and halfway to the next
    /// Channels that samples cannot hold, kept as they are: steps. Or NULL.
    lmb_clip *exact;
    uint32_t weight_run_count;      ///< morph weights: of `weight_joints`, `weight_widths` each
    const uint32_t *weight_joints, *weight_widths;
    const uint32_t *words;          ///< the compressed form, as in a file
    uint32_t word_count;
    const struct lmb_packed_tables *tables;
    lmb_allocator allocator;
} lmb_packed_clip;

typedef struct lmb_pack_opts {
    float precision_m;    ///< 0 counts as 0.0001, a tenth of a millimetre
    /// [joint_count] how far from each joint there is something to see (lmb_character_reach), or NULL: shell_m everywhere.
    const float *reach_m;
    float shell_m;        ///< 0 counts as 0.03
    float weight_m;       ///< what a morph weight of 1 moves at most; 0 counts as 0.1
    float rate_hz;        ///< of the samples; 0: the clip's own where its keys lie on one, else as fine as the bound wants
    const lmb_jobs *jobs; ///< segments are compressed side by side; the bytes do not depend on it
    const lmb_progress *progress;
} lmb_pack_opts;

/// Compresses a clip of a character with this skeleton. `opts`, `alloc` and `error` may be NULL. Errors: INVALID for a precision
/// that no float holds there, or a clip that moves joints the skeleton has not; UNSUPPORTED for over 65 534 joints; CANCELLED; MEMORY.
LMB_API lmb_result lmb_packed_clip_create(const lmb_skeleton *skeleton, const lmb_clip *clip, const lmb_pack_opts *opts,
                                          const lmb_allocator *alloc, lmb_packed_clip **out, lmb_error *error);
/// Takes words as a .limb holds them, checks everything that playing relies on, and copies them. `exact` (or NULL) is copied too.
/// Errors: MALFORMED with the byte; MEMORY.
LMB_API lmb_result lmb_packed_clip_open(const lmb_skeleton *skeleton, const char *name, const uint32_t *words, size_t word_count,
                                        const lmb_clip *exact, const lmb_allocator *alloc, lmb_packed_clip **out, lmb_error *error);
LMB_API void lmb_packed_clip_destroy(lmb_packed_clip *clip);
/// The editing form again: linear keys at every sample, for what moves, and the exact channels.
LMB_API lmb_result lmb_packed_clip_unpack(const lmb_packed_clip *packed, const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                                          lmb_clip **out, lmb_error *error);

/// One pose of a compressed clip. No state, no allocation.
typedef struct lmb_packed_sample_job {
    const lmb_packed_clip *clip;
    double time_s;
    lmb_play_mode mode;
    lmb_transform *pose;          ///< [clip->joint_count] out: parent_from_joint, every joint
    const uint32_t *weight_first; ///< as in lmb_sample_job; weights of joints without a channel stay. Both may be NULL
    float *weights;
    lmb_simd simd;
} lmb_packed_sample_job;
LMB_API void lmb_packed_sample(const lmb_packed_sample_job *job);

/// How far each joint's skin reaches: the largest distance of a vertex that follows the joint from the joint, at rest, [joint_count].
/// Joints without skin get 0: where they are does not matter but for their children. Morph targets are counted in.
LMB_API void lmb_character_reach(const lmb_character *character, float *reach);

// ------------------------------------------------------------------------------------------- clips from clips

/// The same motion in linear keys at rate_hz, from 0 to the end, the last key at the end itself. Ticks of the result are
/// frames. Step channels stay steps: they keep their own keys. Errors: INVALID for a rate that is not positive or makes
/// over 10 million keys a channel; MEMORY.
LMB_API lmb_result lmb_clip_resample(const lmb_clip *clip, float rate_hz,
                                     const lmb_allocator *alloc, lmb_clip **out, lmb_error *error);

/// The part of a clip between two times, which becomes 0 to end_s - begin_s. Keys inside stay as they are; keys are made at
/// the cuts, so the motion inside is the same (cubic rotations: within what normalising does). Errors: INVALID when the
/// times do not rise; MEMORY.
LMB_API lmb_result lmb_clip_trim(const lmb_clip *clip, double begin_s, double end_s,
                                 const lmb_allocator *alloc, lmb_clip **out, lmb_error *error);

// ------------------------------------------------------------------------------------------------- blending

/// One pose that takes part in a blend.
typedef struct lmb_blend_layer {
    /// [joint_count] parent_from_joint; of an additive layer the difference that lmb_pose_difference makes.
    const lmb_transform *pose;
    float weight;      ///< 0 or more; of an additive layer -1 to 1, below 0 it is taken away
    const float *mask; ///< [joint_count] factors of the weight, 0 to 1; NULL: 1 everywhere
} lmb_blend_layer;

/// Mixes any number of poses and puts additive ones on top. Weights are relative: they are divided by their sum, joint by
/// joint. Translations and scales are averaged; rotations too, each first brought to the hemisphere of the first layer's,
/// and made unit again (for two poses less than 90 degrees apart within 0.92 degrees of slerp, equal at a half).
/// The order of layers makes no other difference. A blend of a pose with itself is that pose, to the bit.
/// An additive layer goes on by q = q * slerp(1, d, weight), t = t + weight d, s = s * (1 + weight (d - 1)), in order.
typedef struct lmb_blend_job {
    uint32_t joint_count;
    const lmb_blend_layer *layers;
    uint32_t layer_count; ///< 0: the rest pose is what additive layers go on
    const lmb_blend_layer *additives;
    uint32_t additive_count;
    /// [joint_count] what fills a joint whose weights sum to less than `threshold`. NULL: nothing does.
    const lmb_transform *rest;
    float threshold;    ///< 0 counts as 0.1
    lmb_transform *out; ///< [joint_count]; may be one of the layers' poses, or `rest`
} lmb_blend_job;
LMB_API void lmb_blend(const lmb_blend_job *job);

/// What takes `base` to `pose`, to be used in an additive layer: q = base^-1 * pose, t = pose - base, s = pose / base.
/// `out` may be either. A base scale of 0 gives 1.
LMB_API void lmb_pose_difference(const lmb_transform *base, const lmb_transform *pose, uint32_t joint_count,
                                 lmb_transform *out);

/// One pose laid over another, on some of the joints.
typedef struct lmb_overlay_job {
    const lmb_skeleton *skeleton;
    const lmb_transform *over; ///< [joint_count] a pose, or a difference when `additive`
    float weight;              ///< 0 to 1
    const float *mask;         ///< [joint_count] factors of the weight; NULL: 1 everywhere
    bool additive;
    /// Rotations are mixed as they stand in model space, so that an aim keeps its direction whatever the joints below the
    /// mask do. An additive difference is then a rotation in model space: lmb_pose_difference_model makes it.
    bool model_space;
    lmb_quat *scratch;   ///< [3 * joint_count], for model_space only
    lmb_transform *pose; ///< [joint_count] in and out
} lmb_overlay_job;
LMB_API void lmb_overlay(const lmb_overlay_job *job);

/// The difference of two poses for lmb_overlay in model space: rotations d = M(pose) * M(base)^-1, M being
/// model_from_joint; translations and scales as lmb_pose_difference has them. `scratch` is [2 * joint_count].
LMB_API void lmb_pose_difference_model(const lmb_skeleton *skeleton, const lmb_transform *base, const lmb_transform *pose,
                                       lmb_quat *scratch, lmb_transform *out);

/// Sets mask[j] of `joint` and all joints below it to `weight`. With `feather` n > 0 the weight comes in over n joints:
/// weight / (n + 1) at `joint`, twice that below it, and so on. Other entries stay.
LMB_API void lmb_mask_branch(const lmb_skeleton *skeleton, uint32_t joint, float weight, uint32_t feather, float *mask);

// --------------------------------------------------------------------------------------------- blend spaces

/// Clips at places of a line (how fast) or a plane (which way): a parameter gives their weights. Immutable, one block.
typedef struct lmb_blend_space {
    uint32_t point_count;
    bool is_line;         ///< all points lie on a line: `order` sorts them along it
    lmb_vec2 *points;     ///< [point_count]; y is 0 for a space of one dimension
    uint32_t *order;      ///< [point_count] along the line; the triangulation's vertices otherwise unsorted
    uint32_t triangle_count;
    uint32_t (*triangles)[3]; ///< Delaunay, counter-clockwise
    uint32_t edge_count;
    uint32_t (*edges)[2]; ///< the convex hull, counter-clockwise, every point on it being a vertex
    lmb_allocator allocator;
} lmb_blend_space;

/// Errors: INVALID for no points, more than 256, points that coincide or are not finite; MEMORY.
LMB_API lmb_result lmb_blend_space_create(const lmb_vec2 *points, uint32_t count, const lmb_allocator *alloc,
                                          lmb_blend_space **out, lmb_error *error);
LMB_API void lmb_blend_space_destroy(lmb_blend_space *space);
/// The weights of the points at a parameter: at most two (line) or three (plane) are not 0, they sum to 1 within
/// rounding, and they change continuously. Outside the points the nearest place on their hull counts.
LMB_API void lmb_blend_space_weights(const lmb_blend_space *space, lmb_vec2 at, float *weights);

// ----------------------------------------------------------------------------------------------- transitions

/// How one motion gives way to another without both being played.
typedef enum lmb_transition_kind {
    /// Inertialisation: the target plays at once, and what it is off by decays like a critically damped spring
    /// (Holden 2020). Position and velocity go on unbroken.
    LMB_TRANSITION_SPRING = 0,
    /// The same with a quintic that ends after `duration_s` (Bollo 2018, with the velocity across the offset kept).
    LMB_TRANSITION_QUINTIC,
    /// Dead blending: the source is carried on with a decaying velocity and crossfaded (Holden 2023). For poses far apart.
    LMB_TRANSITION_DEAD,
    /// The source's last pose stands still and is crossfaded.
    LMB_TRANSITION_FROZEN,
} lmb_transition_kind;

/// x(t) of one number that starts at x0 with velocity v0 and is at rest at 0 from `end_s` on (Bollo 2018):
/// x = A t^5 + B t^4 + C t^3 + a0 t^2 / 2 + v0 t + x0. It does not overshoot.
typedef struct lmb_quintic {
    double a, b, c, a0, v0, x0;
    double end_s; ///< the time asked for, or earlier when v0 carries x past 0 before
} lmb_quintic;
/// A velocity that leads away from 0 counts as 0.
LMB_API lmb_quintic lmb_quintic_make(double x0, double v0, double end_s);
LMB_API double lmb_quintic_at(const lmb_quintic *quintic, double time_s);

/// Steps a critically damped spring towards 0 exactly: with y = 2 ln 2 / half_life and j = v + x y,
/// x = e^(-y dt) (x + j dt), v = e^(-y dt) (v - j y dt) (Holden 2020). After one half-life from rest 0.5966 is left.
LMB_API void lmb_spring_decay(double *x, double *v, double half_life_s, double dt_s);

typedef struct lmb_transition lmb_transition;

typedef struct lmb_transition_start_job {
    lmb_transition_kind kind;
    float duration_s; ///< of QUINTIC and of the crossfade of DEAD and FROZEN; 0 counts as 0.3
    float half_life_s; ///< of SPRING, and of the velocity of DEAD; 0 counts as 0.1
    /// The last two poses that were shown, dt_s apart. from_before NULL: at rest.
    const lmb_transform *from, *from_before;
    /// The target now, and dt_s ago. to_before NULL: at rest. Both are needed by SPRING and QUINTIC.
    const lmb_transform *to, *to_before;
    float dt_s;
} lmb_transition_start_job;

LMB_API lmb_result lmb_transition_create(uint32_t joint_count, const lmb_allocator *alloc, lmb_transition **out,
                                         lmb_error *error);
LMB_API void lmb_transition_destroy(lmb_transition *transition);
/// Begins, also in the midst of another: `from` is what was shown.
LMB_API void lmb_transition_start(lmb_transition *transition, const lmb_transition_start_job *job);
/// Goes on by dt_s and rewrites `pose`, the target's, in place. Returns false once nothing is left to do.
LMB_API bool lmb_transition_step(lmb_transition *transition, float dt_s, lmb_transform *pose);
/// Forgets what is under way.
LMB_API void lmb_transition_stop(lmb_transition *transition);

#ifdef __cplusplus
}
#endif
#endif
