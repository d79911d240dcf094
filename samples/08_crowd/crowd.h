/// Many instances of one character, all skinned on the GPU: the clip lies in a texture, one palette
/// a frame, and each instance says which frame it is at. Nothing is computed for them on the CPU.
#ifndef SAMPLES_CROWD_CROWD_H
#define SAMPLES_CROWD_CROWD_H

#include "floor.h"
#include "gl.h"
#include "limber/limber.h"

typedef struct crowd_part {
    const lmb_mesh *mesh;
    GLuint vertices, palettes;
    int32_t counts[4];
} crowd_part;

typedef struct crowd {
    const lmb_character *character;
    GLuint program, places;
    crowd_floor floor;
    uint32_t instance_count, frame_count, part_count;
    crowd_part parts[16];
} crowd;

/// False when nothing of the character can be drawn; stderr says why.
bool crowd_start(crowd *c, const lmb_character *character, uint32_t instance_count, bool dual);
void crowd_draw(const crowd *c, lmb_mat4 clip_from_world, lmb_vec3 eye, uint32_t frame);

#endif
