/// A skinned character where it was bound to its joints, and the way from there to its rest pose.
#ifndef AUTHOR_BOUND_H
#define AUTHOR_BOUND_H

#include "author/gather.h"

typedef struct lmbi_bound_mesh {
    /// [position_count] of what was gathered; NULL where no skin deforms its mesh at rest, or skins
    /// disagree about where they were bound
    lmb_vec3 *positions;
    lmb_mat4 *model_from_mesh; ///< [instance_count]
    lmb_mat4 *rest_from_bound; ///< [joint_count] of the character
} lmbi_bound_mesh;

/// Meshes as bound, upright along their own axes: their skeleton may lean at rest. Allocates from the arena. Errors:
/// MEMORY.
lmb_result lmbi_bound_find(const lmb_character *in, const lmbi_gathered *gathered,
                           lmbi_arena *arena, lmbi_bound_mesh *out, lmb_error *error);

/// Moves an embedding in that surface to the rest pose: each joint as the vertices around it move.
/// Errors: MEMORY.
lmb_result lmbi_bound_to_rest(const lmbi_bound_mesh *bound, const lmb_character *in,
                              const lmbi_gathered *gathered, lmbi_arena *arena, lmb_embedding *e,
                              lmb_error *error);

#endif
