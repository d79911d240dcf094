/// Surfaces of crumbs: scans and generated meshes of thousands of shells.
#ifndef RIG_SOUP_H
#define RIG_SOUP_H

#include "limber/rig.h"

/// Pieces of fewer vertices are crumbs.
enum { LMBI_CRUMB = 12 };

typedef enum lmbi_soup_kind {
    LMBI_SOUP_NONE = 0, ///< the surface holds together
    LMBI_SOUP_WELDED,   ///< it does when vertices that lie close are welded
    LMBI_SOUP_LOOSE,    ///< not even then
} lmbi_soup_kind;

/// When most vertices belong to pieces of a few, the surface with those welded that lie within a
/// part of an edge; `*out` stays NULL for other surfaces. vertex_of of *out leads from the vertices
/// of `surface`. Errors: MEMORY.
lmb_result lmbi_soup_weld(const lmb_surface *surface, const lmb_allocator *alloc,
                          lmbi_soup_kind *soup, lmb_surface **out, lmb_error *error);

#endif
