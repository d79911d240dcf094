/// All meshes of a character as one body.
#ifndef AUTHOR_GATHER_H
#define AUTHOR_GATHER_H

#include "base/arena.h"
#include "limber/author.h"

typedef struct lmbi_gathered {
    lmb_mat4 *model_from_mesh; ///< [instance_count]
    /// [instance_count] positions of a skinned mesh in its pose, or NULL
    lmb_vec3 **baked;
    lmb_vec3 *positions; ///< of all instances, in model space
    uint32_t *triangles;
    uint32_t position_count, triangle_count;
    uint32_t *first_position; ///< [instance_count + 1]
} lmbi_gathered;

/// Allocates from the arena. Errors: UNSUPPORTED without triangles, or with too many; MEMORY.
lmb_result lmbi_gather(const lmb_character *in, lmbi_arena *arena, lmbi_gathered *out,
                       lmb_error *error);

#endif
