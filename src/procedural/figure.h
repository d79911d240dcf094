/// The generated humanoid: a skeleton of 1.75 m, posed by rotations since the T-pose, with legs
/// solved from its feet.
#ifndef PROCEDURAL_FIGURE_H
#define PROCEDURAL_FIGURE_H

#include "limber/procedural.h"

enum { FIGURE_FINGERS = 5, FIGURE_HAND_JOINTS = 3 * FIGURE_FINGERS };

typedef enum lmbi_figure_joint {
    FIGURE_HIPS = 0,
    FIGURE_SPINE,
    FIGURE_CHEST,
    FIGURE_UPPER_CHEST,
    FIGURE_NECK,
    FIGURE_HEAD,
    FIGURE_LEFT_UPPER_LEG, ///< lower leg, foot, toes follow; then the right leg
    FIGURE_RIGHT_UPPER_LEG = FIGURE_LEFT_UPPER_LEG + 4,
    /// upper arm, lower arm, hand follow; then the right arm
    FIGURE_LEFT_SHOULDER = FIGURE_RIGHT_UPPER_LEG + 4,
    FIGURE_RIGHT_SHOULDER = FIGURE_LEFT_SHOULDER + 4,
    FIGURE_BODY_JOINTS = FIGURE_RIGHT_SHOULDER + 4,
    FIGURE_LEFT_FINGERS = FIGURE_BODY_JOINTS,
    FIGURE_RIGHT_FINGERS = FIGURE_LEFT_FINGERS + FIGURE_HAND_JOINTS,
    FIGURE_JOINTS = FIGURE_RIGHT_FINGERS + FIGURE_HAND_JOINTS,
} lmbi_figure_joint;

#define FIGURE_ANKLE_HEIGHT 0.085f
#define FIGURE_TOE_HEIGHT 0.020f  ///< height of the toe joint with the foot flat
#define FIGURE_TOE_FORWARD 0.135f ///< from ankle to toe joint
#define FIGURE_HEEL_BACK 0.045f   ///< from ankle to the heel's contact
#define FIGURE_HIP_HEIGHT 0.925f  ///< height of the hip joints, standing
#define FIGURE_LEG (FIGURE_HIP_HEIGHT - FIGURE_ANKLE_HEIGHT)
#define FIGURE_ARM 0.53f       ///< shoulder to wrist
#define FIGURE_HIP_WIDTH 0.09f ///< distance of a hip joint from the middle

#define FIGURE_CURL_AT_EASE 0.35f ///< finger curl of a relaxed hand

#define FIGURE_LEGS 8

/// A pose. Rotations are in model space, since the T-pose for arms and since the rest pose
/// otherwise; legs are solved from the feet. Index 0 is left; the generated humanoid has two legs.
typedef struct lmbi_figure_state {
    lmb_vec3 hips; ///< midpoint of the hip joints
    lmb_quat pelvis, chest, head;
    lmb_quat shoulder[2], upper_arm[2], lower_arm[2], hand[2];
    float curl[2]; ///< of the fingers: 0 flat, 1 a fist
    lmb_vec3 ankle[FIGURE_LEGS];
    lmb_quat foot[FIGURE_LEGS], toes[FIGURE_LEGS];
    lmb_vec3 knee[FIGURE_LEGS]; ///< direction of the knee
    /// the knee bends about the foot's lateral axis wherever the leg points; else towards `knee`
    bool hinged_leg[2];
    float free_leg[2]; ///< weight of these over the solved leg: 0 on planted feet
    lmb_quat thigh[2], shin[2];
} lmbi_figure_state;

/// Rotations about the axes, in degrees: x pitches forward, y to the left, z raises the left side.
lmb_quat lmbi_rotation_x(float degrees);
lmb_quat lmbi_rotation_y(float degrees);
lmb_quat lmbi_rotation_z(float degrees);

/// Standing relaxed on both feet, arms hanging.
lmbi_figure_state lmbi_figure_stand(void);
/// Poses an arm from the T-pose: `down` from level, then `forward`, then the bent elbow and the
/// forearm `across` the body. Degrees. `body` is the rotation of what carries the arm.
void lmbi_figure_arm(lmbi_figure_state *figure, int side, lmb_quat body, float down, float forward,
                     float elbow, float across);
/// Poses a foot by its toe joint on the ground, its pitch (degrees, toes up) and yaw. The toes lie
/// flat while the heel is up.
void lmbi_figure_foot(lmbi_figure_state *figure, int side, lmb_vec3 toe, float pitch, float yaw);
/// Local transforms, [FIGURE_JOINTS].
void lmbi_figure_pose(const lmbi_figure_state *figure, lmb_transform *local);
/// model_from_joint, [FIGURE_JOINTS].
void lmbi_figure_place(const lmbi_figure_state *figure, lmb_transform *model);

typedef struct lmbi_figure_bone {
    const char *side, *name; ///< the joint's name is both joined; side is "" for body joints
    lmb_vec3 at;             ///< position in the T-pose
    lmb_vec3 tip;            ///< of leaves: offset from the joint
} lmbi_figure_bone;

lmbi_figure_bone lmbi_figure_bone_of(int joint);
/// LMB_NONE for the hips.
int lmbi_figure_parent(int joint);

/// Creates a character with the skeleton and one clip of frame_count + 1 frames, where frame k is
/// make(context, k).
typedef lmbi_figure_state (*lmbi_figure_fn)(const void *context, uint32_t frame);
lmb_result lmbi_figure_character(const char *name, lmbi_figure_fn make, const void *context,
                                 uint32_t frame_count, float rate, const lmb_allocator *alloc,
                                 lmb_character **out, lmb_error *error);

#endif
