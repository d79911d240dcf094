/// Triangle soups: scans and generated meshes of thousands of small shells.
#ifndef RIG_SOUP_H
#define RIG_SOUP_H

#include "limber/rig.h"

/// Pieces with fewer vertices are fragments.
enum { LMBI_CRUMB = 12 };

typedef enum lmbi_soup_kind {
    LMBI_SOUP_NONE = 0, ///< the surface is connected
    LMBI_SOUP_WELDED,   ///< it is connected once close vertices are welded
    LMBI_SOUP_LOOSE,    ///< not even then
} lmbi_soup_kind;

/// Welds the close vertices of a triangle soup; `*out` stays NULL for other surfaces. vertex_of of
/// *out maps the vertices of `surface`. Errors: MEMORY.
lmb_result lmbi_soup_weld(const lmb_surface *surface, const lmb_allocator *alloc,
                          lmbi_soup_kind *soup, lmb_surface **out, lmb_error *error);

#endif
