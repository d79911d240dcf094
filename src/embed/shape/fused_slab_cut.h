/// Cuts off the plate that is one with what stands on it.
#ifndef EMBED_SHAPE_FUSED_SLAB_CUT_H
#define EMBED_SHAPE_FUSED_SLAB_CUT_H

#include "embed/shape/voxel_body.h"

/// Writes the triangles above the slab into out_triangles [3 * triangle_count], in their order, and
/// behind them lids over the holes that the cut leaves; none where there is no slab. `surface` is
/// the soup welded, triangle for triangle. Errors: MEMORY.
lmb_result lmbi_fused_slab_cut(const lmbi_triangle_soup *soup, const lmb_surface *surface,
                               const lmb_allocator *alloc, uint32_t *out_triangles,
                               uint32_t *out_count, lmb_error *error);

#endif
