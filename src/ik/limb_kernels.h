/// Many limbs or aiming joints side by side, one per lane.
#ifndef IK_LIMB_KERNELS_H
#define IK_LIMB_KERNELS_H

#include "limber/ik.h"
#include "simd/kernels.h"

typedef struct lmbi_limb_kernels {
    void (*two_bone)(const lmb_two_bone_batch_job *job);
    void (*aim)(const lmb_aim_batch_job *job);
} lmbi_limb_kernels;

LMBI_KERNELS(lmbi_limb_kernels, lmbi_limb)

#endif
