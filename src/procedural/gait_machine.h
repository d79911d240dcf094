/// A gait on a skeleton.
#ifndef PROCEDURAL_GAIT_MACHINE_H
#define PROCEDURAL_GAIT_MACHINE_H

#include "procedural/gait.h"

struct lmb_gait {
    const lmb_skeleton *skeleton;
    lmb_gait_body body;
    lmbi_gait gait;
    bool in_place;
    lmb_transform facing_from_model; ///< rotates the model so that the body faces +Z
    lmb_vec3 hips_center;            ///< mean of all hips at rest
    lmb_transform *rest;             ///< [joint_count] model_from_joint at rest
    lmb_transform *model, *local;    ///< [joint_count] scratch
    lmb_quat *rotations;             ///< [joint_count] rotations since rest, in model space
    uint8_t *is_rotated;             ///< [joint_count] nonzero where `rotations` is set
    lmb_allocator allocator;
};

/// Lowers the hips until every planted foot is within reach of its hip.
void lmbi_gait_lower_hips(lmb_gait *g);

#endif
