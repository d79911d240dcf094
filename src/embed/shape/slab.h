/// Slabs: flat bases that a figure stands on.
#ifndef EMBED_SHAPE_SLAB_H
#define EMBED_SHAPE_SLAB_H

#include "embed/shape/voxel_body.h"
#include "limber/embed.h"
#include "limber/geometry.h"

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

// ---- slabs that are connected with the figure that stands on them, so that only their shape tells

typedef struct lmbi_fused_slab_job {
    const lmb_vec3 *positions;
    const uint32_t *triangles;
    uint32_t triangle_count;
    lmb_vec3 axes[3]; ///< unit, orthogonal
    lmb_box bounds;   ///< along the axes: lmbi_fused_slab_bounds
} lmbi_fused_slab_job;

typedef struct lmbi_fused_slab {
    lmb_vec3 out; ///< one of the axes or its opposite: from the figure into the slab
    float face;   ///< along `out`: where the slab begins
} lmbi_fused_slab;

/// The value of `bounds` for the other members of a job.
lmb_box lmbi_fused_slab_bounds(const lmbi_fused_slab_job *job);

/// Tests one end of the surface along `axis` (0 to 2), its high or its low one. A slab is much
/// wider than thick; both its faces are level and cover most of its box and its middle, except
/// where the figure stands. False if there is none.
bool lmbi_fused_slab_find(const lmbi_fused_slab_job *job, int axis, bool high,
                          lmbi_fused_slab *out);
/// Whether all three corners of a triangle lie in the slab.
bool lmbi_fused_slab_holds(const lmbi_fused_slab_job *job, const lmbi_fused_slab *slab,
                           uint32_t triangle);

/// Writes the triangles above the slab into out_triangles [3 * triangle_count], in their order,
/// followed by triangles that close the holes of the cut; none if there is no slab. `surface` is
/// the welded soup with the same triangles. Errors: MEMORY.
lmb_result lmbi_fused_slab_cut(const lmbi_triangle_soup *soup, const lmb_surface *surface,
                               const lmb_allocator *alloc, uint32_t *out_triangles,
                               uint32_t *out_count, lmb_error *error);

#endif
