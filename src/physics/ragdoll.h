/// Shared by the creation of ragdolls: skin points at rest, and capsules fitted to them.
#ifndef PHYSICS_RAGDOLL_H
#define PHYSICS_RAGDOLL_H

#include "limber/physics.h"

/// A vertex at rest in model space, and the joints that move it.
typedef struct lmbi_skin_point {
    lmb_vec3 at;
    const lmb_influence *row; ///< NULL: bound to `joint` alone
    const uint32_t *joints;   ///< of the skin
    uint32_t count, joint;    ///< `joint` has the greatest weight
    int32_t bone;
} lmbi_skin_point;

typedef struct lmbi_skin_points {
    lmbi_skin_point *items;
    uint32_t count;
} lmbi_skin_points;

/// All vertices of skinned meshes and of meshes bound to one joint.
lmb_result lmbi_skin_points_gather(const lmb_character *character, const lmb_mat4 *rest,
                                   const lmb_allocator *alloc, lmbi_skin_points *out,
                                   lmb_error *error);
/// Assigns each point to the bone with more than half of its weight, else LMB_NONE. bone_of:
/// [joint_count], LMB_NONE for joints without a bone.
void lmbi_skin_points_assign(lmbi_skin_points *points, const int32_t *bone_of);

/// Marks the joints that get a body: those whose skin, with that of unmarked joints below, has a
/// bounding diagonal of at least `least` metres. Returns their number.
uint32_t lmbi_ragdoll_choose_joints(const lmb_skeleton *skeleton, const lmb_mat4 *rest,
                                    const lmbi_skin_points *points, float least, lmb_box *boxes,
                                    uint8_t *marks);

/// Capsule fit of one bone: along the vector from its joint to the next, or, with any_direction,
/// along whichever direction gives the smallest capsule.
typedef struct lmbi_capsule_job {
    const lmbi_skin_points *points;
    int32_t bone;
    lmb_vec3 from, to; ///< ends of the bone
    bool any_direction;
} lmbi_capsule_job;
/// Sets model_from_body, radius, half, vertex_count and coverage.
void lmbi_capsule_fit(const lmbi_capsule_job *job, lmb_ragdoll_bone *bone);

#endif
