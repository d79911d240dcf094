/// A triangle soup: triangles without connectivity, and conversions to a welded surface.
#ifndef EMBED_SHAPE_TRIANGLE_SOUP_H
#define EMBED_SHAPE_TRIANGLE_SOUP_H

#include "geometry/adjacency.h"
#include "limber/base.h"
#include "limber/geometry.h"
#include "limber/math.h"

/// Triangles in one frame; the arrays belong to the caller.
typedef struct lmbi_triangle_soup {
    const lmb_vec3 *positions;
    uint32_t position_count;
    const uint32_t *triangles;
    uint32_t triangle_count;
    bool closed; ///< known to be closed: every edge has an even number of triangles
} lmbi_triangle_soup;

/// Bounds of the triangles.
lmb_box lmbi_soup_bounds(const lmbi_triangle_soup *soup);
/// Bounds of the triangles along three axes.
lmb_box lmbi_soup_bounds_along(const lmbi_triangle_soup *soup, const lmb_vec3 axes[3]);

/// Welds vertices by position. `opts` as lmb_surface_create has them, or NULL. *out is NULL on
/// failure. Errors: INVALID, MEMORY.
lmb_result lmbi_soup_surface(const lmbi_triangle_soup *soup, const lmb_surface_opts *opts,
                             const lmb_allocator *alloc, lmb_surface **out, lmb_error *error);
/// The same with default options, and the edges; *out_edges stays NULL if there is no triangle. On
/// failure both are NULL. Errors: INVALID, MEMORY.
lmb_result lmbi_soup_edges(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                           lmb_surface **out, lmbi_adjacency **out_edges, lmb_error *error);

#endif
