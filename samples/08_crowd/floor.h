/// The floor, and a soft shadow under everybody's feet.
#ifndef SAMPLES_CROWD_FLOOR_H
#define SAMPLES_CROWD_FLOOR_H

#include "gl.h"
#include "limber/math.h"

typedef struct crowd_floor {
    GLuint program, vertices;
} crowd_floor;

/// `places`: a buffer of 20 bytes an instance that begins with x and z. False when the program does
/// not compile.
bool floor_start(crowd_floor *f, GLuint places);
/// After the crowd: shadows are blended over the floor and under the feet.
void floor_draw(const crowd_floor *f, lmb_mat4 clip_from_world, lmb_vec3 eye,
                uint32_t instance_count);

#endif
