/// Rest-pose matrices of a character's instances.
#ifndef RIG_PLACED_H
#define RIG_PLACED_H

#include "base/arena.h"
#include "limber/rig.h"

typedef struct lmbi_placed_mesh {
    lmb_mat4 model_from_mesh; ///< when `blended` is NULL
    lmb_mat4 *blended;        ///< [vertex_count] for a mesh that its skin deforms at rest, or NULL
} lmbi_placed_mesh;

/// One entry per instance, in the arena. Errors: MEMORY.
lmb_result lmbi_place_character(const lmb_character *character, lmbi_arena *arena,
                                lmbi_placed_mesh **out, lmb_error *error);

#endif
