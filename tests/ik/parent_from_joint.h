#ifndef TESTS_IK_PARENT_FROM_JOINT_H
#define TESTS_IK_PARENT_FROM_JOINT_H

#include "limber/asset.h"
#include "limber/math.h"

/// A joint in its parent's frame, of transforms in the model without scale.
static inline lmb_transform parent_from_joint(const lmb_transform *model, const int32_t *parents,
                                              int j)
{
    lmb_transform out = model[j];
    if (parents[j] >= 0) {
        const lmb_transform above = model[parents[j]];
        const lmb_quat back = lmb_quat_conjugate(above.rotation);
        out.translation =
            lmb_quat_rotate(back, lmb_vec3_sub(model[j].translation, above.translation));
        out.rotation = lmb_quat_mul(back, model[j].rotation);
    }
    return out;
}

#endif
