/// Where fingers bend, as the mesh shows it.
#ifndef EMBED_HAND_FINGER_BENDS_H
#define EMBED_HAND_FINGER_BENDS_H

#include "limber/math.h"

enum { LMBI_BENDING_FINGERS = 4, LMBI_FINGER_STEPS = 24 };

/// A finger's line at equal steps, from its end to the knuckle.
typedef struct lmbi_finger_path {
    lmb_vec3 at[LMBI_FINGER_STEPS];
    float length;
} lmbi_finger_path;

/// Where a finger bends, of the way from its end to the knuckle.
typedef struct lmbi_bends {
    float middle, outer;
} lmbi_bends;

/// Modellers lay loops of edges closer together where a finger bends: draws usual places to where
/// the corners of triangles lie densest. `bends` comes with the usual places, and keeps them where
/// corners lie evenly. `corners`: 3 a triangle, in the space of the ways.
void lmbi_finger_bends(const lmb_vec3 *corners, uint32_t corner_count,
                       const lmbi_finger_path paths[LMBI_BENDING_FINGERS],
                       lmbi_bends bends[LMBI_BENDING_FINGERS]);

#endif
