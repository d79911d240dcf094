/// Neighbours of each vertex along edges.
#ifndef RIG_RINGS_H
#define RIG_RINGS_H

#include "base/arena.h"
#include "limber/geometry.h"

typedef struct lmbi_rings {
    uint32_t *first;  ///< [vertex_count + 1] into around
    uint32_t *around; ///< neighbours of each vertex, in edge order
} lmbi_rings;

/// Errors: MEMORY.
lmb_result lmbi_rings_find(const lmb_surface *surface, lmbi_arena *arena, lmbi_rings *out,
                           lmb_error *error);

#endif
