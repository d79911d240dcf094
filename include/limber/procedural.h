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

/// "walk", "run", "idle", "wave" or "jump"; LMB_MOTION_COUNT for another name.
LMB_API lmb_motion_kind lmb_motion_find(const char *name);

typedef struct lmb_motion_opts {
    lmb_motion_kind kind;
    /// of walk (0.6 to 2.1) and run (2 to 6) for a body of 1.75 m; 0: 1.35 and 3.2
    float speed_m_s;
    float frame_rate; ///< 0: 60
    bool in_place;    ///< walk and run stay in place, as on a treadmill
} lmb_motion_opts;

/// Makes a motion on a humanoid of 1.75 m: a character without a mesh, 52 joints named as in VRM,
/// in a T-pose facing +Z, with one seamless loop: its last frame is its first, one stride further
/// on for walk and run. Nothing is recorded. Stride and duty factor follow the speed (Alexander
/// 1976: stride = k L Fr^0.3 with Fr = v^2 / gL), feet roll from heel to toe about fixed points,
/// pelvis and arms counter-rotate, and legs are solved by IK. Put it on a character with
/// lmb_retarget.
/// Errors: INVALID for a speed or rate out of range; MEMORY.
LMB_API lmb_result lmb_motion_create(const lmb_motion_opts *opts, const lmb_allocator *alloc,
                                     lmb_character **out, lmb_error *error);

// -------------------------------------------------------------------------------- motions as text

/// The kind of body that a motion moves.
typedef enum lmb_motion_body {
    LMB_MOTION_HUMAN = 0,
    LMB_MOTION_QUADRUPED,
    LMB_MOTION_BIRD,   ///< wings, and legs if there are any
    LMB_MOTION_FISH,   ///< no legs
    LMB_MOTION_SPIDER, ///< six or eight legs
    LMB_MOTION_SNAKE,  ///< no limbs
    LMB_MOTION_BODIES,
} lmb_motion_body;
/// "human", "quadruped", "bird", "fish", "spider", "snake". A static string.
LMB_API const char *lmb_motion_body_name(lmb_motion_body body);

/// A motion read from text (docs/motions.md has the language): a gait with a manner, or poses in
/// time, in angles of bones and lengths relative to the body's own, so that it suits any
/// proportions.
typedef struct lmb_motion lmb_motion;

/// Errors: MALFORMED with line and column; MEMORY.
LMB_API lmb_result lmb_motion_read(const void *text, size_t size, const lmb_allocator *alloc,
                                   lmb_motion **out, lmb_error *error);
LMB_API void lmb_motion_destroy(lmb_motion *motion);

/// Strings live as long as the motion.
typedef struct lmb_motion_info {
    const char *name, *title;
    const char *tags; ///< words separated by blanks; "" without any
    lmb_motion_body body;
    bool is_loop;   ///< its last frame is its first; else it plays once
    bool is_gait;   ///< steps on its own legs: the speed slider is in m/s
    bool travels;   ///< ends elsewhere than it starts
    float length_s; ///< of a human at the default speed; of an animal's gait, which depends on its
                    ///< legs, 0
} lmb_motion_info;
LMB_API lmb_motion_info lmb_motion_describe(const lmb_motion *motion);

/// A motion that is part of the library, as text. Static.
typedef struct lmb_motion_file {
    const char *name; ///< of the motion
    const char *text; ///< [size], and a 0 after it
    size_t size;
} lmb_motion_file;
/// All of them, by name.
LMB_API const lmb_motion_file *lmb_motion_files(size_t *count);

/// Changes of a motion. Zero-initialised: none.
typedef struct lmb_motion_sliders {
    /// of a gait in m/s, for a body of 1.75 m on the humanoid; of others, times as fast, up to 4.
    /// 0: the motion's own
    float speed;
    float stride;        ///< factor of the length of steps, up to 2; 0 counts as 1
    float energy;        ///< factor of the movements of trunk and swinging arms, up to 2; 0: 1
    float arm_space_rad; ///< rotates the arms away from the trunk; within 45 degrees
    bool mirror;         ///< left and right are exchanged
    bool in_place;       ///< travelling motions stay above one spot
    float frame_rate;    ///< 0: 60
} lmb_motion_sliders;

/// A human's motion on the humanoid of lmb_motion_create, with one clip; `sliders` may be NULL. Put
/// it on a character with lmb_retarget or lmb_animate. Errors: INVALID for sliders out of range;
/// UNSUPPORTED for a motion of another body; MEMORY.
LMB_API lmb_result lmb_motion_perform(const lmb_motion *motion, const lmb_motion_sliders *sliders,
                                      const lmb_allocator *alloc, lmb_character **out,
                                      lmb_error *error);

/// The kind of body that a skeleton is of, by its chains (lmb_chain_map_find): how many legs, wings
/// and fins there are, and whether it stands upright; without legs, a human is who has arms by
/// name. Errors: UNSUPPORTED for a skeleton without chains; MEMORY.
LMB_API lmb_result lmb_motion_body_find(const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                                        lmb_motion_body *out, lmb_error *error);
/// An animal's motion on a character's own skeleton: a clip of the character. `sliders` may be NULL;
/// arm_space and stride do nothing to an animal's gait. Errors: INVALID for sliders out of range;
/// UNSUPPORTED for a body of another kind; MEMORY.
LMB_API lmb_result lmb_motion_perform_on(const lmb_motion *motion,
                                         const lmb_motion_sliders *sliders,
                                         const lmb_character *character, const lmb_allocator *alloc,
                                         lmb_clip **out, lmb_error *error);

// ------------------------------------------------------------------------------------------ gaits

typedef enum lmb_gait_kind {
    LMB_GAIT_WALK = 0,
    LMB_GAIT_TROT, ///< of four legs
    LMB_GAIT_RUN,  ///< on four legs a gallop; on more, two alternating sets of feet
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
    /// metres beyond the tip that the toes reach when they point down at lift-off
    float beyond_m;
    /// largest rotation of the foot over its flat toes before skin blended between the two dips
    /// into the ground; 0: no bound
    float roll_rad;
} lmb_gait_leg;

/// The joints of an arm; shoulder may be LMB_NONE. No arm: upper is LMB_NONE.
typedef struct lmb_gait_arm {
    int32_t shoulder, upper, lower, hand;
} lmb_gait_arm;

/// The joints of a skeleton that a gait moves. The rest pose stands on the ground, +Y up.
typedef struct lmb_gait_body {
    uint32_t hips;
    /// 2: left, right. 4: left and right behind, left and right in front. 6, 8: pairs of left and
    /// right, from behind to the front
    uint32_t leg_count;
    lmb_gait_leg legs[LMB_GAIT_LEGS];
    uint32_t trunk_count;
    /// from above the hips to the joint that carries arms or front legs
    uint32_t trunk[LMB_GAIT_CHAIN];
    uint32_t neck_count;
    uint32_t neck[LMB_GAIT_CHAIN]; ///< above that, the head last
    lmb_gait_arm arms[2];          ///< left, right; of two legs
    float ground;                  ///< height of the ground at rest
    /// heading of the rest pose, from +Z to the left; heels and tips are stored with +Z ahead
    float facing_rad;
} lmb_gait_body;

/// Two, four, six or eight legs of any skeleton, and the trunk and neck above them: those of its
/// chains (lmb_chain_map_find), whose front is the body's. Heels, tips and ground come from the skin
/// if there is one, else from the joints. Errors: UNSUPPORTED, with the legs found; MEMORY.
LMB_API lmb_result lmb_gait_body_find(const lmb_character *character, const lmb_allocator *alloc,
                                      lmb_gait_body *out, lmb_error *error);

typedef struct lmb_gait_opts {
    lmb_gait_kind kind;
    /// along the ground; 0: 40 percent into the gait's range for these legs
    float speed_m_s;
    float turn_rad_s; ///< to the left; the path is a circle
    float slope_rad;  ///< the ground rises ahead; within 25 degrees
    float frame_rate; ///< of the cycle, which takes a whole number of frames; 0: 60
    float bounce;     ///< factor of the vertical and lateral movement of the trunk; 0 counts as 1
    float arm_swing;  ///< factor; 0 counts as 1
    float lift;       ///< factor of the height of the swinging feet; 0 counts as 1
    float width;      ///< factor of the distance between the feet; 0 counts as 1
    float crouch;     ///< fraction of their height by which the hips are lowered, 0 to 0.4
    float hips;       ///< factor of the rotation of pelvis and shoulders; 0 counts as 1
    float lean_rad;   ///< additional forward lean of the trunk on two legs; within 30 degrees
    float nod_rad;    ///< additional downward pitch of the head; within 45 degrees
    bool in_place;    ///< the body stays in place and the ground moves under it
} lmb_gait_opts;

/// Sets bounce, arm_swing, lift, width, crouch, hips, lean and nod to a manner of walking: "sneak",
/// "march", "tired", "proud" or "stroll", of any number of legs. False for another name.
LMB_API bool lmb_gait_manner(const char *name, lmb_gait_opts *opts);

typedef struct lmb_gait_info {
    float speed_m_s, leg_m, period_s, stride_m;
    float duty; ///< fraction of the cycle that a foot is on the ground
    float hip_height;
    uint32_t frame_count; ///< of a cycle
} lmb_gait_info;

typedef struct lmb_gait lmb_gait;

/// A gait on a body, evaluated at any time. The skeleton must outlive it. Errors: INVALID for
/// options out of range or a body with missing joints; UNSUPPORTED for a gait that the body does
/// not have; MEMORY.
LMB_API lmb_result lmb_gait_create(const lmb_skeleton *skeleton, const lmb_gait_body *body,
                                   const lmb_gait_opts *opts, const lmb_allocator *alloc,
                                   lmb_gait **out, lmb_error *error);
LMB_API void lmb_gait_destroy(lmb_gait *gait);
LMB_API lmb_gait_info lmb_gait_describe(const lmb_gait *gait);
/// The pose [joint_count] at `time_s` after the first foot struck. At time 0 the body is at its
/// rest position and heading. Joints outside the body keep their rest pose. A planted foot's heel
/// or toe joint does not move at all. Writes to the gait's own scratch: one thread at a time. No
/// allocation.
LMB_API void lmb_gait_pose(lmb_gait *gait, double time_s, lmb_transform *local);

/// Foot sliding and ground penetration of a gait, between two times.
typedef struct lmb_gait_moment {
    float slide_m_s; ///< fastest movement of the point that a planted foot rolls about; 0 in place
    float depth_m;   ///< greatest depth of the skin, linearly blended, under the ground
    float speed_m_s; ///< of the hips joint, including rise and sway
} lmb_gait_moment;
/// Measures `count` times `dt_s` apart from the first foot's strike on, with the character that the
/// gait was made for. Errors: MEMORY.
LMB_API lmb_result lmb_gait_measure(lmb_gait *gait, const lmb_character *character, double dt_s,
                                    uint32_t count, const lmb_allocator *alloc,
                                    lmb_gait_moment *out, lmb_error *error);

// ---------------------------------------------------------------------------------------- signals
//
// Functions of time, the same numbers on every machine.

/// Gradient noise in one dimension (Perlin 2002): in [-1, 1], 0 at whole numbers, its first two
/// derivatives continuous. About one swing a unit of x. Several octaves, up to 16, are their mean,
/// each of half the weight and 2.01 times the frequency of the one before.
LMB_API double lmb_noise(double x, uint32_t octaves, uint32_t seed);
/// Fullness of the chest over a breath of length 1: 0 at 0, 1 at 0.4, 0 at 1, smooth. Inhaling
/// takes two fifths of the time.
LMB_API double lmb_breath(double phase);

/// A phase that stays continuous when its frequency changes. Zero-initialised: phase 0.
typedef struct lmb_oscillator {
    double phase; ///< in [0, 1)
} lmb_oscillator;
/// Advances by dt_s and returns the phase.
LMB_API double lmb_oscillator_step(lmb_oscillator *oscillator, double frequency_hz, double dt_s);

/// A random number with mean reversion to 0 (Ornstein and Uhlenbeck 1930), stepped exactly: its
/// spread and correlation do not depend on the frame rate. Zero-initialised but for the seed.
typedef struct lmb_wander {
    uint64_t seed;
    lmb_random random;
    double value;
    bool started;
} lmb_wander;
/// `spread` is the stationary standard deviation, 1 / rate_hz the correlation time.
LMB_API double lmb_wander_step(lmb_wander *wander, double rate_hz, double spread, double dt_s);

// -------------------------------------------------------------------------------------- followers

/// A number that follows a target as a damped spring. Zero-initialised: the first step starts at
/// the target, at rest.
typedef struct lmb_follower {
    double value, speed;
    double target; ///< of the last step
    bool started;
} lmb_follower;
/// x'' + 2 z w x' + w^2 (x - target) = 0 with w = 2 pi frequency_hz and z = damping (1: critical),
/// solved in closed form for a target that moves linearly from its last value: a long step gives
/// the result of many short ones. A frequency of 0 or less jumps to the target; a dt_s of 0 changes
/// nothing.
LMB_API double lmb_follow(lmb_follower *follower, double target, double frequency_hz,
                          double damping, double dt_s);
LMB_API lmb_vec3 lmb_follow3(lmb_follower follower[3], lmb_vec3 target, double frequency_hz,
                             double damping, double dt_s);
/// Follows a rotation along the shorter arc; the result is unit.
LMB_API lmb_quat lmb_follow_rotation(lmb_follower follower[4], lmb_quat target, double frequency_hz,
                                     double damping, double dt_s);

// ------------------------------------------------------------------------------------------- gaze

/// Eyes that make saccades (21 ms and 2.2 ms a degree), a head that follows, eyes that
/// counter-rotate meanwhile, and blinks. Zero-initialised except for what the caller sets; yaw (to
/// the left) and pitch (up) in radians.
typedef struct lmb_gaze {
    uint64_t seed;                 ///< of the blinks
    float head_rad[2], eye_rad[2]; ///< range of each; 0 counts as 60 and 40, 35 and 25 degrees
    // memory
    lmb_follower head[2];
    float eyes[2], from[2], aim[2];
    float leap_s, leap_left_s, blink_s, next_blink_s;
    lmb_random random;
    bool started;
} lmb_gaze;

typedef struct lmb_gaze_rotation {
    float head_rad[2]; ///< yaw and pitch of the head against the trunk
    float eye_rad[2];  ///< of the eyes against the head
    float blink;       ///< 0 open, 1 closed
} lmb_gaze_rotation;

/// `direction` from the eyes to the target in the frame of the trunk: +Z ahead, +X left, any
/// length. A target that passes behind the back is followed round only once it is 20 degrees past
/// the middle.
LMB_API lmb_gaze_rotation lmb_gaze_step(lmb_gaze *gaze, lmb_vec3 direction, float dt_s);

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
/// follow the language, names an unknown joint, morph target or function, drives a channel
/// twice, or has channels that depend on themselves; MEMORY.
LMB_API lmb_result lmb_drivers_create(const void *text, size_t size, const lmb_character *character,
                                      const lmb_allocator *alloc, lmb_drivers **out,
                                      lmb_error *error);
LMB_API void lmb_drivers_destroy(lmb_drivers *drivers);

/// What a program has. Names live as long as the machine.
typedef struct lmb_drivers_info {
    uint32_t parameter_count;
    const char *const *parameter_names; ///< of `param`, in the order of the program
    uint32_t channel_count;             ///< that it drives
    uint32_t instruction_count;         ///< that a step runs
} lmb_drivers_info;
LMB_API lmb_drivers_info lmb_drivers_describe(const lmb_drivers *drivers);
/// Sets a parameter; `value` must be finite.
LMB_API void lmb_drivers_set(lmb_drivers *drivers, uint32_t index, double value);

/// One frame, after sampling and before skinning. Channels that are read and not driven are those
/// of the pose given; where an expression is not a finite number, the channel keeps its last value.
typedef struct lmb_drivers_step_job {
    lmb_drivers *drivers;
    double time_s; ///< the value of `t`; exact over hours
    /// since the last step, for operations with state: spring, lag, integrate, phase
    double dt_s;
    lmb_transform *local; ///< [joint_count] of the frame's pose; driven channels are rewritten
    /// as lmb_character_weights lays them out; NULL: morph weights are left out
    float *weights;
    bool restart; ///< clears the state of operations first, after a cut; parameters stay
} lmb_drivers_step_job;
LMB_API void lmb_drivers_step(const lmb_drivers_step_job *job);

// ------------------------------------------------------------------------------------------- idle

typedef enum lmb_idle_look {
    LMB_IDLE_NOWHERE = 0, ///< the head is not changed
    LMB_IDLE_ABOUT,       ///< in random directions, up to 35 degrees aside, for 0.7 to 4 s each
    LMB_IDLE_AT,          ///< at `target`
} lmb_idle_look;

typedef struct lmb_idle_opts {
    uint64_t seed;
    float breath;    ///< depth: 1 rotates the upper trunk by 2.2 degrees a breath; 0: none
    float breath_hz; ///< 0 counts as 0.25
    float shift;     ///< weight shift: 1 moves the hips half the distance to a foot; 0: none
    lmb_idle_look look;
    lmb_vec3 target; ///< in model space
    int32_t eyes[2]; ///< joints, left and right, or LMB_NONE
} lmb_idle_opts;

typedef struct lmb_idle lmb_idle;

/// A layer over any pose of a standing body: breathing, weight shifts from leg to leg every 2.5 to
/// 7 s over planted feet, and a gaze with head and eyes (lmb_gaze). `body` comes from
/// lmb_gait_body_find; without legs, trunk or neck (counts of 0) the movements that need them are
/// left out. The skeleton must outlive it. With `opts` NULL nothing moves. Errors: MEMORY.
LMB_API lmb_result lmb_idle_create(const lmb_skeleton *skeleton, const lmb_gait_body *body,
                                   const lmb_idle_opts *opts, const lmb_allocator *alloc,
                                   lmb_idle **out, lmb_error *error);
LMB_API void lmb_idle_destroy(lmb_idle *idle);

typedef struct lmb_idle_report {
    float missed_m;                ///< largest distance of a foot from its position in the pose
    float lean;                    ///< weight: 1 over the left foot, -1 over the right
    float head_rad[2], eye_rad[2]; ///< of the gaze, yaw and pitch
    float blink;
} lmb_idle_report;
/// Changes the frame's pose, [joint_count], dt_s after the one before. No allocation.
LMB_API lmb_idle_report lmb_idle_step(lmb_idle *idle, lmb_transform *local, float dt_s);

// ------------------------------------------------------------------------------------- getting up

/// How a body lies, by the direction of its front.
typedef enum lmb_lying {
    LMB_LYING_NOT = 0, ///< it stands, kneels or sits
    LMB_LYING_SIDE,
    LMB_LYING_PRONE, ///< on its front
    LMB_LYING_SUPINE ///< on its back
} lmb_lying;

/// Chooses a clip that gets a body up.
typedef struct lmb_get_up_job {
    const lmb_skeleton *skeleton;
    uint32_t hips;                      ///< the joint that gives the body's position and front
    const lmb_transform *local;         ///< [joint_count] the lying pose
    uint32_t begin_count;               ///< above 0
    const lmb_transform *const *begins; ///< [begin_count] the first poses of the clips
    lmb_vec3 facing;                    ///< heading of the rest pose, horizontal; zero: +Z
} lmb_get_up_job;

typedef struct lmb_get_up {
    uint32_t chosen;        ///< index in `begins`
    lmb_lying lying;        ///< how the body lies
    const char *lying_name; ///< "upright", "side", "prone" or "supine"; static
    /// where to play the clip: a rotation about the vertical and a translation on the ground, to
    /// apply to its roots
    lmb_transform there;
    float difference_m; ///< root mean square distance of the joints after that
} lmb_get_up;

/// Prefers clips that begin lying as the body does (on the same side); among these, the one whose
/// joints are nearest. Then start a transition (lmb_transition_start) from the last two poses shown
/// to the clip's. Errors: MEMORY.
LMB_API lmb_result lmb_get_up_choose(const lmb_get_up_job *job, const lmb_allocator *alloc,
                                     lmb_get_up *out, lmb_error *error);

#ifdef __cplusplus
}
#endif
#endif
