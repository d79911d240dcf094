/// Which ends of a solid are the fingers of a hand.
#ifndef EMBED_HAND_FINGER_SET_H
#define EMBED_HAND_FINGER_SET_H

#include "embed/shape/voxel_body.h"

enum { LMBI_FINGERS = 5, LMBI_THUMB = 0, LMBI_INDEX, LMBI_MIDDLE, LMBI_RING, LMBI_LITTLE };

/// Where `tips` are seen from, and in which voxels.
typedef struct lmbi_finger_view {
    lmb_vec3 from;
    float cell;
    float shortest; ///< what sticks out less is no finger
} lmbi_finger_view;

enum { LMBI_FINGER_TIPS = 9 }; ///< so many of the longest are looked at

/// The five tips that are most like fingers: they point one way, are alike and lie side by side.
/// How unlike them they are: above 2 there are none. `out_chosen`: a bit a tip.
float lmbi_fingers_choose(const lmbi_tip *tips, uint32_t count, const lmbi_finger_view *view,
                          lmbi_tip out[LMBI_FINGERS], uint32_t *out_chosen);

/// Puts the tips in a row across the hand, the thumb first. `along`: unit, from the wrist to the
/// finger tips. Returns how much more like a thumb it is than the other end of the row, 0 to about 5.
float lmbi_fingers_order(lmb_vec3 along, lmbi_tip tips[LMBI_FINGERS]);

/// The finger, not the thumb, that reaches farthest: its branch ends where the solid does.
uint32_t lmbi_fingers_longest(const lmbi_tip tips[LMBI_FINGERS]);

#endif
