/// Which tips of a solid are the fingers of a hand.
#ifndef EMBED_HAND_FINGER_SET_H
#define EMBED_HAND_FINGER_SET_H

#include "embed/shape/voxel_body.h"

enum { LMBI_FINGERS = 5, LMBI_THUMB = 0, LMBI_INDEX, LMBI_MIDDLE, LMBI_RING, LMBI_LITTLE };

/// Reference point and cell size for measuring tips.
typedef struct lmbi_finger_view {
    lmb_vec3 from;
    float cell;
    float shortest; ///< shorter branches are no fingers
} lmbi_finger_view;

enum { LMBI_FINGER_TIPS = 9 }; ///< only this many of the longest tips are candidates

/// Chooses the five tips most like fingers: of similar direction and size, side by side. Returns
/// their cost; above 2 there are none. `out_chosen`: a bit for each tip.
float lmbi_fingers_choose(const lmbi_tip *tips, uint32_t count, const lmbi_finger_view *view,
                          lmbi_tip out[LMBI_FINGERS], uint32_t *out_chosen);

/// Orders the tips across the hand, the thumb first. `along`: unit, from the wrist to the finger
/// tips. Returns how much more that tip is like a thumb than the other end of the row, 0 to about
/// 5.
float lmbi_fingers_order(lmb_vec3 along, lmbi_tip tips[LMBI_FINGERS]);

/// The finger, other than the thumb, that reaches farthest. Its branch is not limited by a web.
uint32_t lmbi_fingers_longest(const lmbi_tip tips[LMBI_FINGERS]);

#endif
