/// Clips at a time: timers, sampling, and clips made from clips.
///
/// A frame is: a timer says when, `lmb_sample` writes the local pose, blending and solvers rewrite it,
/// `lmb_pose_to_model` takes it to model space. Nothing here allocates but the editing of clips.
#ifndef LIMBER_ANIM_H
#define LIMBER_ANIM_H

#include "limber/asset.h"
#include "limber/base.h"

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

#ifdef __cplusplus
}
#endif
#endif
