/// Triangle soups: scans and generated meshes of thousands of small shells.
#ifndef RIG_TRIANGLE_SOUP_H
#define RIG_TRIANGLE_SOUP_H

#include "limber/rig.h"

/// Pieces with fewer vertices are fragments.
enum { LMBI_FRAGMENT_VERTICES = 12 };

typedef enum lmbi_triangle_soup_kind {
    LMBI_TRIANGLE_SOUP_NONE = 0, ///< the surface is connected
    LMBI_TRIANGLE_SOUP_WELDED,   ///< it is connected once close vertices are welded
    LMBI_TRIANGLE_SOUP_LOOSE,    ///< not even then
} lmbi_triangle_soup_kind;

/// Welds the close vertices of a triangle soup; `*out` stays NULL for other surfaces. vertex_of of
/// *out maps the vertices of `surface`. Errors: MEMORY.
lmb_result lmbi_triangle_soup_weld(const lmb_surface *surface, const lmb_allocator *alloc,
                                   lmbi_triangle_soup_kind *kind, lmb_surface **out,
                                   lmb_error *error);

#endif
