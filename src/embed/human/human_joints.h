/// Places the joints of a humanoid inside a figure.
#ifndef EMBED_HUMAN_HUMAN_JOINTS_H
#define EMBED_HUMAN_HUMAN_JOINTS_H

#include "embed/body_joint.h"
#include "embed/shape/limb_line.h"
#include "limber/embed.h"

/// index distance from a left joint to its right twin
enum { LMBI_ARM_JOINTS = 4, LMBI_LEG_JOINTS = 4 };

/// Number of measurements that the network of a limb sees: limb_networks.c.
enum { LMBI_LIMB_LOOK = 111 };

typedef struct lmbi_human_joints {
    lmb_vec3 at[LMBI_BODY_JOINTS];        ///< in the figure's space
    float confidence[LMBI_BODY_JOINTS];   ///< 0 to 1
    const char *reason[LMBI_BODY_JOINTS]; ///< a static phrase: what the position is based on
    lmb_vec3 head_top, hand_tip[2], toe_tip[2];
    float facing; ///< -1 to 1: below 0 the figure faces backward
    bool crotch_clear, neck_clear, arm_clear[2];
    float crotch;
    float strange;                    ///< how far limbs look from known ones on rings
    float moved;                      ///< farthest that the networks of limbs want to move a joint
    float look[2][2][LMBI_LIMB_LOOK]; ///< arms and legs, left and right, before they were refined
} lmbi_human_joints;

/// Reasons of joints that were guessed.
extern const char lmbi_arm_hidden[], lmbi_arm_missing[];

/// Fills the paths of the figure's voxels. Errors: MEMORY.
lmb_result lmbi_place_human_joints(lmbi_figure *figure, lmbi_human_joints *out, lmb_error *error);

// ---- the parts of the work

typedef struct lmbi_arm {
    lmbi_limb_profile line; ///< from the fingers to the center of the body
    lmb_vec3 root;          ///< where the limb leaves the trunk
    float root_arc;         ///< the same as an arc
    float shoulder_arc;     ///< arc of the shoulder, on the line of the upper arm beyond the root
    float elbow_arc, wrist_arc;
    bool narrow;  ///< the wrist is clearly narrower than the palm
    float radius; ///< of a typical cross-section, assumed round
    bool clear;   ///< the area of the cross-section jumps at the root
} lmbi_arm;

typedef struct lmbi_leg {
    lmbi_limb_profile line; ///< from the toes to the center of the body
    float splay;            ///< largest distance from the mirror plane
    /// the thigh does not hang: joints lie on the line, not on slices
    bool folded;
    float hip_arc; ///< of a folded leg: arc of the hip joint
} lmbi_leg;

typedef struct lmbi_figure_parts {
    const lmbi_figure *f;
    lmbi_arm arms[2]; ///< left, right
    lmbi_leg legs[2];
    float crotch;      ///< height where the legs join
    bool crotch_clear; ///< they are apart below it
    /// crotch is derived from the shoulders, because a skirt hides it or the legs do not part
    bool hidden_legs;
    lmbi_landmarks landmarks; ///< in the figure's space, copied to the other side where mirrored
    float crown;              ///< height of the top of the head: below 1 under a raised hand
    float neck;               ///< height of the narrowest place between shoulders and head
    bool neck_clear;
} lmbi_figure_parts;

void lmbi_find_arm_root(const lmbi_voxel_body *body, lmbi_arm *arm);
/// Removes a held blade or stick from the line of an arm whose root is known.
void lmbi_drop_held_object(lmbi_arm *arm);
void lmbi_place_arm(lmbi_figure_parts *work, int side, lmbi_human_joints *out);
void lmbi_find_crotch(lmbi_figure_parts *work, float shoulder);
/// Whether the legs are folded, as in sitting or squatting, and where their hips are on their lines.
void lmbi_find_folded_legs(lmbi_figure_parts *work);
void lmbi_place_leg(const lmbi_figure_parts *work, int side, lmbi_human_joints *out);
/// The joint and the end of the toes, before a placed ankle.
void lmbi_place_toes(const lmbi_figure_parts *work, int side, lmbi_human_joints *out);
void lmbi_find_neck(lmbi_figure_parts *work, float shoulder);
void lmbi_place_trunk(const lmbi_figure_parts *work, lmbi_human_joints *out);
/// Sum of hints from toes, knees, elbows and hands: lmbi_human_joints.facing.
float lmbi_facing_of_joints(const lmbi_figure_parts *work, const lmbi_human_joints *placed);

// ---- networks that move the placed joints of limbs to where those of bodies with known joints are that look
// alike

/// Measures what the network of a limb sees, of the side whose x is mirrored to be positive:
/// joints [0..8] first, as placed. `limb` is 0 for an arm, 1 for a leg.
void lmbi_limb_look(const lmbi_figure_parts *work, const lmbi_human_joints *placed, int limb,
                    int side, float out[LMBI_LIMB_LOOK]);
/// Moves the joints of the limbs that are not guessed, unless the user gave landmarks. Fills
/// placed->look and placed->moved.
void lmbi_refine_limbs(const lmbi_figure_parts *work, lmbi_human_joints *placed);

// ---- networks that place the joints of limbs whose lines run through rings of the surface

/// Number of measurements that the network of a limb sees; of its outputs: for each of three joints
/// the arc, as a fraction of the line, and the place relative to the point there, in heights.
enum { LMBI_RING_LOOK = 80, LMBI_RING_OUT = 12 };

/// Measures what the network of a limb sees, of the side whose x is mirrored to be positive. `limb`
/// is 0 for an arm, 1 for a leg.
void lmbi_ring_look(const lmbi_figure *figure, int limb, int side, float out[LMBI_RING_LOOK]);
/// Places arms and legs of a traced figure, without toes. Fills out->strange: the root of the mean
/// square of what the networks see, in standard deviations, of the strangest limb.
void lmbi_place_ring_limbs(const lmbi_figure *figure, lmbi_human_joints *out);

#endif
