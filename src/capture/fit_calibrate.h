/// What is constant over a recording: the lengths of bones, and where markers sit.
#ifndef CAPTURE_FIT_CALIBRATE_H
#define CAPTURE_FIT_CALIBRATE_H

#include "capture/fit.h"

typedef enum lmbi_constant_kind {
    CONSTANT_LENGTHS, ///< a factor on the lengths of a group of joints
    CONSTANT_PLACE,   ///< a joint's place in its parent: three numbers
    CONSTANT_OFFSET,  ///< a marker's place on its joint: three numbers
} lmbi_constant_kind;

typedef struct lmbi_constant {
    lmbi_constant_kind kind;
    uint32_t subject; ///< group, joint or marker
    uint32_t column;
    lmb_vec3 first; ///< what a place or an offset was at the start
} lmbi_constant;

typedef struct lmbi_calibration {
    lmbi_fitting *fit;
    uint32_t *frames, frame_count; ///< those that are looked at
    lmb_transform *poses;          ///< [frame_count][joints]
    lmbi_constant *constants;
    uint32_t constant_count, columns;
    int32_t *group_of;  ///< [joints] or LMB_NONE
    int32_t *place_of;  ///< [joints] index in constants or LMB_NONE
    int32_t *offset_of; ///< [points]
    double *factor;     ///< [groups] the length now over that at the start
    uint32_t group_count;
    uint32_t freedoms;       ///< of a pose
    uint32_t *freedom_of;    ///< [joints] first column of its turns
    lmb_vec3 *start;         ///< [joints] translations at the start
    float error_scale;       ///< beyond which a point counts less (Geman and McClure)
    double noise;            ///< metres: how far points are from the poses at present
    double squares, weights; ///< of all points' errors
    // the normal equations: poses, both, constants
    double *a, *b, *c, *x, *rhs, *row_pose, *row_constant;
} lmbi_calibration;

/// One step of Gauss-Newton on the constants, the poses eliminated. `largest` gets the largest
/// change in metres. False where the equations cannot be solved.
bool lmbi_calibration_step(lmbi_calibration *cal, float *largest);

#endif
