/// Where fingers bend, from the density of edge loops.
#ifndef EMBED_HAND_FINGER_BENDS_H
#define EMBED_HAND_FINGER_BENDS_H

#include "limber/math.h"

enum { LMBI_BENDING_FINGERS = 4, LMBI_FINGER_STEPS = 24 };

/// A finger's medial line at equal steps, from its end to the knuckle.
typedef struct lmbi_finger_path {
    lmb_vec3 at[LMBI_FINGER_STEPS];
    float length;
} lmbi_finger_path;

/// Positions of the two joints, as fractions of the path from its end to the knuckle.
typedef struct lmbi_bends {
    float middle, outer;
} lmbi_bends;

/// Modellers place edge loops closer together where a finger bends, so this moves the usual
/// positions toward the highest density of vertices. `bends` comes with the usual positions, and
/// keeps them if the density is even. `corners`: 3 for each triangle, in the space of the paths.
void lmbi_finger_bends(const lmb_vec3 *corners, uint32_t corner_count,
                       const lmbi_finger_path paths[LMBI_BENDING_FINGERS],
                       lmbi_bends bends[LMBI_BENDING_FINGERS]);

#endif
