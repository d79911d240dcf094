/// Allocation of an lmb_surface that is generated rather than joined from parts.
#ifndef GEOMETRY_SURFACE_ALLOC_H
#define GEOMETRY_SURFACE_ALLOC_H

#include "limber/geometry.h"

/// One zeroed block, freed by lmb_surface_destroy, without parts (vertex_of NULL). NULL on failure.
lmb_surface *lmbi_surface_alloc(const lmb_allocator *alloc, uint32_t vertex_count,
                                uint32_t triangle_count);

#endif
