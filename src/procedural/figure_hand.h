/// The fingers of the made humanoid: where they are in the T-pose, palms down, and how they curl.
#ifndef PROCEDURAL_FIGURE_HAND_H
#define PROCEDURAL_FIGURE_HAND_H

#include "limber/math.h"

enum { FIGURE_FINGERS = 5, FIGURE_HAND_JOINTS = 3 * FIGURE_FINGERS };

typedef struct lmbi_finger_bone {
    const char *name; ///< without its side
    int parent;       ///< of the hand's joints, or -1: the hand
    lmb_vec3 at;      ///< from the wrist, of the left hand
    lmb_vec3 tip;     ///< from the joint, of the last; else zero
} lmbi_finger_bone;

/// Thumb, index, middle, ring, little; from the palm outwards.
extern const lmbi_finger_bone lmbi_finger_bones[FIGURE_HAND_JOINTS];

/// Turns of a hand's joints since the T-pose, in the hand's frame: flat with `curl` 0, a fist with
/// 1. `side` is 0 for the left hand.
void lmbi_finger_turns(int side, float curl, lmb_quat turns[FIGURE_HAND_JOINTS]);

#endif
