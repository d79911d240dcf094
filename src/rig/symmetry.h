/// Mirror plane of a surface.
#ifndef RIG_SYMMETRY_H
#define RIG_SYMMETRY_H

#include "geometry/tree.h"
#include "limber/rig.h"

typedef struct lmbi_mirror_plane {
    lmb_vec3 normal; ///< unit
    float offset;    ///< normal . p == offset
} lmbi_mirror_plane;

static inline lmb_vec3 lmbi_plane_image(lmbi_mirror_plane plane, lmb_vec3 p)
{
    return lmb_vec3_mad(p, plane.normal, -2 * (lmb_vec3_dot(p, plane.normal) - plane.offset));
}

/// The best of x = 0 and the refined guesses; x = 0 wins ties. `tree` is of the surface. The normal
/// points to the side of its guess's normal; for x = 0, of the first guess's.
lmbi_mirror_plane lmbi_symmetry_find(const lmb_surface *surface, const lmbi_tree *tree,
                                     float diagonal, const lmbi_mirror_plane *guesses,
                                     uint32_t guess_count);

#endif
