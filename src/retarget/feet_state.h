/// State of foot placement: ankle and toe of both feet over time, and the steps in order.
#ifndef RETARGET_FEET_STATE_H
#define RETARGET_FEET_STATE_H

#include "retarget/feet.h"
#include "retarget/sole.h"

enum { ANKLE = 0, TOE = 1, POINTS = 2 };

/// Ankle or toe of one foot over time.
typedef struct lmbi_foot_point {
    lmb_vec3 *path;          ///< [frame] position before locking
    lmb_vec3 *lock_position; ///< [frame] locked position; undefined where not locked
    bool *locked;            ///< [frame] locked
    float *low;              ///< [frame] height of the floor below a contact, before locking
    /// [frame] lowest allowed height relative to the floor; at most 0
    float *clearance;
    lmbi_foot_contacts contacts;
    float floor;     ///< height of the point when the foot is flat
    bool has_stance; ///< stands often enough for `stance_height` to be reliable
    /// usual height of a contact; above the floor on steps or a tilted ground
    float stance_height;
} lmbi_foot_point;

typedef struct lmbi_foot_limb {
    int32_t upper, lower, foot; ///< driven joints
    int32_t toes;               ///< driven joint, or LMB_NONE
    int bone;                   ///< human bone of the upper leg
    lmb_vec3 toe;               ///< in the foot joint's local space, model lengths
    float toe_length;
    bool is_steep; ///< too steep to roll over its toe: lands and lifts vertically
    lmbi_foot_point points[POINTS];
    lmb_vec3 *offset;   ///< [frame] correction of the ankle's position
    lmb_vec3 *rotation; ///< [frame] correction of the foot's rotation: model-space rotation vector
    float *lift;        ///< [frame] vertical offset of the foot for ground clearance
    /// [frame] of a steep foot: weight of raising an out-of-reach foot
    float *raise;
    uint32_t *scratch_depth; ///< [frame] scratch
    float length;
    lmbi_sole sole;     ///< of what follows the foot joint; empty without a skin
    lmbi_sole toe_sole; ///< of what follows the driven toes
    lmb_vec3 toe_hinge; ///< the axis that they bend about, to the left, in their local space
    float ground;       ///< height of the ground under the sole
} lmbi_foot_limb;

typedef struct lmbi_feet_state {
    lmbi_transfer *t;
    lmb_transform *model; ///< scratch of one frame
    lmbi_foot_limb legs[2];
    float *sink; ///< [frame] how far the hips are lowered
    float *scratch, *scratch_lift;
    bool *known; ///< [frame] scratch
    uint32_t frame_count;
    float body_m; ///< length of a metre on a body of common size, in units of the target
    float snap;   ///< contacts farther above the floor stand on a step
} lmbi_feet_state;

/// Position of the ankle in feet->model.
static inline lmb_vec3 lmbi_feet_ankle(const lmbi_feet_state *feet, const lmbi_foot_limb *leg)
{
    return feet->model[feet->t->driven[leg->foot].joint].translation;
}

/// Locks the points of a leg during contacts; a foot locked at both keeps its length.
void lmbi_feet_lock(lmbi_feet_state *feet, lmbi_foot_limb *leg);
/// Whether a foot whose toe is at `toe` in its joint's local space is too steep to roll over it.
bool lmbi_foot_is_steep(const lmbi_humanoid *body, int bone, lmb_vec3 toe);
/// For a steep foot: cuts the toe's contacts to the ankle's, unless it stands on the toe alone for
/// long.
void lmbi_feet_trim_toes(const lmbi_feet_state *feet, lmbi_foot_limb *leg);
/// For a steep foot: adds vertical landings and lifts around each stance.
void lmbi_feet_add_vertical_steps(lmbi_feet_state *feet, lmbi_foot_limb *leg);
/// The ankle's offset and the foot's rotation in every frame, continuous in position and velocity
/// between locks.
void lmbi_feet_find_goals(lmbi_feet_state *feet, lmbi_foot_limb *leg);
/// From ankle to toe, before locking.
static inline lmb_vec3 lmbi_foot_bone(const lmbi_foot_limb *leg, uint32_t f)
{
    return lmb_vec3_sub(leg->points[TOE].path[f], leg->points[ANKLE].path[f]);
}
static inline lmb_vec3 lmbi_foot_ankle_goal(const lmbi_foot_limb *leg, uint32_t f)
{
    return lmb_vec3_add(leg->points[ANKLE].path[f], leg->offset[f]);
}

/// Vertical offset of the foot in each frame for ground clearance. False when out of memory.
bool lmbi_feet_find_lifts(lmbi_feet_state *feet, lmbi_foot_limb *leg, lmbi_arena *arena);

/// Measures the soles of a body with a skin. False when out of memory.
bool lmbi_feet_measure_soles(lmbi_feet_state *feet, lmbi_arena *arena);
/// Raises the lift where the sole would be in the ground.
void lmbi_feet_raise_soles(lmbi_feet_state *feet, lmbi_foot_limb *leg);
/// The rotation of toes, bent up until none of their skin is in the ground. `joint`: the position of
/// their joint.
lmb_quat lmbi_feet_flex_toes(const lmbi_foot_limb *leg, lmb_vec3 joint, lmb_quat rotation);

/// Vertical offset of the hips that brings locked feet within reach.
void lmbi_feet_find_sink(lmbi_feet_state *feet);
/// Solves the leg's IK for a frame; returns the length of the ankle's correction.
float lmbi_feet_solve_leg(lmbi_feet_state *feet, const lmbi_foot_limb *leg, uint32_t f);

#endif
