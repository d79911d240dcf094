/// Limits of joints, bounds of meshes and body models, as the rooms above use them.
#ifndef ASSET_ASSET_H
#define ASSET_ASSET_H

#include "limber/asset.h"

/// Bounds of the positions.
lmb_box lmbi_mesh_box(const lmb_mesh *mesh);

/// Of all primitives of triangles.
uint64_t lmbi_mesh_triangle_count(const lmb_mesh *mesh);

/// The nearest rotation since rest inside the joint's limit: twist to the nearer end of its range,
/// swing to the nearest point of the cone. Idempotent. (Swing-twist decomposition: q = swing *
/// twist.) A half turn of swing has no twist.
lmb_quat lmbi_joint_limit_clamp(const lmb_joint_limit *limit, lmb_quat rest_from_joint);

/// The same of a whole local transform; `rest` and `local` are parent_from_joint. Scale is left
/// alone; so is the translation where there is no box.
lmb_transform lmbi_joint_limit_apply(const lmb_joint_limit *limit, lmb_transform rest,
                                     lmb_transform local);

/// How far a local transform is out of its limit: the angle to the nearest rotation inside,
/// radians, and in `distance` (may be NULL) the way to the nearest translation inside. Rounding
/// alone gives up to 1e-5 of both.
float lmbi_joint_limit_excess(const lmb_joint_limit *limit, lmb_transform rest, lmb_transform local,
                              float *distance);

/// Errors: INVALID for no joints or vertices, an index out of range, numbers that are not finite,
/// parents out of order, a number of features that does not fit the joints; MEMORY.
lmb_result lmbi_body_model_create(const lmb_body_model *def, const lmb_allocator *alloc,
                                  lmb_body_model **out, lmb_error *error);

#endif
