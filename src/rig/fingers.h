/// Fingers, looked for in finer voxels round each hand.
#ifndef RIG_FINGERS_H
#define RIG_FINGERS_H

#include "rig/place.h"

typedef struct lmbi_hand {
    bool found; ///< thumb and four fingers, each of them apart
    /// thumb, index, middle, ring, little; from the palm outward; in the figure's space
    lmb_vec3 joint[5][3];
    lmb_vec3 tip[5];
} lmbi_hand;

typedef struct lmbi_palm {
    lmb_vec3 wrist, along; ///< along: unit, from the wrist to the finger tips
    float length;
} lmbi_palm;

/// Thumb first, the others by their distance from it across the hand.
void lmbi_fingers_order(const lmbi_palm *palm, lmbi_tip tips[5]);
/// Joints and ends of ordered fingers; `ways` as lmbi_limb_ways finds them.
void lmbi_fingers_place(const lmbi_body *body, const uint32_t *ways, const lmbi_tip tips[5],
                        lmbi_hand *out);

#define LMBI_HAND_CELLS 44.0f
#define LMBI_HAND_FINE_CELLS 60.0f

/// Looks at one hand of a figure, in so many voxels to its length: coarse ones are quick and see
/// through noise, in fine ones fingers part that are held close. Errors: MEMORY.
lmb_result lmbi_find_fingers(const lmbi_figure *figure, const lmbi_placed *placed, int side,
                             float cells, lmbi_hand *out, lmb_error *error);

#endif
