/// Lifting of one camera's keypoints to poses.
#ifndef CAPTURE_LIFT_H
#define CAPTURE_LIFT_H

#include "capture/fit.h"

/// One degree of freedom: a rotation of a joint about an axis in its parent's frame. The first
/// three of a pose are the root's position along the model's axes, with joint LMB_NONE.
typedef struct lmbi_pose_freedom {
    int32_t joint;
    lmb_vec3 axis;
    bool is_trunk;        ///< of a trunk joint, whose prior is not reduced at high frame rates
    double rest_weight;   ///< of the squared angle from the mean pose
    double smooth_weight; ///< of the squared second difference over frames
} lmbi_pose_freedom;

/// The point of the body that a keypoint shows.
typedef struct lmbi_landmark {
    int32_t joint; ///< LMB_NONE: the character has none
    lmb_vec3 offset;
    float spread_m; ///< standard deviation of its position on the body, metres
} lmbi_landmark;

/// A point that stays in place over frames begin to end - 1.
typedef struct lmbi_planted_point {
    uint32_t begin, end;
    int32_t joint;
    lmb_vec3 offset, position;
} lmbi_planted_point;

typedef struct lmbi_lifting {
    lmbi_fit_subject subject;
    lmbi_arena *arena;
    const lmb_lift_opts *opts;
    uint32_t frame_count;
    float rate;
    double focal, noise; ///< pixels
    /// [frame_count][LMB_KEYPOINT_COUNT] relative to the picture's centre, y down
    lmb_vec2 *points;
    float *confidence;
    /// [frame_count][LMB_KEYPOINT_COUNT] the same, smoothed as the noise requires
    lmb_vec2 *tracks;
    uint32_t exchanged_frames; ///< in which left and right were swapped back
    /// [frame_count + 1] nonzero where the body jumps between the frame before and this one
    uint8_t *cuts;
    lmbi_landmark landmarks[LMB_KEYPOINT_COUNT];
    lmbi_pose_freedom *freedoms;
    uint32_t freedom_count;
    /// [joints] mean of the pose prior: arms hanging, knees slightly bent
    lmb_transform *mean_pose;
    /// [joints] index of each joint's first degree of freedom; UINT32_MAX for none
    uint32_t *first_freedom;
    lmb_vec3 up;         ///< direction in which bodies stand, in camera space
    double depth_spread; ///< standard deviation of `depth`, as a fraction of it
    float *depth;        ///< [frame_count] of the hips, metres, from the body's size in the picture
    /// [frame_count][LMB_KEYPOINT_COUNT] solved from bone lengths, metres; 0: unknown; or NULL
    float *joint_depths;
    double joint_depth_spread; ///< metres
    lmb_transform *poses;      ///< [frame_count][joints] local; the camera is at the origin
    lmbi_planted_point *planted;
    uint32_t planted_count;
    lmb_mat4 *model; ///< [joints]
} lmbi_lifting;

/// Part of a motion to solve: `count` poses from `first_frame`, `step` frames apart, of which the
/// first `fixed` do not change.
typedef struct lmbi_window {
    uint32_t first_frame, step, count, fixed;
    uint32_t iterations;
    bool smooth;          ///< adds the smoothness cost between neighbours
    lmb_transform *poses; ///< [count][joints]
} lmbi_window;

/// Sets up degrees of freedom, their priors, and the landmarks. False without memory.
bool lmbi_lift_plan(lmbi_lifting *lift);
/// Swaps exchanged sides back, finds jumps and smooths the tracks. False without memory.
bool lmbi_lift_track(lmbi_lifting *lift);
/// Levenberg-Marquardt over all poses of a window. Returns the cost; negative without memory.
double lmbi_lift_solve(lmbi_lifting *lift, const lmbi_window *window, lmbi_arena *scratch);
/// Whether the character has the keypoint's landmark and any frame shows it.
bool lmbi_lift_is_seen(const lmbi_lifting *lift, int keypoint);
/// Solves `count` poses `step` frames apart in overlapping windows. CANCELLED, MEMORY.
lmb_result lmbi_lift_windows(lmbi_lifting *lift, lmb_transform *poses, uint32_t count,
                             uint32_t step, uint32_t iterations, double *cost);
/// Solves with keypoint noise falling from `first_noise` (pixels) to the measured one: exact
/// keypoints would keep poses in the first local minimum. CANCELLED, MEMORY.
lmb_result lmbi_lift_anneal(lmbi_lifting *lift, lmb_transform *poses, uint32_t count, uint32_t step,
                            double first_noise, double *cost);
/// Finds the poses of all frames, before contacts. INVALID where neither hips nor shoulders are
/// seen, CANCELLED, MEMORY.
lmb_result lmbi_lift_find_poses(lmbi_lifting *lift);
/// Finds when feet are planted on the ground in the present poses. False without memory.
bool lmbi_lift_contacts(lmbi_lifting *lift, float *floor_height);

/// Projects a point of camera space (looking along -Z) into the picture, in pixels from its centre.
/// False at less than 0.05 m from the camera.
static inline bool lmbi_lift_project(const lmbi_lifting *lift, lmb_vec3 p, double *u, double *v)
{
    const double z = -(double)p.z;
    if (!(z > 0.05)) {
        return false;
    }
    *u = lift->focal * (double)p.x / z;
    *v = -lift->focal * (double)p.y / z;
    return true;
}

#endif
