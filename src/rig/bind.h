/// Binding with given weights, and the matrices that take meshes to the rest pose.
#ifndef RIG_BIND_H
#define RIG_BIND_H

#include "base/arena.h"
#include "limber/rig.h"

/// lmb_bind with given rows, one per vertex of all instances in order. All their joints, indices in
/// the skeleton, are marked in `deforms`. Errors: INVALID for a joint of zero scale; MEMORY.
lmb_result lmbi_bind_rows(lmb_character **character, const lmb_skeleton *skeleton,
                          const uint8_t *deforms, const lmb_influences *rows,
                          const lmb_allocator *alloc, lmb_error *error);

/// Rest-pose matrices of an instance: one, or one a vertex.
typedef struct lmbi_rest_matrices {
    lmb_mat4 model_from_mesh; ///< when `blended` is NULL
    lmb_mat4 *blended;        ///< [vertex_count] for a mesh that its skin deforms at rest, or NULL
} lmbi_rest_matrices;

/// One entry per instance, in the arena. Errors: MEMORY.
lmb_result lmbi_find_rest_matrices(const lmb_character *character, lmbi_arena *arena,
                                   lmbi_rest_matrices **out, lmb_error *error);

/// Replaces a copy's arrays by others in the arena: positions, normals, tangents and morph targets
/// where the matrices take them. False without memory.
bool lmbi_rest_bake(const lmbi_rest_matrices *matrices, lmbi_arena *arena, lmb_mesh *copy);

/// Whether a skin deforms its mesh at rest.
bool lmbi_is_posed(const lmb_character *character, const lmbi_rest_matrices *matrices);

// ---- a character with another skeleton, meshes and skins in place of the old one

/// Creates a character of the parts, which it owns from then on, with the name and the look of the
/// old one, and destroys that. Extensions that name nodes (VRM) are dropped from the look, as their
/// indices mean the old skeleton. Errors: those of lmb_character_create; on failure the old
/// character stays and the parts stay the caller's.
lmb_result lmbi_character_replace(lmb_character **character, const lmb_character *parts,
                                  const lmb_allocator *alloc, lmb_error *error);

#endif
