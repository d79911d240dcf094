/// A tube of two joints that every deformer bends and twists.
#ifndef SAMPLES_DEFORMERS_TUBE_H
#define SAMPLES_DEFORMERS_TUBE_H

#include "limber/limber.h"

enum {
    RINGS = 61,
    SIDES = 32,
    SIDE = RINGS * SIDES,
    VERTICES = SIDE + 2,
    TRIANGLES = 2 * RINGS * SIDES,
};

typedef struct tube {
    lmb_vec3 positions[VERTICES], normals[VERTICES];
    uint32_t indices[3 * TRIANGLES], first[VERTICES + 1];
    lmb_influence items[2 * VERTICES];
} tube;

/// Upright, four metres long, a metre thick, closed by a vertex at both ends; the upper joint, at y
/// = 0, takes over from the lower between y = -1/2 and 1/2.
void tube_shape(tube *t);
/// With the rows of weights, or for looking at alone.
lmb_result tube_mesh(tube *t, bool skinned, lmb_mesh **out);
double tube_volume(const tube *t);

#endif
