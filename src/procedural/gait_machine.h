/// A gait on a skeleton.
#ifndef PROCEDURAL_GAIT_MACHINE_H
#define PROCEDURAL_GAIT_MACHINE_H

#include "procedural/gait.h"

struct lmb_gait {
    const lmb_skeleton *skeleton;
    lmb_gait_body body;
    lmbi_gait gait;
    bool in_place;
    lmb_transform home;           ///< from the model to where the body faces +Z
    lmb_vec3 middle;              ///< of all hips, at rest
    lmb_transform *rest;          ///< [joint_count] model_from_joint at rest
    lmb_transform *model, *local; ///< [joint_count] scratch
    lmb_quat *turns;              ///< [joint_count] since rest, in the model
    uint8_t *turned;              ///< [joint_count] whether `turns` says something
    lmb_allocator allocator;
};

/// Lowers the hips until every foot that stands is in reach of its hip as the spine carries it.
void lmbi_gait_settle(lmb_gait *g);

#endif
