/// What the voxels of a surface enclose.
#ifndef GEOMETRY_ENCLOSED_H
#define GEOMETRY_ENCLOSED_H

#include "limber/geometry.h"

/// Voxels that are OUTSIDE and that no way over faces leads to from the first voxel become INSIDE.
/// Errors: MEMORY.
lmb_result lmbi_fill_enclosed(const lmb_grid *grid, uint8_t *cells, const lmb_allocator *alloc,
                              lmb_error *error);

#endif
