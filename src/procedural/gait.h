/// Procedural gaits for bodies of two to eight legs.
#ifndef PROCEDURAL_GAIT_H
#define PROCEDURAL_GAIT_H

#include "procedural/figure.h"
#include "procedural/procedural.h"

/// Parameters of a gait. Angles in degrees, lengths in metres for legs of FIGURE_LEG, phases in
/// cycles.
typedef struct lmbi_gait_style {
    const lmbi_key *pitch; ///< of the foot, toes up positive
    int pitch_count;
    float pitch_duty; ///< duty factor that the keys are made for
    float duty[2];    ///< duty factor at the slowest and at the fastest
    float froude[2];  ///< speed over sqrt(g leg), from the slowest to the fastest
    float stride;     ///< k of stride = k leg Fr^0.3
    float offset[8];  ///< phase at which each leg strikes
    float width;      ///< lateral position of a foot; of four legs: as a fraction of that at rest
    float toe_out;
    /// vertical oscillation of the hips, highest at this phase of the half cycle
    float bob, bob_phase;
    /// how far ahead of the hips the foot strikes, as a fraction of the stride
    float ahead;
    float sway, yaw, list, lean;
    float rock, rock_phase; ///< pitch of the trunk once a cycle, nose down at this phase
    float flex;             ///< bending of the spine, a quarter cycle later
    float chest_yaw;
    float arm_swing, arm_middle, elbow, elbow_swing, arm_down, across;
    /// height of the toe joint in mid-swing, and the phase of that in the swing; 0: it stays low
    float lift, lift_back;
    float height[2]; ///< least and largest height of the hips, as fractions of that at rest
} lmbi_gait_style;

/// A foot in its own frame: the origin on the ground below the ankle, the foot along +z.
typedef struct lmbi_gait_foot {
    float ankle_height, toe_height, toe_forward, heel_back;
    float tip;        ///< from the toe joint forward to the end of the foot
    float toe_extent; ///< further extent when the toes point down
    bool heel;        ///< strikes with the heel and rolls over it
    bool rolls;       ///< pitches during stance
    bool stiff;       ///< never pitches
    float yaw;        ///< of the foot at rest, radians
    float roll;       ///< largest rotation over the toes, degrees; 0: no bound
} lmbi_gait_foot;

typedef struct lmbi_gait_leg {
    lmbi_gait_foot foot;
    float length;           ///< thigh plus shin
    lmb_vec3 hip;           ///< at rest, from the mean of all hips
    float lateral, forward; ///< position of the foot's frame relative to the mean of all hips
    float knee;             ///< 1: the knee points forward, -1: backward
    float offset;
    bool front;
    bool raised; ///< the knee is above the body, as a spider's: the leg bends in its plane at rest
} lmbi_gait_leg;

typedef struct lmbi_gait {
    const lmbi_gait_style *style;
    uint32_t leg_count, frame_count; ///< frames of a cycle
    lmbi_gait_leg legs[FIGURE_LEGS];
    float leg_scale;                    ///< leg length over FIGURE_LEG
    float period_s, speed, turn, slope; ///< m/s along the ground, rad/s, radians
    float stride;                       ///< metres a cycle
    float duty;                         ///< fraction of the cycle that a foot is on the ground
    float reach;                        ///< how far ahead of the hips the foot strikes, metres
    float height;                       ///< mean height of the hips over the ground
    float max_height;                   ///< largest allowed height
    float bounce, swing, lift, stride_factor; ///< factors; the last one of the stride
    float hips;                               ///< factor of the hips' yaw and list
    float lean, nod; ///< of trunk and head in addition to the style's, degrees
} lmbi_gait;

#define LMBI_GAIT_REACH 0.995f ///< fraction of the leg's length, so that knees never lock
/// Rotation of a shoulder blade as a fraction of its leg's angle from the vertical.
#define LMBI_BLADE_FRACTION 0.4f

/// The style of a gait, or NULL when bodies with so many legs do not have it.
const lmbi_gait_style *lmbi_gait_style_of(lmb_gait_kind kind, uint32_t leg_count);
/// Range of speeds of a style, m/s, for legs of this length.
void lmbi_gait_speeds(const lmbi_gait_style *style, float leg, float range[2]);
/// Sets up the two legs of the generated humanoid.
void lmbi_gait_init_figure(lmbi_gait *gait, const lmbi_gait_style *style);
/// Sets stride, duty and hip height for a speed; legs, scale, turn, slope and factors are set
/// before.
void lmbi_gait_set_speed(lmbi_gait *gait, const lmbi_gait_style *style, float speed, float rate);
/// Whether a leg's foot is on the ground.
bool lmbi_gait_stands(const lmbi_gait *gait, uint32_t leg, double cycles);
/// The figure `cycles` cycles after the first foot struck.
lmbi_figure_state lmbi_gait_at(const lmbi_gait *gait, double cycles);
lmbi_figure_state lmbi_gait_frame(const lmbi_gait *gait, uint32_t frame, bool in_place);

/// Position of the body on the ground after `time_s`, and its heading, radians to the left.
lmb_vec3 lmbi_gait_path(const lmbi_gait *gait, double time_s, float *heading);
/// Poses one foot: ankle, foot, toes and knee of the figure.
void lmbi_gait_pose_foot(const lmbi_gait *gait, lmbi_figure_state *figure, uint32_t leg,
                         double cycles);

// A gait on a skeleton.

struct lmb_gait {
    const lmb_skeleton *skeleton;
    lmb_gait_body body;
    lmbi_gait gait;
    bool in_place;
    lmb_transform facing_from_model; ///< rotates the model so that the body faces +Z
    lmb_vec3 hips_center;            ///< mean of all hips at rest
    lmb_transform *rest;             ///< [joint_count] model_from_joint at rest
    lmb_transform *model, *local;    ///< [joint_count] scratch
    lmb_quat *rotations;             ///< [joint_count] rotations since rest, in model space
    uint8_t *is_rotated;             ///< [joint_count] nonzero where `rotations` is set
    lmb_allocator allocator;
};

/// Lowers the hips until every planted foot is within reach of its hip.
void lmbi_gait_lower_hips(lmb_gait *g);

/// Prepares to read the vertices of an instance: sets its skin, NULL without one, and fills the
/// skin's palette. False where a skin has no weights.
static inline bool lmbi_gait_bind(const lmb_character *character, const lmb_instance *instance,
                                  const lmb_mat4 *model, lmb_mat4 *palette, const lmb_skin **skin)
{
    *skin = instance->skin >= 0 ? character->skins[instance->skin] : NULL;
    if (*skin != NULL && character->meshes[instance->mesh]->influences.first == NULL) {
        return false;
    }
    if (*skin != NULL) {
        lmb_skin_palette(*skin, model, palette);
    }
    return true;
}

#endif
