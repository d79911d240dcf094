/// The mirror plane of a body.
#ifndef EMBED_SHAPE_MIRROR_PLANE_H
#define EMBED_SHAPE_MIRROR_PLANE_H

#include "embed/shape/voxel_body.h"

/// Refines a guess: rotates `normal` (unit, orthogonal to `up`) about `up` by up to 15 degrees and
/// shifts `offset` (of the plane along the normal, in the body's frame) to minimise the mean
/// difference of depths between both sides. Returns that difference in voxels, 0 to 3.
float lmbi_mirror_refine(const lmbi_voxel_body *body, lmb_vec3 up, lmb_vec3 *normal, float *offset);

/// A mirror plane: the points p with normal . p == offset.
typedef struct lmbi_mirror {
    lmb_vec3 normal; ///< unit, orthogonal to the up axis
    float offset;
    float miss; ///< mean difference of depths between both sides, in voxels, 0 to 3
} lmbi_mirror;

enum { LMBI_MIRRORS = 4 };

/// The planes with `up` in them that mirror the body best, the best first, and at last the one that
/// files usually have, across x, unless one of them is near it: a stride or a wave turns the others.
/// With `forward` (unit, or zero) only the plane that contains it. Returns their number.
uint32_t lmbi_mirror_scan(const lmbi_voxel_body *body, lmb_vec3 up, lmb_vec3 forward,
                          lmbi_mirror out[LMBI_MIRRORS]);

/// A copy of the body without voxels that have no mirror image. The plane is near x = 0 if the body
/// is `upright`, otherwise it is searched. *out_less is false, and nothing is created, if the body
/// is symmetric already or too asymmetric to have a mirror plane. Errors: MEMORY.
lmb_result lmbi_body_keep_symmetric(const lmbi_voxel_body *body, bool upright, bool *out_less,
                                    lmbi_voxel_body *out, lmb_error *error);

/// The axis of the frame within 4.4 degrees of a unit vector, or the vector itself.
lmb_vec3 lmbi_snap_to_axis(lmb_vec3 v);

#endif
