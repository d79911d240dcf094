/// Plates under the feet: what a figurine stands on.
#ifndef EMBED_SHAPE_SLAB_H
#define EMBED_SHAPE_SLAB_H

#include "embed/shape/voxel_body.h"
#include "limber/embed.h"

/// A piece of a surface, as far as it matters to whether it is a plate.
typedef struct lmbi_slab_piece {
    lmb_box box;   ///< in axes of which one is up
    double volume; ///< signed, in the same unit
} lmbi_slab_piece;

/// Whether a piece is a plate across `axis` at an end of the whole: thin that way, wide the other
/// ways, and filled. Two shoes are not: there is air between them.
bool lmbi_piece_is_slab(const lmbi_slab_piece *piece, lmb_box whole, int axis);

/// Marks [vertex_count] the vertices of pieces that are plates at the foot of the embedding and lie
/// below all its ankles, or whatever its lowest joints are; where there is none, those of a plate
/// that is one with the rest. Errors: MEMORY.
lmb_result lmbi_slab_find_vertices(const lmb_surface *surface, const lmb_embedding *embedding,
                                   const lmb_allocator *alloc, uint8_t *out, uint32_t *out_count,
                                   lmb_error *error);

/// Writes the triangles that belong to no plate under or over the rest into out_triangles [3 *
/// triangle_count], in their order; none where there is no plate. A plate that is one with the rest
/// is cut off, with lids over the holes. Errors: MEMORY.
lmb_result lmbi_slab_strip(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                           uint32_t *out_triangles, uint32_t *out_count, lmb_error *error);

#endif
