/// Keypoints being lifted to poses.
#ifndef CAPTURE_LIFT_H
#define CAPTURE_LIFT_H

#include "capture/fit.h"

/// One degree of freedom: a turn of a joint about an axis of its parent's frame. The first three of
/// a pose are the root's place, along the model's axes, with joint LMB_NONE.
typedef struct lmbi_pose_freedom {
    int32_t joint;
    lmb_vec3 axis;
    bool lasting;         ///< of the trunk, which keeps its pose while limbs swing
    double rest_weight;   ///< of a squared radian off the usual pose
    double smooth_weight; ///< of a squared change of the step from frame to frame
} lmbi_pose_freedom;

/// A point of the body that a keypoint shows.
typedef struct lmbi_sight {
    int32_t joint; ///< LMB_NONE: the character has none
    lmb_vec3 offset;
    float
        doubt; ///< metres that the place on the body may well be off: nobody knows where a nose is
} lmbi_sight;

/// A point that stands still meanwhile.
typedef struct lmbi_planted_point {
    uint32_t begin, end;
    int32_t joint;
    lmb_vec3 offset, place;
} lmbi_planted_point;

typedef struct lmbi_lifting {
    lmbi_fit_subject subject;
    lmbi_arena *arena;
    const lmb_lift_opts *opts;
    uint32_t frame_count;
    float rate;
    double focal, noise; ///< pixels
    lmb_vec2 *points;    ///< [frame_count][LMB_KEYPOINT_COUNT] from the picture's middle, y down
    float *confidence;
    lmb_vec2
        *tracks; ///< [frame_count][LMB_KEYPOINT_COUNT] the same, smoothed as far as they tremble
    uint32_t exchanged_frames; ///< whose sides were put back
    uint8_t *cuts; ///< [frame_count + 1] whether the body leaps between a frame and the one before
    lmbi_sight sights[LMB_KEYPOINT_COUNT];
    lmbi_pose_freedom *freedoms;
    uint32_t freedom_count;
    lmb_transform *usual;    ///< [joints] the pose that freedoms lean to: arms hanging, knees soft
    uint32_t *first_freedom; ///< [joints] of each joint; UINT32_MAX for none
    lmb_vec3 up;             ///< of bodies that stand, in the camera's space
    double depth_spread;     ///< of that, as a share
    float *depth;            ///< [frame_count] of the hips, as the body's size in the picture says
    float *depths; ///< [frame_count][LMB_KEYPOINT_COUNT] as bones say it; 0: not known; or NULL
    double depths_spread; ///< metres
    lmb_transform *poses; ///< [frame_count][joints] local; the camera is at the origin
    lmbi_planted_point *stands;
    uint32_t stand_count;
    lmb_mat4 *model; ///< [joints]
} lmbi_lifting;

/// What the solver is asked: `count` poses from `first_frame`, `step` frames apart; `fixed` of them
/// are held.
typedef struct lmbi_window {
    uint32_t first_frame, step, count, fixed;
    uint32_t iterations;
    bool smooth;          ///< neighbours pull on each other
    lmb_transform *poses; ///< [count][joints]
} lmbi_window;

/// Joints that move, how far they like to, and what keypoints show. False without memory.
bool lmbi_lift_plan(lmbi_lifting *lift);
/// Sides put right, leaps and smoothed tracks. False without memory.
bool lmbi_lift_track(lmbi_lifting *lift);
/// Levenberg-Marquardt over all poses of a window. Returns the cost; negative without memory.
double lmbi_lift_solve(lmbi_lifting *lift, const lmbi_window *window, lmbi_arena *scratch);
/// Whether the character has the point and any frame shows it.
bool lmbi_lift_sees(const lmbi_lifting *lift, int keypoint);
/// The same over `count` poses `step` frames apart, window after window; the first poses of each
/// are the last of the one before. CANCELLED, MEMORY.
lmb_result lmbi_lift_windows(lmbi_lifting *lift, lmb_transform *poses, uint32_t count,
                             uint32_t step, uint32_t iterations, double *cost);
/// Exact keypoints hold poses where they are: they are taken to be `rough` (pixels) at first, while
/// turns come to change slowly, then better and better.
lmb_result lmbi_lift_anneal(lmbi_lifting *lift, lmb_transform *poses, uint32_t count, uint32_t step,
                            double rough, double *cost);
/// First poses of all frames. INVALID where too little is seen, CANCELLED, MEMORY.
lmb_result lmbi_lift_begin(lmbi_lifting *lift);
/// Runs in which feet stand, from the poses as they are. False without memory.
bool lmbi_lift_contacts(lmbi_lifting *lift, float *floor_height);

/// A point of the model (camera at the origin, looking along -Z) in the picture.
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
