/// A hand seen in a frame of its own, so that what is found in it does not depend on how it is
/// turned in its file.
#ifndef EMBED_HAND_HAND_VOXELS_H
#define EMBED_HAND_HAND_VOXELS_H

#include "embed/shape/limb_line.h"

typedef struct lmbi_palm {
    lmb_vec3 wrist;
    lmb_vec3 along;  ///< unit, from the wrist to the knuckles
    lmb_vec3 across; ///< unit, at right angles to it, in the plane of the palm
    float length;    ///< from the wrist to the end of the longest finger
} lmbi_palm;

/// What lies about a palm as voxels. x is across, y along; the wrist is the origin, and one unit
/// the length of the hand.
typedef struct lmbi_hand_voxels {
    lmbi_frame frame;     ///< in the space of the soup
    bool empty;           ///< there is nothing there, and nothing below is set
    lmbi_voxel_body body; ///< its center is at the wrist
    uint32_t *paths;      ///< as lmbi_medial_paths finds them; NULL until they are asked for
    lmbi_tip tips[LMBI_MAX_TIPS];
    uint32_t tip_count;
    lmb_vec3 *corners; ///< of the triangles that reach into the room, 3 each
    uint32_t corner_count;
    const lmb_allocator *alloc;
} lmbi_hand_voxels;

/// `cells` to the length of the hand. Errors: MEMORY.
lmb_result lmbi_hand_voxels_create(const lmbi_triangle_soup *soup, const lmbi_palm *palm,
                                   float cells, const lmb_allocator *alloc, lmbi_hand_voxels *out,
                                   lmb_error *error);
/// Finds the ways, once: they cost as much as all the rest, and most looks show no fingers.
/// Errors: MEMORY.
lmb_result lmbi_hand_voxels_find_paths(lmbi_hand_voxels *look, lmb_error *error);
void lmbi_hand_voxels_destroy(lmbi_hand_voxels *look);

#endif
