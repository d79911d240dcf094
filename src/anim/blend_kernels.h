#ifndef ANIM_BLEND_KERNELS_H
#define ANIM_BLEND_KERNELS_H

#include "limber/anim.h"
#include "simd/kernels.h"

typedef struct lmbi_blend_kernels {
    void (*blend)(const lmb_blend_job *job, float threshold);
} lmbi_blend_kernels;
LMBI_FUSED_KERNELS(lmbi_blend_kernels, lmbi_blend)

#endif
