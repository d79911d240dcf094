/// Parts of a surface that are convex solids: blocks of toys.
#ifndef GEOMETRY_CONVEX_PARTS_H
#define GEOMETRY_CONVEX_PARTS_H

#include "base/arena.h"
#include "limber/geometry.h"

/// Gives each part that is closed (every edge in two triangles) and convex welded vertices of its own
/// where it shares some but not all with other parts: blocks of a toy that lie flush are no single
/// body, as parts of a skin are.
/// `vertex_of`: the welded vertex of each point of all parts, of `*vertex_count`, which grows.
/// Errors: MEMORY.
lmb_result lmbi_separate_convex_parts(const lmb_surface_part *parts, uint32_t part_count,
                                      lmbi_arena *arena, uint32_t *vertex_of,
                                      uint32_t *vertex_count, lmb_error *error);

#endif
