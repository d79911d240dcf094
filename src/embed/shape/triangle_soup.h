/// A soup as a surface: its degenerate triangles left out or kept, its corners joined.
#ifndef EMBED_SHAPE_TRIANGLE_SOUP_H
#define EMBED_SHAPE_TRIANGLE_SOUP_H

#include "embed/shape/voxel_body.h"

/// `opts` as lmb_surface_create has them, or NULL. *out is NULL on failure. Errors: INVALID, MEMORY.
lmb_result lmbi_soup_surface(const lmbi_triangle_soup *soup, const lmb_surface_opts *opts,
                             const lmb_allocator *alloc, lmb_surface **out, lmb_error *error);
/// The same with default options, and its edges; *out_edges stays NULL where there is no triangle.
/// On failure both are NULL. Errors: INVALID, MEMORY.
lmb_result lmbi_soup_edges(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                           lmb_surface **out, lmb_adjacency **out_edges, lmb_error *error);

#endif
