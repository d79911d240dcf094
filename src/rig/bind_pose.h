/// The pose in which a character's meshes were bound to its joints.
#ifndef RIG_BIND_POSE_H
#define RIG_BIND_POSE_H

#include "base/arena.h"
#include "limber/rig.h"
#include "rig/rig.h"

typedef struct lmbi_bind_pose {
    lmb_mat4 *model;           ///< [joint_count] model_from_joint
    lmb_mat4 *model_from_mesh; ///< [instance_count]
} lmbi_bind_pose;

/// Joints where the inverse bind matrices put them, and meshes as they are before they are skinned. *out_found is false
/// where the skins of the character disagree about that, or have no joint in common. Joints in no skin stand to their
/// parents as at rest. Errors: MEMORY.
lmb_result lmbi_find_bind_pose(const lmb_character *character, lmbi_arena *arena,
                               lmbi_bind_pose *out, bool *out_found, lmb_error *error);

/// lmb_character_surface in the bind pose, and the joints there, in the arena. Where no skin deforms its mesh at rest,
/// or no bind pose was found, the surface is that at rest and *out_model is NULL. Errors: those of
/// lmb_character_surface.
lmb_result lmbi_bind_surface(const lmb_character *character, const lmb_allocator *alloc,
                             lmbi_arena *arena, lmb_surface **out, lmb_mat4 **out_model,
                             lmb_error *error);

/// That surface, and the bones of the character's own joints in it. `deforms`: [joint_count], or NULL: those that its
/// meshes follow. Errors: those of lmb_character_surface and of lmbi_bones_create.
lmb_result lmbi_own_bones(const lmb_character *character, const uint8_t *deforms,
                          const lmb_allocator *alloc, lmb_surface **out_surface, lmbi_bones **out,
                          lmb_error *error);

/// Errors: INVALID for a surface without triangles.
lmb_result lmbi_require_triangles(const lmb_surface *surface, lmb_error *error);

#endif
