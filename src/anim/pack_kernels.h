/// The kernels of the encoder: a lane is a sample.
#ifndef ANIM_PACK_KERNELS_H
#define ANIM_PACK_KERNELS_H

#include "anim/pack.h"
#include "simd/kernels.h"

typedef struct lmbi_pack_kernels {
    /// The model rows of a joint from its local ones and its parent's model rows; a root is moved
    /// by -origin.
    void (*model)(const pack_pose_rows *rows, uint32_t joint, int32_t parent,
                  const lmb_vec3 *origin);
    /// The largest |d| + reach sqrt(share) |D| of a joint over all samples, d being what its place
    /// and D what its axes are off by.
    float (*error)(const pack_pose_rows *decoded, const pack_pose_rows *original, uint32_t joint,
                   float reach, float fraction);
} lmbi_pack_kernels;

LMBI_KERNELS(lmbi_pack_kernels, lmbi_pack)

#endif
