/// Motion as functions of time and a few parameters: gaits, idling, gaze, drivers, noise.
#ifndef LIMBER_PROCEDURAL_H
#define LIMBER_PROCEDURAL_H

#include "limber/asset.h"
#include "limber/jobs.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------- motions

typedef enum lmb_motion_kind {
    LMB_MOTION_WALK = 0,
    LMB_MOTION_RUN,
    LMB_MOTION_IDLE,
    LMB_MOTION_WAVE,
    LMB_MOTION_JUMP,
    LMB_MOTION_COUNT,
} lmb_motion_kind;

/// "walk", "run", "idle", "wave", "jump". A static string.
LMB_API const char *lmb_motion_name(lmb_motion_kind kind);
/// LMB_MOTION_COUNT when there is none of that name.
LMB_API lmb_motion_kind lmb_motion_find(const char *name);

typedef struct lmb_motion_opts {
    lmb_motion_kind kind;
    /// of walk (0.6 to 2.1) and run (2 to 6) for a body of 1.75 m; 0: 1.35 and 3.2
    float speed_m_s;
    float frame_rate; ///< 0: 60
    bool in_place;    ///< walk and run stay where they are, as on a treadmill
} lmb_motion_opts;

/// Makes a motion on a humanoid of 1.75 m: a character without a mesh, 22 joints named as VRM names
/// them, in a T-pose facing +Z, with one clip that loops without a seam: its last frame is its
/// first, one stride further on for walk and run. Nothing is recorded: stride and duty follow the
/// speed (Alexander 1976: stride = k L Fr^0.3 with Fr = v^2 / gL), feet roll from heel to toe about
/// points that do not move, pelvis and arms swing against each other, legs are solved by IK. Put it
/// on a character with lmb_retarget.
/// Errors: INVALID for a speed or rate out of range; MEMORY.
LMB_API lmb_result lmb_motion_create(const lmb_motion_opts *opts, const lmb_allocator *alloc,
                                     lmb_character **out, lmb_error *error);

// ------------------------------------------------------------------------------------------ gaits

typedef enum lmb_gait_kind {
    LMB_GAIT_WALK = 0,
    LMB_GAIT_TROT, ///< of four legs
    LMB_GAIT_RUN,  ///< of four legs: a gallop; of more: the feet of two alternating sets
    LMB_GAIT_COUNT,
} lmb_gait_kind;

/// "walk", "trot", "run". A static string.
LMB_API const char *lmb_gait_name(lmb_gait_kind kind);
/// LMB_GAIT_COUNT when there is none of that name.
LMB_API lmb_gait_kind lmb_gait_find(const char *name);

#define LMB_GAIT_LEGS 8
#define LMB_GAIT_CHAIN 12

/// A leg: hip, knee and ankle, each below the one before. An animal's ankle is its hock behind and
/// its wrist in front.
typedef struct lmb_gait_leg {
    uint32_t hip, knee, ankle;
    int32_t toes;  ///< the ball of the foot, or the paw; LMB_NONE: the foot is one piece
    int32_t blade; ///< a shoulder blade that carries the hip, or LMB_NONE
    /// Model space, at rest: where the foot meets the ground, at its back end and at its front end
    lmb_vec3 heel, tip;
    /// metres beyond the tip that the toes reach where they point down as they leave the ground
    float beyond_m;
    /// how far the foot may turn over its flat toes before skin that is blended between the two
    /// dips into the ground; 0: no bound
    float roll_rad;
} lmb_gait_leg;

/// The joints of an arm; shoulder may be LMB_NONE. No arm: upper is LMB_NONE.
typedef struct lmb_gait_arm {
    int32_t shoulder, upper, lower, hand;
} lmb_gait_arm;

/// Which joints of a skeleton are what, for walking. The rest pose stands on the ground, +Y up.
typedef struct lmb_gait_body {
    uint32_t hips;
    /// 2: left, right. 4: left and right behind, left and right in front. 6, 8: pairs of left and
    /// right, from behind to the front
    uint32_t leg_count;
    lmb_gait_leg legs[LMB_GAIT_LEGS];
    uint32_t trunk_count;
    uint32_t trunk[LMB_GAIT_CHAIN]; ///< from above the hips to what carries arms or front legs
    uint32_t neck_count;
    uint32_t neck[LMB_GAIT_CHAIN]; ///< above that, the head last
    lmb_gait_arm arms[2];          ///< left, right; of two legs
    float ground;                  ///< height of the ground at rest
    float facing_rad; ///< where the rest faces, from +Z to the left; heels and tips are turned back
} lmb_gait_body;

/// Finds the legs of any skeleton by its shape: chains that end near the ground, in pairs left and
/// right, with the trunk that joins them. Two, four, six or eight legs. The rest pose faces +Z,
/// unless it is symmetric across another axis, or joints named head and tail, or else the toes, say
/// that it faces back: then +X, -X or -Z. Heels, tips and ground come from the skin where there is
/// one, else from the joints. Errors: UNSUPPORTED, with what it looks like; MEMORY.
LMB_API lmb_result lmb_gait_body_find(const lmb_character *character, const lmb_allocator *alloc,
                                      lmb_gait_body *out, lmb_error *error);
/// Heels, tips and ground of a body whose joints are known. Errors: MEMORY.
LMB_API lmb_result lmb_gait_body_fit(const lmb_character *character, const lmb_allocator *alloc,
                                     lmb_gait_body *body, lmb_error *error);

typedef struct lmb_gait_opts {
    lmb_gait_kind kind;
    /// along the ground; 0: in the middle of what the gait is made for, which follows the legs
    /// (lmb_gait_speeds)
    float speed_m_s;
    float turn_rad_s; ///< to the left; the way is a circle
    float slope_rad;  ///< the ground rises ahead; within 25 degrees
    float frame_rate; ///< of the cycle, which takes a whole number of frames; 0: 60
    float bounce;     ///< factor of rise, fall and sway; 0 counts as 1
    float arm_swing;  ///< factor; 0 counts as 1
    float lift;       ///< factor of how high the feet swing; 0 counts as 1
    float width;      ///< factor of the distance between the feet; 0 counts as 1
    float crouch;     ///< share of their height that the hips stay lower, 0 to 0.4
    float hips;       ///< factor of how pelvis and shoulders turn and list; 0 counts as 1
    float lean_rad;   ///< of a trunk on two legs, further forward; within 30 degrees
    float nod_rad;    ///< of the head, further down; within 45 degrees
    bool in_place;    ///< the ground goes by under the body, which stays where it rests
} lmb_gait_opts;

/// Sets bounce, arm_swing, lift, width, crouch, hips, lean and nod to a manner of walking: "sneak",
/// "march", "tired", "proud" or "stroll", of any number of legs. False for another name.
LMB_API bool lmb_gait_manner(const char *name, lmb_gait_opts *opts);

/// What speeds a gait is made for with legs of that length (hip to ankle), m/s. False when bodies
/// of so many legs do not have it.
LMB_API bool lmb_gait_speeds(lmb_gait_kind kind, uint32_t leg_count, float leg_m, float range[2]);

typedef struct lmb_gait_info {
    float speed_m_s, leg_m, period_s, stride_m;
    float duty; ///< share of the cycle that a foot stands
    float hip_height;
    uint32_t frame_count; ///< of a cycle
} lmb_gait_info;

typedef struct lmb_gait lmb_gait;

/// A gait on a body, for any moment. The skeleton must outlive it. Errors: INVALID for options out
/// of range or a body whose joints are not there; UNSUPPORTED for a gait that the body does not
/// have; MEMORY.
LMB_API lmb_result lmb_gait_create(const lmb_skeleton *skeleton, const lmb_gait_body *body,
                                   const lmb_gait_opts *opts, const lmb_allocator *alloc,
                                   lmb_gait **out, lmb_error *error);
LMB_API void lmb_gait_destroy(lmb_gait *gait);
LMB_API lmb_gait_info lmb_gait_describe(const lmb_gait *gait);
/// The pose `time_s` after the first foot struck, [joint_count]: at the beginning the body is above
/// the place where it rests, facing as it does there. Joints that do not walk are as at rest. Where
/// a foot stands, its heel or its toe joint does not move at all. Writes to the gait's own scratch:
/// one thread at a time. No allocation.
LMB_API void lmb_gait_pose(lmb_gait *gait, double time_s, lmb_transform *local);
/// Whether a leg's foot is on the ground then.
LMB_API bool lmb_gait_stands(const lmb_gait *gait, uint32_t leg, double time_s);

/// How well a gait stands at a moment, against the moment before.
typedef struct lmb_gait_moment {
    float slide_m_s; ///< the fastest that what a standing foot rolls about moves; 0 in place
    float depth_m;   ///< the deepest of the skin, linearly blended, under the ground
    float speed_m_s; ///< of the hips joint, with all that it rises and sways
} lmb_gait_moment;
/// `count` moments `dt_s` apart from the first foot's strike on, of the character that the gait was
/// made for. Errors: MEMORY.
LMB_API lmb_result lmb_gait_measure(lmb_gait *gait, const lmb_character *character, double dt_s,
                                    uint32_t count, const lmb_allocator *alloc,
                                    lmb_gait_moment *out, lmb_error *error);

// ---------------------------------------------------------------------------------------- signals
//
// Functions of time, the same numbers on every machine.

/// Gradient noise in one dimension (Perlin 2002): in [-1, 1], 0 at whole numbers, its first two
/// derivatives continuous. About one swing a unit of x.
LMB_API double lmb_noise(double x, uint32_t seed);
/// The mean of up to 16 octaves, each of half the weight and 2.01 times the frequency.
LMB_API double lmb_noise_fractal(double x, uint32_t octaves, uint32_t seed);
/// A number in [0, 1) for each whole number and seed.
LMB_API double lmb_hash_unit(double x, uint32_t seed);
/// How full the chest is over a breath of length 1: 0 at 0, 1 at 0.4, 0 at 1, smooth. In takes two
/// fifths of the time.
LMB_API double lmb_breath(double phase);

/// A phase that goes on smoothly when its frequency changes. Zero-initialised: phase 0.
typedef struct lmb_oscillator {
    double phase; ///< in [0, 1)
} lmb_oscillator;
/// Goes on by dt_s and returns the phase.
LMB_API double lmb_oscillator_step(lmb_oscillator *oscillator, double frequency_hz, double dt_s);

/// A number that wanders about 0 and is drawn back (Ornstein and Uhlenbeck 1930), stepped exactly:
/// its spread and memory do not depend on the frame rate. Zero-initialised but for the seed.
typedef struct lmb_wander {
    uint64_t seed;
    lmb_random random;
    double value;
    bool started;
} lmb_wander;
/// `spread` is the standard deviation in the long run, 1 / rate_hz the time it remembers.
LMB_API double lmb_wander_step(lmb_wander *wander, double rate_hz, double spread, double dt_s);

// -------------------------------------------------------------------------------------- followers

/// A number that follows a target as a mass on a spring with a damper. Zero-initialised: the first
/// step begins at the target, at rest.
typedef struct lmb_follower {
    double value, speed;
    double target; ///< of the step before
    bool started;
} lmb_follower;
/// x'' + 2 z w x' + w^2 (x - target) = 0 with w = 2 pi frequency_hz and z = damping (1: as fast as
/// it can without overshoot), solved in closed form while the target moves evenly from where it was
/// to where it is: a step of any length gives what many short ones give. A frequency of 0 or less
/// jumps to the target; a dt_s of 0 leaves it.
LMB_API double lmb_follow(lmb_follower *follower, double target, double frequency_hz,
                          double damping, double dt_s);
LMB_API lmb_vec3 lmb_follow3(lmb_follower follower[3], lmb_vec3 target, double frequency_hz,
                             double damping, double dt_s);
/// A rotation, by the shorter way; unit.
LMB_API lmb_quat lmb_follow_turn(lmb_follower follower[4], lmb_quat target, double frequency_hz,
                                 double damping, double dt_s);

// ------------------------------------------------------------------------------------------- gaze

/// Eyes that leap to what they look at (saccades of 21 ms and 2.2 ms a degree), a head that comes
/// after, eyes that turn back against it meanwhile, and blinks. Zero-initialised but for what is
/// set; yaw (to the left) and pitch (up) in radians.
typedef struct lmb_gaze {
    uint64_t seed;                 ///< of the blinks
    float head_rad[2], eye_rad[2]; ///< how far each turns; 0 counts as 60 and 40, 35 and 25 degrees
    // memory
    lmb_follower head[2];
    float eyes[2], from[2], aim[2];
    float leap_s, leap_left_s, blink_s, next_blink_s;
    lmb_random random;
    bool started;
} lmb_gaze;

typedef struct lmb_gaze_turn {
    float head_rad[2]; ///< yaw and pitch of the head against the trunk
    float eye_rad[2];  ///< of the eyes against the head
    float blink;       ///< 0 open, 1 closed
} lmb_gaze_turn;

/// `direction` of what is looked at, from the eyes, in the frame of the trunk: +Z ahead, +X left,
/// any length. What goes past the middle of the back is not followed round until it is 20 degrees
/// on.
LMB_API lmb_gaze_turn lmb_gaze_step(lmb_gaze *gaze, lmb_vec3 direction, float dt_s);

// ---------------------------------------------------------------------------------------- drivers

/// A program that moves joints and morph weights as functions of time, of parameters and of other
/// channels. It is compiled once into one block; a step allocates nothing and does the same work
/// every time. docs/procedural.md has the language:
///
///     param speed = 1
///     let u = fract(speed * t)
///     joint("second").rz = -6deg * floor(speed * t)
///     morph("smile") = 0.5 + 0.5 * sin(tau * u)
///
/// Channels are since the rest pose, in the joint's rest frame: tx ty tz in metres, rx ry rz in
/// radians (about x first, then y, then z, axes that stay), sx sy sz as factors.
typedef struct lmb_drivers lmb_drivers;

/// The character must outlive the machine. Errors: MALFORMED with line and column for what does not
/// follow the language, names a joint, morph target or function that is not there, drives a channel
/// twice, or drives channels in a circle; MEMORY.
LMB_API lmb_result lmb_drivers_create(const void *text, size_t size, const lmb_character *character,
                                      const lmb_allocator *alloc, lmb_drivers **out,
                                      lmb_error *error);
LMB_API void lmb_drivers_destroy(lmb_drivers *drivers);

/// What the program calls `param`, in its order.
LMB_API uint32_t lmb_drivers_parameter_count(const lmb_drivers *drivers);
LMB_API const char *lmb_drivers_parameter_name(const lmb_drivers *drivers, uint32_t index);
/// `value` must be finite.
LMB_API void lmb_drivers_set(lmb_drivers *drivers, uint32_t index, double value);
/// How many channels it drives, and how many instructions a step runs.
LMB_API uint32_t lmb_drivers_channel_count(const lmb_drivers *drivers);
LMB_API uint32_t lmb_drivers_instruction_count(const lmb_drivers *drivers);
/// Whether it drives any morph weight.
LMB_API bool lmb_drivers_has_weights(const lmb_drivers *drivers);

/// One frame, after sampling and before skinning. Channels that are read and not driven are those
/// of the pose given; where an expression is not a finite number, the channel keeps its last value.
typedef struct lmb_drivers_step_job {
    lmb_drivers *drivers;
    double time_s; ///< what `t` is; hours of it lose nothing
    double dt_s;   ///< since the step before, for what remembers: spring, lag, integrate, phase
    lmb_transform *local; ///< [joint_count] of the frame's pose; driven channels are rewritten
    /// as lmb_character_weights lays them out; NULL: morph weights are left out
    float *weights;
} lmb_drivers_step_job;
LMB_API void lmb_drivers_step(const lmb_drivers_step_job *job);
/// Forgets what it remembers: after a cut. Parameters stay.
LMB_API void lmb_drivers_reset(lmb_drivers *drivers);

// ------------------------------------------------------------------------------------------- idle

typedef enum lmb_idle_look {
    LMB_IDLE_NOWHERE = 0, ///< the head stays as the pose has it
    LMB_IDLE_ABOUT,       ///< here and there, up to 35 degrees aside, for 0.7 to 4 s each
    LMB_IDLE_AT,          ///< at `target`
} lmb_idle_look;

typedef struct lmb_idle_opts {
    uint64_t seed;
    float breath;    ///< how deep: 1 turns the upper trunk by 2.2 degrees a breath; 0: not at all
    float breath_hz; ///< 0 counts as 0.25
    float shift;     ///< how far the weight goes: 1: hips half the way over a foot; 0: not at all
    lmb_idle_look look;
    lmb_vec3 target; ///< in the model
    int32_t eyes[2]; ///< joints, left and right, or LMB_NONE
} lmb_idle_opts;

typedef struct lmb_idle lmb_idle;

/// A body that stands and lives, as a layer over any pose: it breathes, its weight goes from leg to
/// leg every 2.5 to 7 s while its feet stay, it looks about with head and eyes (lmb_gaze). `body`
/// as lmb_gait_body_find gives it; without legs, trunk or neck (counts of 0) what needs them is
/// left out. The skeleton must outlive it. `opts` NULL: it does nothing. Errors: MEMORY.
LMB_API lmb_result lmb_idle_create(const lmb_skeleton *skeleton, const lmb_gait_body *body,
                                   const lmb_idle_opts *opts, const lmb_allocator *alloc,
                                   lmb_idle **out, lmb_error *error);
LMB_API void lmb_idle_destroy(lmb_idle *idle);

typedef struct lmb_idle_report {
    float missed_m;                ///< the farthest that a foot is from where the pose had it
    float lean;                    ///< where the weight is: 1 over the left foot, -1 over the right
    float head_rad[2], eye_rad[2]; ///< of the gaze, yaw and pitch
    float blink;
} lmb_idle_report;
/// Changes the frame's pose, [joint_count], dt_s after the one before. No allocation.
LMB_API lmb_idle_report lmb_idle_step(lmb_idle *idle, lmb_transform *local, float dt_s);

// ------------------------------------------------------------------------------------- getting up

/// How a body lies, by where its front looks.
typedef enum lmb_lying {
    LMB_LYING_NOT = 0, ///< it stands, kneels or sits
    LMB_LYING_SIDE,
    LMB_LYING_PRONE, ///< on its front
    LMB_LYING_SUPINE ///< on its back
} lmb_lying;
/// "upright", "side", "prone", "supine".
LMB_API const char *lmb_lying_name(lmb_lying lying);
/// `turn`: of the hips, from the rest pose (that stands and faces +Z) to now. `heading`: level and
/// unit, where it will face when it has got up: ahead while it is upright or on its side, to its
/// feet from on its back, to its head from on its front; zero for no such direction.
LMB_API lmb_lying lmb_lying_of(lmb_quat turn, lmb_vec3 *heading);

/// Which of some clips gets a body up.
typedef struct lmb_get_up_job {
    const lmb_skeleton *skeleton;
    uint32_t hips;                      ///< the joint that the body's place and front are told by
    const lmb_transform *local;         ///< [joint_count] the pose that lies
    uint32_t begin_count;               ///< above 0
    const lmb_transform *const *begins; ///< [begin_count] the poses that the clips begin with
    lmb_vec3 facing;                    ///< where the rest pose faces, level; zero: +Z
} lmb_get_up_job;

typedef struct lmb_get_up {
    uint32_t chosen; ///< of the begins
    lmb_lying lying; ///< how the body lies
    /// where to play the clip: a turn about the vertical and a way along the ground, to apply to
    /// its roots
    lmb_transform there;
    float difference_m; ///< root mean square, of the joints' places after that
} lmb_get_up;

/// The clip that begins lying as the body does (on the same side), of several the one whose joints
/// are nearest. Then start a transition (lmb_transition_start) from the last two poses shown to the
/// clip's. Errors: MEMORY.
LMB_API lmb_result lmb_get_up_choose(const lmb_get_up_job *job, const lmb_allocator *alloc,
                                     lmb_get_up *out, lmb_error *error);

#ifdef __cplusplus
}
#endif
#endif
