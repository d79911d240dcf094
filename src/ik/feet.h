/// What planting feet and holding them share.
#ifndef IK_FEET_H
#define IK_FEET_H

#include "limber/ik.h"

/// A critically damped spring: the exact step, by the half-life of the distance.
void lmbi_spring_follow(lmb_plant_spring *s, float goal, float half_life_s, float dt_s);
/// Moves a joint and all below it up in model space; model_from_joint stays as it was.
void lmbi_move_up(const lmb_skeleton *skeleton, const lmb_mat4 *model_from_joint, uint32_t joint,
                  float by, lmb_transform *local);
/// The least that hips must come down so that a leg reaches from `hip` to `goal`; 0 when it does.
float lmbi_leg_shortfall(lmb_vec3 hip, lmb_vec3 goal, float reach);

#endif
