/// Kernels of forward kinematics: local poses to model-space matrices.
#ifndef ASSET_MODEL_KERNELS_H
#define ASSET_MODEL_KERNELS_H

#include "limber/asset.h"
#include "simd/kernels.h"

typedef struct lmbi_model_one_kernels {
    /// `root` may be NULL.
    void (*one)(const lmb_skeleton *skeleton, const lmb_transform *local, const lmb_mat4 *root,
                lmb_mat4 *model_from_joint);
} lmbi_model_one_kernels;

typedef struct lmbi_model_kernels {
    uint32_t lanes; ///< poses per call of `many`, which is NULL if this is 1
    /// Converts the next `lanes` poses of the job. Roots and joint_from_bind must be affine, or NULL.
    void (*many)(const lmb_pose_to_model_job *job);
} lmbi_model_kernels;

LMBI_KERNELS(lmbi_model_one_kernels, lmbi_model_one)
LMBI_KERNELS(lmbi_model_kernels, lmbi_model)

#endif
