/// Which triangles meet at the edges and vertices of a surface.
#ifndef GEOMETRY_ADJACENCY_H
#define GEOMETRY_ADJACENCY_H

#include "limber/geometry.h"

/// Edges, and the triangles at edges and vertices. An edge may have any number of triangles: 1 on a
/// border, 2 inside a manifold, more where sheets meet.
typedef struct lmbi_adjacency {
    uint32_t edge_count;
    uint32_t *edges;            ///< [edge_count][2], lower vertex first, ascending
    uint32_t *corner_edge;      ///< [triangle_count][3]: the edge from corner k to corner k + 1
    uint32_t *edge_first;       ///< [edge_count + 1] into edge_triangles
    uint32_t *edge_triangles;   ///< [3 * triangle_count]
    uint32_t *vertex_first;     ///< [vertex_count + 1] into vertex_triangles
    uint32_t *vertex_triangles; ///< [3 * triangle_count], ascending for each vertex
    uint32_t border_count;      ///< edges with one triangle
    uint32_t crowded_count;     ///< edges with more than two triangles
    lmb_allocator allocator;
} lmbi_adjacency;

lmb_result lmbi_adjacency_create(const lmb_surface *surface, const lmb_allocator *alloc,
                                 lmbi_adjacency **out, lmb_error *error);
void lmbi_adjacency_destroy(lmbi_adjacency *adjacency);

#endif
