/// Normals of a mesh whose vertices have moved.
#ifndef LEARN_REST_NORMALS_H
#define LEARN_REST_NORMALS_H

#include "base/arena.h"
#include "limber/asset.h"

/// Replaces normals and tangents, where the mesh has them, by ones that turn with the surface from
/// `before` [vertex_count] to the mesh's positions, in the arena. Vertices with one point_of
/// [vertex_count] (< point_count; NULL: their own number) are in one place. False if there is no memory.
bool lmbi_learn_turn_normals(lmb_mesh *mesh, const lmb_vec3 *before, const uint32_t *point_of,
                             uint32_t point_count, lmbi_arena *arena);

#endif
