/// Twelve points of a body in the picture at evenly spaced time samples, and the two positions in
/// depth that each bone may have.
#ifndef CAPTURE_LIFT_TRAIL_H
#define CAPTURE_LIFT_TRAIL_H

#include "capture/lift.h"

/// Points in pairs, left before right. A limb begins at a shoulder or hip; its next points are two
/// and four indices further.
enum { LMBI_SHOULDER = 0, LMBI_ELBOW = 2, LMBI_WRIST = 4 };
enum { LMBI_HIP = 6, LMBI_KNEE = 8, LMBI_ANKLE = 10, LMBI_TRAIL_POINTS = 12, LMBI_LIMBS = 4 };

/// Limbs: the arms, the legs; left before right.
static inline int lmbi_limb_root(int limb)
{
    return limb < 2 ? LMBI_SHOULDER + limb : LMBI_HIP + limb - 2;
}

typedef struct lmbi_trail {
    lmbi_lifting *lift;
    uint32_t count, step; ///< time samples; frames from one to the next
    /// [count + 1] nonzero where the body jumps between the sample before and this one
    uint8_t *cuts;
    /// [count] ray to each point: its position in camera space is this times its depth; z is -1
    lmb_vec3 (*rays)[LMBI_TRAIL_POINTS];
    bool seen[LMBI_TRAIL_POINTS]; ///< in any sample; a point that is not seen is guessed or missing
    float *depth;                 ///< [count] of the hips, metres
    lmb_vec3 (*points)[LMBI_TRAIL_POINTS]; ///< [count] positions in camera space
    lmb_vec3 rest[LMBI_TRAIL_POINTS];      ///< in the subject at rest
    bool has_depths;                       ///< depths have been solved from bone lengths
    lmb_vec3 up;                           ///< direction in which bodies stand, in camera space
    float trunk[2][2]; ///< mean distance of each shoulder to each hip less that at rest, metres
    /// of the bone that ends at the point; of hips and shoulders: their width, metres
    float length[LMBI_TRAIL_POINTS];
} lmbi_trail;

/// The keypoint of a point.
lmb_keypoint lmbi_trail_keypoint(int point);
/// Samples the smoothed keypoints, interpolates hidden ones, and estimates the hips' depth from the
/// trunk's length. INVALID where neither hips nor shoulders are seen, MEMORY.
lmb_result lmbi_trail_make(lmbi_lifting *lift, uint32_t step, lmbi_trail *trail);
/// Chooses at every sample which hip and which shoulder is nearer. False without memory.
bool lmbi_trail_choose_trunk(lmbi_trail *trail);
/// Chooses the depths of an elbow and a wrist (limb 0 or 1), or of both knees and ankles (2), given
/// the hips and shoulders. False without memory.
bool lmbi_trail_choose_limbs(lmbi_trail *trail, int limb);

/// Cost of a sample's points under a prior over human poses.
float lmbi_trail_prior(const lmbi_trail *trail, uint32_t sample, const lmb_vec3 *points);
/// The two intersections of a ray with a sphere, nearer to the camera first. Where they do not
/// meet, both are the point of the sphere nearest to the ray.
void lmbi_trail_intersect(lmb_vec3 ray, lmb_vec3 center, float length, lmb_vec3 out[2]);

/// Depths of `count` samples from `begin`, of which fixed[0] at the start and fixed[1] at the end
/// do not change.
typedef struct lmbi_depths {
    uint32_t begin, count, fixed[2], iterations;
    double tolerance;                  ///< standard deviation of bone lengths, metres
    float (*depth)[LMBI_TRAIL_POINTS]; ///< [count]
} lmbi_depths;

/// Solves depths along the trail's rays. Returns the cost; negative without memory.
double lmbi_lift_depths(const lmbi_trail *trail, const lmbi_depths *job, lmbi_arena *scratch);
/// Improves depths and signs of all points of the trail. MEMORY.
lmb_result lmbi_lift_flips(lmbi_trail *trail, double tolerance);

/// The pose of a sample's points.
void lmbi_trail_to_pose(const lmbi_trail *trail, uint32_t sample, lmb_transform *pose);
/// Sets a sample's points from a pose.
void lmbi_trail_from_pose(lmbi_trail *trail, uint32_t sample, const lmb_transform *pose);
/// Poses those limbs anew whose points moved away from `before`. Returns how many.
uint32_t lmbi_lift_mirror(lmbi_trail *trail, uint32_t sample, const lmb_vec3 *before,
                          lmb_transform *pose);
/// Solves the poses of all samples together. `first_noise` is the keypoint noise in pixels at the
/// start of annealing. CANCELLED, MEMORY.
lmb_result lmbi_lift_choose_signs(lmbi_trail *trail, double first_noise, lmb_transform *poses);

#endif
