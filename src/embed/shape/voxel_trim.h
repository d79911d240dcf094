/// A solid of voxels by their centres instead of by what touches them.
#ifndef EMBED_SHAPE_VOXEL_TRIM_H
#define EMBED_SHAPE_VOXEL_TRIM_H

#include "embed/shape/voxel_body.h"
#include "geometry/volume.h"

/// Clears the voxels of a filled solid (lmb_voxels_fill) whose centres lie outside the triangles.
/// What is a voxel apart is apart then, where before it had to be two or three. Rows of voxels
/// along the three axes vote by what they cross; where the surface is open or faces in and out,
/// they abstain, and the solid stays. Errors: MEMORY.
lmb_result lmbi_trim_to_centers(const lmb_grid *grid, const lmbi_triangle_soup *soup,
                                uint8_t *cells, const lmb_allocator *alloc, lmb_error *error);

/// A body as lmbi_body_create_in makes it, without a center yet, from such voxels. Errors: INVALID
/// for nothing that could be filled; MEMORY.
lmb_result lmbi_body_create_trimmed(const lmbi_triangle_soup *soup, lmb_box box, float cell,
                                    int open_axis, const lmb_allocator *alloc, lmbi_voxel_body *out,
                                    lmb_error *error);

#endif
