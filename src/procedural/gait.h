/// Gaits by rule, for bodies of two to eight legs.
#ifndef PROCEDURAL_GAIT_H
#define PROCEDURAL_GAIT_H

#include "procedural/curve.h"
#include "procedural/figure.h"

/// What differs between gaits. Angles in degrees, lengths in metres for legs of FIGURE_LEG, phases
/// in cycles.
typedef struct lmbi_gait_style {
    const lmbi_key *pitch; ///< of the foot, toes up
    int pitch_count;
    float pitch_duty; ///< the duty that the keys are made for
    float duty[2];    ///< at the slowest and at the fastest
    float froude[2];  ///< speed over sqrt(g leg), from the slowest to the fastest
    float stride;     ///< k of stride = k leg Fr^0.3
    float offset[8];  ///< when each leg strikes
    float width;      ///< of a foot from the middle line; of four legs: share of the rest's
    float toe_out;
    float bob, bob_phase; ///< the hips' rise and fall, highest at this phase of the half cycle
    float ahead;          ///< of a stride: how far before the hips the foot comes down
    float sway, yaw, list, lean;
    float rock, rock_phase; ///< of the whole trunk once a cycle, nose down at this phase
    float flex;             ///< of the spine with it
    float chest_yaw;
    float arm_swing, arm_middle, elbow, elbow_swing, arm_down, across;
    /// of the toe joint in the middle of the swing, and where that is between the ends; 0: it stays
    /// low
    float lift, lift_back;
    float height[2]; ///< of the hips against the rest, at least and at most
} lmbi_gait_style;

/// A foot in a frame of its own: the origin on the ground below the ankle, the foot along +z.
typedef struct lmbi_gait_foot {
    float ankle_height, toe_height, toe_forward, heel_back;
    float tip;    ///< from the toe joint forward to where the foot ends
    float beyond; ///< and how much farther where the toes point down
    bool heel;    ///< strikes with the heel and rolls over it
    bool rolls;   ///< pitches while it stands
    bool stiff;   ///< never pitches
    float yaw;    ///< of the foot at rest, radians
    float roll;   ///< the farthest that it turns over its toes, degrees; 0: no bound
} lmbi_gait_foot;

typedef struct lmbi_gait_leg {
    lmbi_gait_foot foot;
    float length;       ///< of thigh and shin
    lmb_vec3 hip;       ///< at rest, from the middle of all hips
    float aside, along; ///< where the foot's frame stands, from that middle
    float knee;         ///< the knee points forward: 1, or back: -1
    float offset;
    bool front;
    bool raised; ///< the knee is over the body, as a spider's: the leg bends as it does at rest
} lmbi_gait_leg;

typedef struct lmbi_gait {
    const lmbi_gait_style *style;
    uint32_t leg_count, frame_count; ///< frames of a cycle
    lmbi_gait_leg legs[FIGURE_LEGS];
    float unit;                         ///< the legs against FIGURE_LEG
    float period_s, speed, turn, slope; ///< m/s along the ground, rad/s, radians
    float stride;                       ///< way of a cycle
    float duty;                         ///< share of the cycle that a foot is on the ground
    float reach;                        ///< how far before the hips the foot comes down
    float height;                       ///< of the hips over the ground, without their bob
    float most;                         ///< what the height may be
    float bounce, swing, lift, pace;    ///< factors; the last of the stride
    float hips;                         ///< a factor of turns and lists
    float lean, nod;                    ///< of trunk and head beyond the style's, degrees
} lmbi_gait;

#define LMBI_GAIT_REACH 0.995f ///< of the leg: knees never lock
/// A shoulder blade turns by this share of the angle that its leg makes with the vertical.
#define LMBI_BLADE_SHARE 0.4f

/// The style of a gait, or NULL when bodies of so many legs have none.
const lmbi_gait_style *lmbi_gait_style_of(lmb_gait_kind kind, uint32_t leg_count);
/// The speeds that a style is made for, in m/s, of legs of this length.
void lmbi_gait_speeds(const lmbi_gait_style *style, float leg, float range[2]);
/// The two legs of the made humanoid.
void lmbi_gait_figure(lmbi_gait *gait, const lmbi_gait_style *style);
/// Stride, duty and height for a speed; legs, unit, turn, slope and factors are set before.
void lmbi_gait_begin(lmbi_gait *gait, const lmbi_gait_style *style, float speed, float rate);
/// Whether a leg's foot is on the ground.
bool lmbi_gait_stands(const lmbi_gait *gait, uint32_t leg, double cycles);
/// The moment `cycles` cycles after the first foot struck.
lmbi_figure_state lmbi_gait_at(const lmbi_gait *gait, double cycles);
lmbi_figure_state lmbi_gait_frame(const lmbi_gait *gait, uint32_t frame, bool in_place);

/// Where the body is after `time_s`, on the ground, and where it heads, radians to the left.
lmb_vec3 lmbi_gait_way(const lmbi_gait *gait, double time_s, float *heading);
/// One foot at a moment: ankle, foot, toes and knee of the figure.
void lmbi_gait_step(const lmbi_gait *gait, lmbi_figure_state *figure, uint32_t leg, double cycles);

#endif
