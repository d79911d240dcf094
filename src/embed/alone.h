/// The body without what lies about it: plates to stand on, props that touch nothing.
#ifndef EMBED_ALONE_H
#define EMBED_ALONE_H

#include "embed/shape/voxel_body.h"

/// Writes the triangles of the soup that belong to its main body into out_triangles [3 *
/// triangle_count], in their order. Left out are flat pieces as wide as a figure, and pieces that
/// nothing joins to the largest one. Errors: MEMORY.
lmb_result lmbi_extract_main_body(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                                  uint32_t *out_triangles, uint32_t *out_count, lmb_error *error);

#endif
