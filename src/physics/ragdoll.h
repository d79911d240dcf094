/// What the making of ragdolls shares: the points of a skin at rest, and a capsule around some.
#ifndef PHYSICS_RAGDOLL_H
#define PHYSICS_RAGDOLL_H

#include "limber/physics.h"

/// A vertex at rest in the model, and the joints that move it.
typedef struct lmbi_skin_point {
    lmb_vec3 at;
    const lmb_influence *row; ///< NULL: `joint` alone
    const uint32_t *joints;   ///< of the skin
    uint32_t count, joint;    ///< `joint`: the one with the greatest weight
    int32_t bone;
} lmbi_skin_point;

typedef struct lmbi_skin_points {
    lmbi_skin_point *items;
    uint32_t count;
} lmbi_skin_points;

/// Every vertex of every skinned mesh, and of those that a joint carries whole.
lmb_result lmbi_skin_points_gather(const lmb_character *character, const lmb_mat4 *rest,
                                   const lmb_allocator *alloc, lmbi_skin_points *out,
                                   lmb_error *error);
/// The bone that has more than half of each point, else LMB_NONE. bone_of: [joint_count], LMB_NONE
/// for none.
void lmbi_skin_points_assign(lmbi_skin_points *points, const int32_t *bone_of);

/// Marks the joints that get a body: those whose skin, with that of the unmarked below, reaches
/// over `least` in the model. Returns how many.
uint32_t lmbi_ragdoll_choose_joints(const lmb_skeleton *skeleton, const lmb_mat4 *rest,
                                    const lmbi_skin_points *points, float least, lmb_box *boxes,
                                    uint8_t *marks);

/// Where a bone's capsule may lie: along the way from its joint to the next, or (both ways open)
/// whatever way is the thinnest.
typedef struct lmbi_capsule_job {
    const lmbi_skin_points *points;
    int32_t bone;
    lmb_vec3 from, to; ///< ends of the bone
    bool any_direction;
} lmbi_capsule_job;
/// Sets model_from_body, radius, half, vertex_count and coverage.
void lmbi_capsule_fit(const lmbi_capsule_job *job, lmb_ragdoll_bone *bone);

#endif
