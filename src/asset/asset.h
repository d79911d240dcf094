/// Limits of joints, bounds of meshes and body models, as the rooms above use them.
#ifndef ASSET_ASSET_H
#define ASSET_ASSET_H

#include "base/arena.h"
#include "limber/asset.h"

/// Bounds of the positions.
lmb_box lmbi_mesh_box(const lmb_mesh *mesh);

/// Of all primitives of triangles.
uint64_t lmbi_mesh_triangle_count(const lmb_mesh *mesh);

/// The nearest rotation since rest inside the joint's limit: twist to the nearer end of its range,
/// swing to the nearest point of the cone. Idempotent. (Swing-twist decomposition: q = swing *
/// twist.) A swing of 180 degrees has no twist.
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
/// parents out of order, a number of features that does not fit the joints.
lmb_result lmbi_body_model_check(const lmb_body_model *def, lmb_error *error);
/// A copy. Errors: those of the check; MEMORY.
lmb_result lmbi_body_model_create(const lmb_body_model *def, const lmb_allocator *alloc,
                                  lmb_body_model **out, lmb_error *error);

// ---- Orders of joints, and weights as whole numbers.

/// Weights that sum to 1 as whole numbers that sum to `one` (255, 65535) exactly: each rounded
/// down, what is left to those that lost most, the first of equals first.
void lmbi_weights_quantize(const float *weights, uint32_t count, uint32_t one, uint32_t *out);

/// Sorts joints so that parents precede children, keeping the given order otherwise. parents[count]
/// in any order;
/// order_out[k] is the old index of the k-th joint. INVALID when the parents form a cycle.
lmb_result lmbi_joints_sort(const int32_t *parents, uint32_t count, uint32_t *order_out,
                            const lmb_allocator *alloc, lmb_error *error);

/// Ancestors of a joint.
uint32_t lmbi_joint_depth(const int32_t *parents, uint32_t joint);

// ---- Hash table from names to joints, for callers that look up many: lmb_skeleton_find is a
// linear search.

typedef struct lmbi_joint_names {
    const lmb_skeleton *skeleton;
    uint32_t *slots; ///< [slot_count] joint + 1, 0 is empty: open addressing
    size_t slot_count;
} lmbi_joint_names;

/// False when out of memory.
bool lmbi_joint_names_make(const lmb_skeleton *skeleton, lmbi_arena *arena, lmbi_joint_names *out);
/// As lmb_skeleton_find: the first joint of that name, or LMB_NONE.
int32_t lmbi_joint_names_find(const lmbi_joint_names *names, const char *name);

/// The same mesh with these normals, [index_count], a corner of a triangle each. Where the corners of
/// a vertex differ it is split: copies come behind all vertices where every primitive has them all,
/// else behind their vertex. Errors: as lmb_mesh_create. `error` and `alloc` may be NULL.
lmb_result lmbi_mesh_with_normals(const lmb_mesh *mesh, const lmb_vec3 *corners,
                                  const lmb_allocator *alloc, lmb_mesh **out, lmb_error *error);

#endif
