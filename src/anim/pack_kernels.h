/// Kernels of the encoder; a lane is a sample.
#ifndef ANIM_PACK_KERNELS_H
#define ANIM_PACK_KERNELS_H

#include "anim/pack.h"
#include "simd/kernels.h"

/// A field of a joint's local transform, one float a sample.
static inline float *lmbi_pack_local_row(const pack_pose_rows *rows, uint32_t joint, uint32_t field)
{
    return rows->local + ((size_t)joint * PACK_FIELDS + field) * PACK_STRIDE;
}

typedef struct lmbi_pack_kernels {
    /// Model rows of a joint from its local rows and its parent's model rows; `origin` is
    /// subtracted from a root.
    void (*model)(const pack_pose_rows *rows, uint32_t joint, int32_t parent,
                  const lmb_vec3 *origin);
    /// Largest |d| + reach sqrt(fraction) |D| over all samples, where d is the error of the joint's
    /// position and D that of its axes.
    float (*error)(const pack_pose_rows *decoded, const pack_pose_rows *original, uint32_t joint,
                   float reach, float fraction);
} lmbi_pack_kernels;

LMBI_KERNELS(lmbi_pack_kernels, lmbi_pack)

#endif
