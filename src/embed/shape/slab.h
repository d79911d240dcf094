/// Slabs: flat bases that a figure stands on.
#ifndef EMBED_SHAPE_SLAB_H
#define EMBED_SHAPE_SLAB_H

#include "embed/shape/voxel_body.h"
#include "limber/embed.h"

/// What of a connected piece decides whether it is a slab.
typedef struct lmbi_slab_piece {
    lmb_box box;   ///< in axes of which one is vertical
    double volume; ///< signed, in the same unit cubed
} lmbi_slab_piece;

/// Whether a piece is a slab perpendicular to `axis` at an end of the whole: thin along it, wide
/// across it, and filled. A pair of shoes is not, since there is air between them.
bool lmbi_piece_is_slab(const lmbi_slab_piece *piece, lmb_box whole, int axis);

/// Marks in `out` [vertex_count] the vertices of slabs under the embedding: of pieces that are
/// slabs and lie below its lowest joint, or else of a slab that is connected with the body. Errors:
/// MEMORY.
lmb_result lmbi_slab_find_vertices(const lmb_surface *surface, const lmb_embedding *embedding,
                                   const lmb_allocator *alloc, uint8_t *out, uint32_t *out_count,
                                   lmb_error *error);

/// Writes the triangles that belong to no slab under or over the body into out_triangles [3 *
/// triangle_count], in their order; none if there is no slab. A slab that is connected with the
/// body is cut off and the holes are closed. Errors: MEMORY.
lmb_result lmbi_slab_strip(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                           uint32_t *out_triangles, uint32_t *out_count, lmb_error *error);

#endif
