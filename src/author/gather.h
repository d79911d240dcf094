/// All meshes of a character as one body.
#ifndef AUTHOR_GATHER_H
#define AUTHOR_GATHER_H

#include "base/arena.h"
#include "limber/author.h"
#include "rig/bind.h"

typedef struct lmbi_gathered {
    const lmbi_rest_matrices *rest; ///< [instance_count] of the character's own meshes
    lmb_mat4 *model_from_mesh;      ///< [instance_count] of `meshes`
    /// [instance_count] copies whose arrays are the character's, or as the skin deforms them at rest
    lmb_mesh *meshes;
    lmb_vec3 *positions; ///< of all instances, in model space
    uint32_t *triangles;
    uint32_t position_count, triangle_count;
    uint32_t *first_position; ///< [instance_count + 1]
    uint32_t *first_triangle; ///< [instance_count + 1]
    uint32_t instance_count;
} lmbi_gathered;

/// Allocates from the arena. Errors: UNSUPPORTED without triangles, or with too many; MEMORY.
lmb_result lmbi_gather(const lmb_character *in, lmbi_arena *arena, lmbi_gathered *out,
                       lmb_error *error);

/// The instances as parts of one surface, at other positions of the same vertices. Allocates from
/// the arena; NULL when out of memory.
lmb_surface_part *lmbi_gathered_parts(const lmbi_gathered *g, const lmb_vec3 *positions,
                                      lmbi_arena *arena);

#endif
