/// The plane that a surface is symmetric about.
#ifndef RIG_SYMMETRY_H
#define RIG_SYMMETRY_H

#include "limber/rig.h"

typedef struct lmbi_mirror_plane {
    lmb_vec3 normal; ///< unit
    float offset;    ///< normal . p == offset
} lmbi_mirror_plane;

static inline lmb_vec3 lmbi_plane_image(lmbi_mirror_plane plane, lmb_vec3 p)
{
    return lmb_vec3_mad(p, plane.normal, -2 * (lmb_vec3_dot(p, plane.normal) - plane.offset));
}

/// The best of x = 0 and what the surface makes of the guesses; x = 0 where that is no worse.
/// `tree` is of the surface. The normal points to the side that the normal of its guess points to;
/// for x = 0 that of the first one.
lmbi_mirror_plane lmbi_symmetry_find(const lmb_surface *surface, const lmb_tree *tree,
                                     float diagonal, const lmbi_mirror_plane *guesses,
                                     uint32_t guess_count);

#endif
