/// The working state of placing feet: four points over time, what they shall do, and the steps.
#ifndef RETARGET_FOOTWORK_H
#define RETARGET_FOOTWORK_H

#include "retarget/feet.h"

enum { ANKLE = 0, TOE = 1, POINTS = 2 };

/// One of the four points over time.
typedef struct lmbi_foot_point {
    lmb_vec3 *came; ///< [frame] where it came out
    lmb_vec3 *hold; ///< [frame] where it is held; means nothing where it is not
    bool *held;     ///< [frame]
    float *low;     ///< [frame] in contact: where the floor under it came out
    /// [frame] how far it may go under its floor; at most 0
    float *clearance;
    lmbi_foot_contacts contacts;
    float floor; ///< height when planted
    bool stands; ///< often enough to tell its swings
    /// height where it mostly stands, which steps or a tilted floor may put higher
    float stand;
} lmbi_foot_point;

typedef struct lmbi_foot_limb {
    int32_t upper, lower, foot; ///< driven joints
    int slot;                   ///< of the upper leg
    lmb_vec3 toe;               ///< in the foot joint's frame, model lengths
    float toe_length;
    bool stamps; ///< too steep to roll over its toe: it comes down and leaves flat
    lmbi_foot_point points[POINTS];
    lmb_vec3 *offset; ///< [frame] from where the ankle came out to where it shall be
    lmb_vec3 *turn;   ///< [frame] of the foot in model space, axis times angle
    float *lift;      ///< [frame] of the whole foot, for it to clear the ground
    /// [frame] of a foot that stamps: how much of what it is out of reach it is raised by
    float *raise;
    uint32_t *deep; ///< [frame] scratch
    float length;
} lmbi_foot_limb;

typedef struct lmbi_footwork {
    lmbi_transfer *t;
    lmb_transform *model; ///< scratch of one frame
    lmbi_foot_limb legs[2];
    float *sink; ///< [frame] how far the hips are lowered
    float *scratch;
    bool *known; ///< [frame] scratch
    uint32_t frame_count;
    float body_m; ///< a metre on a body of common size, in units of the target
    float snap;   ///< contacts further from the floor than this are on a step of their own
} lmbi_footwork;

static inline float lmbi_smooth(float x)
{
    return x <= 0.0f ? 0.0f : (x >= 1.0f ? 1.0f : x * x * (3.0f - 2.0f * x));
}

/// Where the ankle is in feet->model.
static inline lmb_vec3 lmbi_feet_ankle(const lmbi_footwork *feet, const lmbi_foot_limb *leg)
{
    return feet->model[feet->t->driven[leg->foot].joint].translation;
}

/// Recordings drift up and down by some centimetres: the hips follow the contacts slowly, so that
/// legs need not.
void lmbi_feet_level(lmbi_footwork *feet);
/// The height that most contacts hold a point at. Where nothing is put on the floor, the lowest of
/// them is the floor.
void lmbi_feet_find_stand(lmbi_footwork *feet, lmbi_foot_point *p, bool lock);

/// Where and when the points of a leg are held: from its contacts, a flat foot as long as it is.
void lmbi_feet_hold(lmbi_footwork *feet, lmbi_foot_limb *leg);
/// Whether a foot of a body, with that toe in its joint's frame, is too steep to roll over it.
bool lmbi_foot_stamps(const lmbi_humanoid *body, int slot, lmb_vec3 toe);
/// Of a foot that stamps: its toe stands as long as its ankle, unless it stands on the toe alone
/// for long.
void lmbi_feet_stamp(const lmbi_footwork *feet, lmbi_foot_limb *leg);
/// Lets it come down on its place and leave it straight, as it stands there, from a swing's height.
void lmbi_feet_rise(lmbi_footwork *feet, lmbi_foot_limb *leg);
/// The ankle's offset and the foot's turn in every frame: as held, and from one hold to the next
/// without a jump of place or speed.
void lmbi_feet_find_goals(lmbi_footwork *feet, lmbi_foot_limb *leg);
/// From ankle to toe as it came out.
static inline lmb_vec3 lmbi_foot_bone(const lmbi_foot_limb *leg, uint32_t f)
{
    return lmb_vec3_sub(leg->points[TOE].came[f], leg->points[ANKLE].came[f]);
}
static inline lmb_vec3 lmbi_foot_ankle_goal(const lmbi_foot_limb *leg, uint32_t f)
{
    return lmb_vec3_add(leg->points[ANKLE].came[f], leg->offset[f]);
}

/// How far a foot has to rise in each frame to go by over the ground. False when out of memory.
bool lmbi_feet_find_lifts(lmbi_footwork *feet, lmbi_foot_limb *leg, lmbi_arena *arena);

/// How far the hips have to sink for legs to reach what they hold.
void lmbi_feet_find_sink(lmbi_footwork *feet);
/// Turns the leg's joints so that the foot is at its goal; how far it was moved.
float lmbi_feet_solve_leg(lmbi_footwork *feet, const lmbi_foot_limb *leg, uint32_t f);

#endif
