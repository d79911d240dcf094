/// Quantities that are constant over a recording: bone lengths, and offsets of markers.
#ifndef CAPTURE_FIT_CALIBRATE_H
#define CAPTURE_FIT_CALIBRATE_H

#include "capture/fit.h"

typedef enum lmbi_constant_kind {
    CONSTANT_LENGTHS,  ///< one factor on the bone lengths of a group of joints
    CONSTANT_POSITION, ///< a joint's position in its parent's frame: three numbers
    CONSTANT_OFFSET,   ///< a marker's position in its joint's frame: three numbers
} lmbi_constant_kind;

typedef struct lmbi_constant {
    lmbi_constant_kind kind;
    uint32_t subject; ///< group, joint or marker
    uint32_t column;
    lmb_vec3 initial; ///< initial position or offset
} lmbi_constant;

typedef struct lmbi_calibration {
    lmbi_fitting *fit;
    uint32_t *frames, frame_count; ///< frames used for the calibration
    lmb_transform *poses;          ///< [frame_count][joints]
    lmbi_constant *constants;
    uint32_t constant_count, columns;
    int32_t *group_of;    ///< [joints] or LMB_NONE
    int32_t *position_of; ///< [joints] index in constants or LMB_NONE
    int32_t *offset_of;   ///< [points]
    double *factor;       ///< [groups] present over initial length
    uint32_t group_count;
    uint32_t dof_count;      ///< degrees of freedom of a pose
    uint32_t *dof_of;        ///< [joints] first column of the joint's rotation
    lmb_vec3 *initial;       ///< [joints] initial translations
    float error_scale;       ///< metres beyond which a point counts less (Geman and McClure)
    double noise;            ///< present standard deviation of the points, metres
    double squares, weights; ///< sums over all points
    // the normal equations: of poses (a), mixed (b), of constants (c)
    double *a, *b, *c, *x, *rhs, *row_pose, *row_constant;
} lmbi_calibration;

/// One Gauss-Newton step on the constants, with the poses eliminated. `largest` gets the largest
/// change in metres. False where the equations are singular.
bool lmbi_calibration_step(lmbi_calibration *cal, float *largest);

#endif
