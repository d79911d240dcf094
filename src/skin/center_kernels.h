/// The inner loops of skinning about centres of rotation, for the blocks of 16 lanes and for those
/// of 8.
#ifndef SKIN_CENTER_KERNELS_H
#define SKIN_CENTER_KERNELS_H

#include "skin/linear_kernels.h"

/// One chunk of a job.
typedef struct lmbi_center_pass {
    lmbi_linear_pass linear;   ///< palette: rigid
    const lmb_quat *rotations; ///< [joint_count]
    const uint8_t *centers;    ///< of the chunk's first vertex; NULL: those kept in the binding
} lmbi_center_pass;

typedef struct lmbi_center_kernels {
    void (*run)(const lmbi_center_pass *pass, const lmbi_skin_run *run);
} lmbi_center_kernels;
LMBI_FUSED_KERNELS(lmbi_center_kernels, lmbi_center)      ///< the blocks of 16 of a run
LMBI_FUSED_KERNELS(lmbi_center_kernels, lmbi_center_half) ///< the block of 8 at its end, if any

typedef struct lmbi_center_loose_kernels {
    void (*run)(const lmbi_center_pass *pass, const lmbi_loose_run *run);
} lmbi_center_loose_kernels;
LMBI_FUSED_KERNELS(lmbi_center_loose_kernels, lmbi_center_loose)

#endif
