/// The joints of a hand.
#ifndef EMBED_HAND_FINGERS_H
#define EMBED_HAND_FINGERS_H

#include "embed/hand/finger_set.h"
#include "embed/hand/hand_voxels.h"
#include "embed/human/human_joints.h"

typedef struct lmbi_hand {
    bool found;    ///< thumb and four fingers, each of them apart
    bool separate; ///< as far as fingers part
    float thumb;   ///< how clear it is which end of the row is the thumb: lmbi_fingers_order
    /// thumb, index, middle, ring, little; from the palm outward; in the space of the soup
    lmb_vec3 joint[LMBI_FINGERS][3];
    lmb_vec3 tip[LMBI_FINGERS];
    lmb_vec3 wrist;
    bool wrist_seen; ///< by how the hand narrows
} lmbi_hand;

/// Joints in a look at a hand, whose ways are found where there are five fingers; out->found tells.
/// Errors: MEMORY.
lmb_result lmbi_hand_place_joints(lmbi_hand_voxels *look, lmbi_hand *out, lmb_error *error);

/// Looks for the hand that lies about the palm, twice: the second time along the palm that the
/// first look has shown. Errors: MEMORY.
lmb_result lmbi_hand_find(const lmbi_triangle_soup *soup, const lmbi_palm *palm,
                          const lmb_allocator *alloc, lmbi_hand *out, lmb_error *error);

/// One hand of a figure. Errors: MEMORY.
lmb_result lmbi_find_fingers(const lmbi_figure *figure, const lmbi_human_joints *placed, int side,
                             lmbi_hand *out, lmb_error *error);

/// Moves a line that was traced from the end of a finger into the middle of its flesh, as far as
/// the arc `free`, where the finger parts from the hand, and its end to where the middle leaves the
/// solid. Returns the finger's radius; 0, and the line as it was, where no section tells.
float lmbi_finger_center(const lmbi_voxel_body *body, float free, lmbi_limb_profile *line);

typedef struct lmbi_wrist {
    lmb_vec3 at;
    bool seen; ///< by how the hand narrows, and not a usual share of its width
} lmbi_wrist;

/// In the space of a look at a hand, where y runs along the palm. `knuckles`: the middle of the
/// four; `width`: from the first of them to the last; `finger`: length of the middle one.
lmbi_wrist lmbi_wrist_find(const lmbi_voxel_body *body, lmb_vec3 knuckles, float width,
                           float finger);

#endif
