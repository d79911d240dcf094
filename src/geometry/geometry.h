/// Measures of surfaces.
#ifndef GEOMETRY_GEOMETRY_H
#define GEOMETRY_GEOMETRY_H

#include "limber/geometry.h"

/// Sum of the signed volumes of the tetrahedra from the centre of the bounds: the volume when
/// closed, positive when faces look outward.
double lmbi_surface_volume(const lmb_surface *surface);

// ---- Allocation of an lmb_surface that is generated rather than joined from parts.

/// One zeroed block, freed by lmb_surface_destroy, without parts (vertex_of NULL). NULL on failure.
lmb_surface *lmbi_surface_alloc(const lmb_allocator *alloc, uint32_t vertex_count,
                                uint32_t triangle_count);

#endif
