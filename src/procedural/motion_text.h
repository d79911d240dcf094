/// A motion as text, parsed: what it is called, what it moves, and its keys.
#ifndef PROCEDURAL_MOTION_TEXT_H
#define PROCEDURAL_MOTION_TEXT_H

#include "base/arena.h"
#include "procedural/gait.h"

// ---- channels: what keys and expressions set

/// A row of the table of channels. Angles in degrees; lengths of hips and feet as fractions of the
/// leg (hip to ankle), of reaching hands as fractions of the arm (shoulder to wrist).
typedef enum lmbi_motion_row {
    ROW_HIPS_X = 0, ///< to the left
    ROW_HIPS_Y,
    ROW_HIPS_Z,
    ROW_PELVIS_BEND, ///< forward; turn and side are to the left
    ROW_PELVIS_TURN,
    ROW_PELVIS_SIDE,
    ROW_CHEST_BEND,
    ROW_CHEST_TURN,
    ROW_CHEST_SIDE,
    ROW_HEAD_BEND,
    ROW_HEAD_TURN,
    ROW_HEAD_SIDE,
    ROW_SHOULDER_RAISE,
    ROW_SHOULDER_FORWARD,
    ROW_UPPER_ARM_SWING, ///< forward and up, from the hanging arm
    ROW_UPPER_ARM_SPREAD,
    ROW_UPPER_ARM_TWIST, ///< inward
    ROW_FOREARM_BEND,
    ROW_FOREARM_TWIST, ///< pronation
    ROW_HAND_BEND,     ///< towards the palm
    ROW_HAND_SIDE,     ///< towards the thumb
    ROW_HAND_CURL,     ///< of the fingers: 0 flat, 1 a fist
    ROW_ARM_WEIGHT,    ///< of the arm's keys over the base
    ROW_REACH_X,       ///< of the wrist from its anchor, outward
    ROW_REACH_Y,
    ROW_REACH_Z,
    ROW_REACH_WEIGHT,
    ROW_THIGH_SWING,
    ROW_THIGH_SPREAD,
    ROW_THIGH_TWIST, ///< inward
    ROW_SHIN_BEND,
    ROW_ANKLE_BEND, ///< toes up
    ROW_FOOT_X,     ///< from where it stands, to the left
    ROW_FOOT_Y,
    ROW_FOOT_Z,
    ROW_FOOT_PITCH, ///< toes up; below 0 the heel rises over the toes
    ROW_FOOT_TURN,  ///< outward
    ROW_FOOT_PLANT, ///< 1: the leg reaches for the foot's position; 0: thigh, shin and ankle pose it
    ROW_KNEE_OUT,
    // Animals.
    ROW_NECK_BEND,
    ROW_NECK_TURN,
    ROW_NECK_SIDE,
    ROW_TAIL_BEND,
    ROW_TAIL_TURN,
    ROW_TAIL_SIDE,
    ROW_SPINE_BEND, ///< of a body without legs, along its whole length
    ROW_SPINE_TURN,
    ROW_SPINE_SIDE,
    ROW_JAW_OPEN,
    ROW_WING_RAISE,
    ROW_WING_SWEEP, ///< forward
    ROW_WING_TWIST, ///< front edge down
    ROW_WINGTIP_RAISE,
    ROW_WINGTIP_SWEEP,
    ROW_FOREFOOT_X,
    ROW_FOREFOOT_Y,
    ROW_FOREFOOT_Z,
    ROW_FOREFOOT_PLANT,
    ROW_FORELEG_SWING,
    ROW_FORELEG_BEND,
    ROW_COUNT,
} lmbi_motion_row;

/// What kind of number a channel is: it decides about limits, energy and mirroring.
typedef enum lmbi_motion_unit {
    UNIT_ANGLE = 0,
    UNIT_LENGTH,   ///< relative to the body
    UNIT_FRACTION, ///< 0 to 1
} lmbi_motion_unit;

typedef struct lmbi_motion_channel {
    const char *bone, *field;
    float low, high, rest;
    lmbi_motion_unit unit;
    bool paired;       ///< one on each side
    bool human, other; ///< whose
} lmbi_motion_channel;

extern const lmbi_motion_channel lmbi_motion_channels[ROW_COUNT];

/// Values of all channels: [row][0 left or middle, 1 right].
typedef struct lmbi_motion_values {
    float at[ROW_COUNT][2];
} lmbi_motion_values;

// ---- the parsed text

typedef struct lmbi_motion_key {
    float at, value; ///< seconds, or cycles of the gait
    bool linear;     ///< of the curve that arrives at it
} lmbi_motion_key;

typedef struct lmbi_motion_track {
    uint16_t row, side;
    uint32_t count;
    lmbi_motion_key *keys; ///< ascending times
} lmbi_motion_track;

typedef struct lmbi_motion_wave {
    uint16_t row;
    bool sides[2];
} lmbi_motion_wave;

/// The pose that keys are laid over.
typedef enum lmbi_motion_base {
    BASE_STAND = 0,
    BASE_BREATHE, ///< standing, with breath and weight that shifts
    BASE_WAVE,
    BASE_JUMP,
    BASE_GAIT,
} lmbi_motion_base;

/// Where a reaching hand's goal is measured from.
typedef enum lmbi_motion_anchor {
    ANCHOR_NONE = 0,
    ANCHOR_GROUND, ///< the position where the motion starts
    ANCHOR_HIPS,
    ANCHOR_CHEST,
    ANCHOR_HEAD,
    ANCHOR_THIGH, ///< of its own side
} lmbi_motion_anchor;

typedef enum lmbi_gait_setting {
    SETTING_SPEED = 0,
    SETTING_STRIDE,
    SETTING_BOUNCE,
    SETTING_ARMS,
    SETTING_LIFT,
    SETTING_WIDTH,
    SETTING_HIPS,
    SETTING_CROUCH,
    SETTING_LEAN,
    SETTING_NOD,
    SETTING_ELBOW,
    SETTING_ARM_OUT,
    SETTING_ARM_FORWARD,
    SETTING_ACROSS,
    SETTING_TOE_OUT,
    SETTING_SWAY,
    SETTING_LIMP,
    SETTING_REVERSE,
    SETTING_COUNT,
} lmbi_gait_setting;

enum {
    LMBI_MOTION_TEXT = 1 << 16, ///< bytes
    LMBI_MOTION_KEYS = 4096,
    LMBI_MOTION_TRACKS = 2 * ROW_COUNT,
    LMBI_MOTION_WAVES = 64,
};

struct lmb_motion {
    lmbi_arena arena;
    lmb_allocator allocator;
    const char *name, *title, *tags;
    lmb_motion_body body;
    bool loops;
    float length; ///< seconds; with a gait, cycles
    lmbi_motion_base base;
    lmb_gait_kind gait;
    float settings[SETTING_COUNT];
    bool is_set[SETTING_COUNT];
    float travel[3]; ///< of a loop, fractions of the leg or of a legless body's length
    lmbi_motion_anchor anchors[2];
    uint32_t track_count, wave_count;
    lmbi_motion_track *tracks;
    lmbi_motion_wave *waves;
    bool uses[ROW_COUNT][2]; ///< set by a key or an expression
    // Expressions: a driver program on a skeleton that has one joint an expression.
    lmb_character *outputs;
    lmb_drivers *program;
};

/// The files of motions/, which the build makes part of the library.
extern const lmb_motion_file lmbi_motion_files[];
extern const size_t lmbi_motion_file_count;

/// Sets `out` to all channels at a time, in the motion's own unit. `along` is the position on a chain,
/// 0 to 1, for expressions; `dt_s` as for lmb_drivers_step.
typedef struct lmbi_motion_moment {
    float at, u; ///< time; fraction of the whole motion
    double time_s, dt_s;
    float energy;
} lmbi_motion_moment;
void lmbi_motion_evaluate(const lmb_motion *motion, const lmbi_motion_moment *moment,
                          lmbi_motion_values *out);
/// What the expressions add to a middle channel at a position along its chain.
float lmbi_motion_waves_at(const lmb_motion *motion, const lmbi_motion_moment *moment,
                           lmbi_motion_row row, float along);
/// The value of a track at a time; in a loop of `period` it comes back `travel` further on.
float lmbi_motion_track_at(const lmbi_motion_track *track, float at, float period, float travel);

/// Sets the figure's trunk, arms and legs to the channels over what the base gave.
void lmbi_motion_lay_over(const lmb_motion *motion, const lmbi_motion_values *values,
                          lmbi_figure_state *figure);
/// Rotates the arms outward from the trunk.
void lmbi_figure_spread_arms(lmbi_figure_state *figure, float degrees);
/// Exchanges left and right.
lmbi_figure_state lmbi_figure_mirror(const lmbi_figure_state *figure);

#endif
