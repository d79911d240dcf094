/// A plate that is of one piece with what stands on it: nothing but its shape tells it.
#ifndef EMBED_SHAPE_FUSED_SLAB_H
#define EMBED_SHAPE_FUSED_SLAB_H

#include "embed/shape/voxel_body.h"
#include "limber/geometry.h"

typedef struct lmbi_fused_slab_job {
    const lmb_vec3 *positions;
    const uint32_t *triangles;
    uint32_t triangle_count;
    lmb_vec3 axes[3]; ///< unit, square to each other
    lmb_box bounds;   ///< along the axes: lmbi_fused_slab_bounds
} lmbi_fused_slab_job;

typedef struct lmbi_fused_slab {
    lmb_vec3 out; ///< one of the axes or its opposite: from what stands on the slab into it
    float face;   ///< along `out`: where the slab begins
} lmbi_fused_slab;

/// The bounds of the rest of a job.
lmb_box lmbi_fused_slab_bounds(const lmbi_fused_slab_job *job);

/// Looks at an end of the surface along `axis` (0 to 2): at its high end, or else its low one. A
/// slab is much broader than thick, and both its faces are level and cover its middle and most of
/// it, but for where the rest stands. False where there is none.
bool lmbi_fused_slab_find(const lmbi_fused_slab_job *job, int axis, bool high,
                          lmbi_fused_slab *out);
/// Whether a triangle lies in the slab as a whole.
bool lmbi_fused_slab_holds(const lmbi_fused_slab_job *job, const lmbi_fused_slab *slab,
                           uint32_t triangle);

/// Writes the triangles above the slab into out_triangles [3 * triangle_count], in their order, and
/// behind them lids over the holes that the cut leaves; none where there is no slab. `surface` is
/// the soup welded, triangle for triangle. Errors: MEMORY.
lmb_result lmbi_fused_slab_cut(const lmbi_triangle_soup *soup, const lmb_surface *surface,
                               const lmb_allocator *alloc, uint32_t *out_triangles,
                               uint32_t *out_count, lmb_error *error);

#endif
