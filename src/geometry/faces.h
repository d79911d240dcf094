/// The faces of a surface as a modeller drew them, and loops of their edges.
#ifndef GEOMETRY_FACES_H
#define GEOMETRY_FACES_H

#include "geometry/adjacency.h"

/// Triangles, and quads of two that meet at the longest edge of both and lie nearly in a plane.
typedef struct lmbi_faces {
    const lmb_surface *surface;
    lmbi_adjacency *adjacency;
    uint32_t *face_of; ///< [triangle_count] the first triangle of its face
    uint8_t *inner;    ///< [edge_count] cuts a quad in two, and is no edge of a face
    lmb_allocator allocator;
} lmbi_faces;

/// The surface must outlive it. Errors: MEMORY.
lmb_result lmbi_faces_create(const lmb_surface *surface, const lmb_allocator *alloc,
                             lmbi_faces **out, lmb_error *error);
void lmbi_faces_destroy(lmbi_faces *faces);
/// The edge, of those of a triangle's face, that is nearest to a point.
uint32_t lmbi_faces_edge_at(const lmbi_faces *faces, uint32_t triangle, lmb_vec3 point);
/// Marks the vertices of the loop along an edge: at a vertex of four edges between quads it goes straight on, along a
/// border it follows the border, at others it ends. marks: [vertex_count].
void lmbi_faces_mark_loop(const lmbi_faces *faces, uint32_t edge, uint8_t *marks);

#endif
