/// Room for an lmb_surface whose triangles are made, not joined from parts.
#ifndef GEOMETRY_SURFACE_ALLOC_H
#define GEOMETRY_SURFACE_ALLOC_H

#include "limber/geometry.h"

/// One block for lmb_surface_destroy, contents zero, no parts (vertex_of NULL). NULL on failure.
lmb_surface *lmbi_surface_alloc(const lmb_allocator *alloc, uint32_t vertex_count,
                                uint32_t triangle_count);

#endif
