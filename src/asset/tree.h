/// Questions about a skeleton as a tree. Parents precede their children.
#ifndef ASSET_TREE_H
#define ASSET_TREE_H

#include "limber/asset.h"

/// Whether `joint` is `ancestor` or below it; false for LMB_NONE.
static inline bool lmbi_is_under(const lmb_skeleton *skeleton, int32_t joint, int32_t ancestor)
{
    while (joint > ancestor && joint >= 0) {
        joint = skeleton->parents[joint];
    }
    return joint == ancestor && joint >= 0;
}

/// Model-space transforms of the rest pose, without shear.
static inline void lmbi_rest_model(const lmb_skeleton *skeleton, lmb_transform *model)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        model[j] =
            parent < 0 ? skeleton->rest[j] : lmb_transform_mul(model[parent], skeleton->rest[j]);
    }
}

/// Transform of a joint in its parent's frame, with the given scale. Axes of scale 0 keep the
/// offset's length.
static inline lmb_transform lmbi_local_of(const lmb_transform *model_from_parent,
                                          const lmb_transform *model_from_joint, lmb_vec3 scale)
{
    const lmb_quat back = lmb_quat_conjugate(model_from_parent->rotation);
    const lmb_vec3 offset = lmb_quat_rotate(
        back, lmb_vec3_sub(model_from_joint->translation, model_from_parent->translation));
    const lmb_vec3 s = model_from_parent->scale;
    return (lmb_transform){
        .translation = {s.x != 0 ? offset.x / s.x : offset.x, s.y != 0 ? offset.y / s.y : offset.y,
                        s.z != 0 ? offset.z / s.z : offset.z},
        .rotation = lmb_quat_normalize(lmb_quat_mul(back, model_from_joint->rotation)),
        .scale = scale,
    };
}

#endif
