/// Values as a function of pose, fitted to examples: which joints drive, and which kernel predicts
/// left-out poses best.
#ifndef AUTHOR_POSE_FIT_H
#define AUTHOR_POSE_FIT_H

#include "base/arena.h"
#include "limber/skin.h"

typedef struct lmbi_pose_examples {
    const lmb_skeleton *skeleton;
    uint32_t count;
    lmb_transform *const *local; ///< [count][joint_count]
    uint32_t driver_count;
    lmb_pose_driver *drivers;
    uint32_t width;
    const double *values; ///< [count][width]; at rest all are 0
    const double *sizes;  ///< [width] what a squared error of a value counts
} lmbi_pose_examples;

/// Fills the drivers: joints that rotate in the examples, each by how much it bends (bend[joint_count],
/// which is changed). Errors: INVALID for none; MEMORY.
lmb_result lmbi_pose_drivers(lmbi_pose_examples *x, double *bend, lmbi_arena *arena,
                             lmb_error *error);
/// Numbers of the examples whose drivers are not as at rest or in an example before: kept[count].
/// Returns how many.
uint32_t lmbi_pose_examples_differ(const lmbi_pose_examples *x, uint32_t *kept);
/// Interpolates rest and the examples that differ; `def` gets what was interpolated, in the arena. Errors: those of lmb_pose_space_create.
lmb_result lmbi_pose_fit(const lmbi_pose_examples *x, lmbi_arena *arena, lmb_pose_space **out,
                         lmb_pose_space_def *def, lmb_error *error);

#endif
