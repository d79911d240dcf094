/// Visibility by rasterisation: finds the nearest triangle at each sample, for the picture and the
/// shadow map.
#ifndef RENDER_RASTER_H
#define RENDER_RASTER_H

#include "limber/jobs.h"
#include "limber/math.h"

#define LMBI_NO_TRIANGLE UINT32_MAX

/// Samples of one view. Depth is reversed, larger is nearer: 1/z in perspective, height towards the
/// light for a parallel light.
typedef struct lmbi_view {
    uint32_t width, height;
    float *depth;       ///< [width * height], cleared by the rasteriser to -infinity
    uint32_t *triangle; ///< [width * height], or NULL if only depth is needed
} lmbi_view;

/// Vertices in sample coordinates: x, y and reversed depth. A depth of -infinity discards every
/// triangle of the vertex.
void lmbi_raster(const lmbi_view *view, const lmb_vec3 *screen, const uint32_t *indices,
                 uint32_t triangle_count, const lmb_jobs *jobs);

#endif
