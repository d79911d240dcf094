/// Kernels of skinning with centres of rotation, for runs of blocks of 16 lanes and of 8.
#ifndef SKIN_CENTER_KERNELS_H
#define SKIN_CENTER_KERNELS_H

#include "skin/linear_kernels.h"

/// One chunk of a job.
typedef struct lmbi_center_pass {
    lmbi_linear_pass linear;   ///< palette: rigid transforms
    const lmb_quat *rotations; ///< [joint_count]
    const uint8_t *centers;    ///< of the chunk's first vertex; NULL: those stored in the binding
} lmbi_center_pass;

typedef struct lmbi_center_kernels {
    /// `count` runs of one width and block size, see lmbi_runs_alike.
    void (*run)(const lmbi_center_pass *pass, const lmbi_skin_run *runs, uint32_t count);
} lmbi_center_kernels;
LMBI_FUSED_KERNELS(lmbi_center_kernels, lmbi_center)      ///< runs of blocks of 16
LMBI_FUSED_KERNELS(lmbi_center_kernels, lmbi_center_half) ///< runs of one block of 8

typedef struct lmbi_center_loose_kernels {
    void (*run)(const lmbi_center_pass *pass, const lmbi_loose_run *run);
} lmbi_center_loose_kernels;
LMBI_FUSED_KERNELS(lmbi_center_loose_kernels, lmbi_center_loose)

#endif
