/// The joints of a hand and the steps that find them.
#ifndef EMBED_HAND_FINGERS_H
#define EMBED_HAND_FINGERS_H

#include "embed/hand/finger_set.h"
#include "embed/hand/hand_voxels.h"
#include "embed/human/human_joints.h"

typedef struct lmbi_hand {
    bool found;    ///< a thumb and four fingers were found
    bool separate; ///< the fingers are separate down to their webs
    float thumb;   ///< confidence of which end of the row is the thumb: lmbi_fingers_order
    /// thumb, index, middle, ring, little; from the palm outward; in the space of the soup
    lmb_vec3 joint[LMBI_FINGERS][3];
    lmb_vec3 tip[LMBI_FINGERS];
    lmb_vec3 wrist;
    bool wrist_seen; ///< from the narrowing of the hand
} lmbi_hand;

/// Places joints in a voxelised hand. Its paths are computed only if there are five fingers;
/// out->found tells. Errors: MEMORY.
lmb_result lmbi_hand_place_joints(lmbi_hand_voxels *voxels, lmbi_hand *out, lmb_error *error);

/// Finds the hand around the palm in two passes, the second along the palm that the first one
/// found. Errors: MEMORY.
lmb_result lmbi_hand_find(const lmbi_triangle_soup *soup, const lmbi_palm *palm,
                          const lmb_allocator *alloc, lmbi_hand *out, lmb_error *error);

/// One hand of a figure. Errors: MEMORY.
lmb_result lmbi_find_fingers(const lmbi_figure *figure, const lmbi_human_joints *placed, int side,
                             lmbi_hand *out, lmb_error *error);

/// Moves a line traced from the tip of a finger to the centers of its cross-sections, up to the arc
/// `free`, where the finger joins the hand, and extends it to the surface at the tip. Returns the
/// finger's radius, or 0 with the line unchanged if no section is usable.
float lmbi_finger_center(const lmbi_voxel_body *body, float free, lmbi_limb_profile *line);

typedef struct lmbi_wrist {
    lmb_vec3 at;
    bool seen; ///< from the narrowing of the hand, not the usual fraction of its width
} lmbi_wrist;

/// The wrist in the space of a voxelised hand, where y runs along the palm. `knuckles`: middle of
/// the four; `width`: from the first to the last of them; `finger`: length of the middle finger.
lmbi_wrist lmbi_wrist_find(const lmbi_voxel_body *body, lmb_vec3 knuckles, float width,
                           float finger);

#endif
