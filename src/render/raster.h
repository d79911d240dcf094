/// Which triangle is nearest at each sample: the one loop that both the picture and the shadow map
/// use.
#ifndef RENDER_RASTER_H
#define RENDER_RASTER_H

#include "limber/jobs.h"
#include "limber/math.h"

#define LMBI_NO_TRIANGLE UINT32_MAX

/// Samples of one view. `nearness` grows towards the viewer: 1/z under perspective, -z for a
/// parallel light.
typedef struct lmbi_view {
    uint32_t width, height;
    float *nearness;    ///< [width * height], cleared by the rasteriser to -infinity
    uint32_t *triangle; ///< [width * height], or NULL when only depth is wanted
} lmbi_view;

/// Vertices in sample coordinates: x, y and nearness. A nearness of -infinity hides every triangle
/// it is part of.
void lmbi_raster(const lmbi_view *view, const lmb_vec3 *screen, const uint32_t *indices,
                 uint32_t triangle_count, const lmb_jobs *jobs);

#endif
