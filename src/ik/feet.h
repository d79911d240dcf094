/// Shared by foot planting (plant.c) and foot holding (hold.c).
#ifndef IK_FEET_H
#define IK_FEET_H

#include <math.h>

#include "limber/ik.h"

/// Moves a joint and everything below it up by `by` in model space; model_from_joint is unchanged.
static inline void lmbi_raise_joint(const lmb_skeleton *skeleton, const lmb_mat4 *model_from_joint,
                                    uint32_t joint, float by, lmb_transform *local)
{
    const int32_t parent = skeleton->parents[joint];
    lmb_vec3 offset = {0, by, 0};
    if (parent != LMB_NONE) {
        lmb_mat4 inverse;
        (void)lmb_mat4_inverse_affine(model_from_joint[parent], &inverse);
        offset = lmb_mat4_vector(inverse, offset);
    }
    local[joint].translation = lmb_vec3_add(local[joint].translation, offset);
}

/// The least drop of the hips that lets a leg of length `reach` get from `hip` to `goal`; 0 when it
/// can.
static inline float lmbi_leg_shortfall(lmb_vec3 hip, lmb_vec3 goal, float reach)
{
    const lmb_vec3 to_goal = lmb_vec3_sub(goal, hip);
    const float across2 = to_goal.x * to_goal.x + to_goal.z * to_goal.z, reach2 = reach * reach;
    const float most = lmb_sqrt(fmaxf(0.0f, reach2 - across2)); // largest drop from hip to ankle
    return fmaxf(0.0f, -to_goal.y - most);
}

#endif
