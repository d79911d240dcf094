/// Keypoints being lifted to poses.
#ifndef RETARGET_LIFT_H
#define RETARGET_LIFT_H

#include "retarget/fit.h"

/// One degree of freedom: a turn of a joint about an axis of its parent's frame. The first three of
/// a pose are the root's place, along the model's axes, with joint LMB_NONE.
typedef struct lmbi_freedom {
    int32_t joint;
    lmb_vec3 axis;
    double rest_weight;   ///< of a squared radian off the usual pose
    double smooth_weight; ///< of a squared change of the step from frame to frame
} lmbi_freedom;

/// A point of the body that a keypoint shows.
typedef struct lmbi_sight {
    int32_t joint; ///< LMB_NONE: the character has none
    lmb_vec3 offset;
    float
        doubt; ///< metres that the place on the body may well be off: nobody knows where a nose is
} lmbi_sight;

/// A point that stands still meanwhile.
typedef struct lmbi_stand {
    uint32_t begin, end;
    int32_t joint;
    lmb_vec3 offset, place;
} lmbi_stand;

typedef struct lmbi_lifting {
    lmbi_subject subject;
    lmbi_arena *arena;
    const lmb_lift_opts *opts;
    uint32_t frame_count;
    float rate;
    double focal, noise; ///< pixels
    lmb_vec2 *points;    ///< [frame_count][LMB_KEYPOINT_COUNT] from the picture's middle, y down
    float *confidence;
    lmbi_sight sights[LMB_KEYPOINT_COUNT];
    lmbi_freedom *freedoms;
    uint32_t freedom_count;
    lmb_transform *usual;    ///< [joints] the pose that freedoms lean to: arms hanging, knees soft
    uint32_t *first_freedom; ///< [joints] of each joint; UINT32_MAX for none
    lmb_transform *poses;    ///< [frame_count][joints] local; the camera is at the origin
    lmbi_stand *stands;
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
/// Arms that hang; with a stance of 1 or 2 one leg forward, the other back, arms against them.
/// Writes all of `pose` but the root's place, and turns the root by `yaw_rad`. Changes lift->model.
void lmbi_lift_stance(lmbi_lifting *lift, int stance, float yaw_rad, lmb_transform *pose);
/// Arms that hang, swung forward (negative) or back about the body's left. Changes lift->model.
void lmbi_lift_arms(lmbi_lifting *lift, float left_rad, float right_rad, lmb_transform *pose);
/// Levenberg-Marquardt over all poses of a window. Returns the cost; negative without memory.
double lmbi_lift_solve(lmbi_lifting *lift, const lmbi_window *window, lmbi_arena *scratch);
/// First poses of all frames. False without memory.
bool lmbi_lift_begin(lmbi_lifting *lift, lmb_result *result);
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
