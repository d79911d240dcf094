/// Shared by foot planting (plant.c) and foot holding (hold.c).
#ifndef IK_FEET_H
#define IK_FEET_H

#include "limber/ik.h"

/// Moves a joint and everything below it up by `by` in model space; model_from_joint is unchanged.
void lmbi_raise_joint(const lmb_skeleton *skeleton, const lmb_mat4 *model_from_joint,
                      uint32_t joint, float by, lmb_transform *local);
/// The least drop of the hips that lets a leg of length `reach` get from `hip` to `goal`; 0 when it
/// can.
float lmbi_leg_shortfall(lmb_vec3 hip, lmb_vec3 goal, float reach);

#endif
