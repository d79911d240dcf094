/// Twelve points of a body in the picture at moments evenly apart, and the two places that each
/// bone may have in depth.
#ifndef CAPTURE_LIFT_TRAIL_H
#define CAPTURE_LIFT_TRAIL_H

#include "capture/lift.h"

/// Points by pairs, left before right. A limb begins at a shoulder or a hip; its next points lie
/// two and four further.
enum { LMBI_SHOULDER = 0, LMBI_ELBOW = 2, LMBI_WRIST = 4 };
enum { LMBI_HIP = 6, LMBI_KNEE = 8, LMBI_ANKLE = 10, LMBI_TRAIL_POINTS = 12, LMBI_LIMBS = 4 };

/// Limbs: the arms, the legs; left before right.
static inline int lmbi_limb_root(int limb)
{
    return limb < 2 ? LMBI_SHOULDER + limb : LMBI_HIP + limb - 2;
}

typedef struct lmbi_trail {
    lmbi_lifting *lift;
    uint32_t count, step; ///< moments; frames from one to the next
    uint8_t *cuts; ///< [count + 1] whether the body leaps between a moment and the one before
    /// [count] where each point is seen: camera_from_point is this times the depth, z is -1
    lmb_vec3 (*rays)[LMBI_TRAIL_POINTS];
    bool seen[LMBI_TRAIL_POINTS];          ///< at any moment; else guessed, or not there
    float *depth;                          ///< [count] of the hips
    lmb_vec3 (*points)[LMBI_TRAIL_POINTS]; ///< [count] in the camera's space
    lmb_vec3 rest[LMBI_TRAIL_POINTS];      ///< in the subject at rest
    bool deep;                             ///< depths are settled by bones
    lmb_vec3 up;                           ///< where bodies stand to, in the camera's space
    float trunk[2][2]; ///< metres that each shoulder is farther from each hip than at rest
    float length[LMBI_TRAIL_POINTS]; ///< of the bone that ends at the point; of hips: across
} lmbi_trail;

/// The keypoint of a point.
lmb_keypoint lmbi_trail_keypoint(int point);
/// Keypoints averaged about each moment, what is hidden led over; the depth from the trunk's
/// length. INVALID where neither hips nor shoulders are seen, MEMORY.
lmb_result lmbi_trail_make(lmbi_lifting *lift, uint32_t step, lmbi_trail *trail);
/// The place of the hips and shoulders at every moment: which side is nearer. False without memory.
bool lmbi_trail_trunk(lmbi_trail *trail);
/// The places of an elbow and a wrist (limb 0 or 1), or of both knees and ankles (2), from the hips
/// and shoulders. False without memory.
bool lmbi_trail_limbs(lmbi_trail *trail, int limb);

/// What a moment's points cost by what bodies prefer: joints that bend the way they go.
float lmbi_trail_habit(const lmbi_trail *trail, uint32_t moment, const lmb_vec3 *points);
/// The two points of a ray at a distance from a place, nearer to the camera first; both the nearest
/// point's direction where the ray does not come that close.
void lmbi_trail_meet(lmb_vec3 ray, lmb_vec3 place, float length, lmb_vec3 out[2]);

/// Depths of `count` moments from `begin`; `fixed` of them are held at the begin and at the end.
typedef struct lmbi_depths {
    uint32_t begin, count, fixed[2], iterations;
    double tolerance;                  ///< metres that bones may be longer or shorter
    float (*depth)[LMBI_TRAIL_POINTS]; ///< [count]
} lmbi_depths;

/// Levenberg-Marquardt on depths along the trail's rays. Returns the cost; negative without memory.
double lmbi_lift_depths(const lmbi_trail *trail, const lmbi_depths *job, lmbi_arena *scratch);
/// Better depths and signs for all of the trail's points, from those that they have. MEMORY.
lmb_result lmbi_lift_flips(lmbi_trail *trail, double tolerance);

/// A moment's points as a pose.
void lmbi_lift_pose(const lmbi_trail *trail, uint32_t moment, lmb_transform *pose);
/// A moment's points taken from a pose.
void lmbi_lift_points(lmbi_trail *trail, uint32_t moment, const lmb_transform *pose);
/// Poses the limbs again that are not where the pose had them (`was`). Returns how many.
uint32_t lmbi_lift_mirror(lmbi_trail *trail, uint32_t moment, const lmb_vec3 *was,
                          lmb_transform *pose);
/// Poses of the trail's moments, solved together. `rough`: pixels that keypoints may be off at first.
/// CANCELLED, MEMORY.
lmb_result lmbi_lift_rounds(lmbi_trail *trail, double rough, lmb_transform *poses);

#endif
