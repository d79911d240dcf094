/// A hand voxelised in its own frame, so that the result does not depend on its orientation in the
/// file.
#ifndef EMBED_HAND_HAND_VOXELS_H
#define EMBED_HAND_HAND_VOXELS_H

#include "embed/shape/limb_line.h"

typedef struct lmbi_palm {
    lmb_vec3 wrist;
    lmb_vec3 along;  ///< unit, from the wrist to the knuckles
    lmb_vec3 across; ///< unit, orthogonal to it, in the plane of the palm
    float length;    ///< from the wrist to the end of the longest finger
} lmbi_palm;

/// The surroundings of a palm as voxels. x is across, y along; the wrist is the origin, and one
/// unit the length of the hand.
typedef struct lmbi_hand_voxels {
    lmbi_frame frame;     ///< in the space of the soup
    bool empty;           ///< there is no solid, and nothing below is set
    lmbi_voxel_body body; ///< its center is at the wrist
    uint32_t *paths; ///< as lmbi_medial_paths finds them; NULL before lmbi_hand_voxels_find_paths
    lmbi_tip tips[LMBI_MAX_TIPS];
    uint32_t tip_count;
    lmb_vec3 *corners; ///< of the triangles that reach into the voxels, 3 each
    uint32_t corner_count;
    const lmb_allocator *alloc;
} lmbi_hand_voxels;

/// `cells` along the length of the hand. Errors: MEMORY.
lmb_result lmbi_hand_voxels_create(const lmbi_triangle_soup *soup, const lmbi_palm *palm,
                                   float cells, const lmb_allocator *alloc, lmbi_hand_voxels *out,
                                   lmb_error *error);
/// Computes the paths once. They cost as much as everything else, and most voxelised hands have no
/// fingers. Errors: MEMORY.
lmb_result lmbi_hand_voxels_find_paths(lmbi_hand_voxels *voxels, lmb_error *error);
void lmbi_hand_voxels_destroy(lmbi_hand_voxels *voxels);

#endif
