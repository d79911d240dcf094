/// Parts of the solvers.
#ifndef IK_IK_H
#define IK_IK_H

#include "limber/asset.h"
#include "limber/ik.h"
#include "math/quat_inline.h"

/// "auto", "ccd", "fabrik", "transpose", "pseudo-inverse", "damped", "selective"; "unknown".
const char *lmbi_ik_solver_name(lmb_ik_solver solver);

// ---- A joint's parent as a frame to solve in. It is used without extracting a rotation from a
// matrix.

typedef struct lmbi_parent_frame {
    lmb_vec3 x, y, z, origin; ///< columns of model_from_parent, uniform scale
    float inverse_square;     ///< 1 / scale^2
} lmbi_parent_frame;

static inline lmbi_parent_frame lmbi_frame_of(const lmb_skeleton *skeleton,
                                              const lmb_mat4 *model_from_joint, uint32_t joint)
{
    const int32_t parent = skeleton->parents[joint];
    if (parent < 0) {
        return (lmbi_parent_frame){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}, 1};
    }
    const float *m = model_from_joint[parent].m;
    lmbi_parent_frame f = {
        {m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}, {m[12], m[13], m[14]}, 1};
    const float square = lmb_vec3_dot(f.x, f.x);
    f.inverse_square = square > 0.0f ? 1.0f / square : 0.0f;
    return f;
}

/// A model-space vector in the frame's axes, scaled by the frame's scale.
static inline lmb_vec3 lmbi_frame_vector(const lmbi_parent_frame *f, lmb_vec3 v)
{
    return lmb_vec3_make(lmb_vec3_dot(f->x, v), lmb_vec3_dot(f->y, v), lmb_vec3_dot(f->z, v));
}

static inline lmb_vec3 lmbi_frame_point(const lmbi_parent_frame *f, lmb_vec3 p)
{
    return lmb_vec3_scale(lmbi_frame_vector(f, lmb_vec3_sub(p, f->origin)), f->inverse_square);
}

#endif
