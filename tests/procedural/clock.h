/// A clock of three hands and a face that can smile: what driver programs are tried on.
#ifndef TESTS_CLOCK_H
#define TESTS_CLOCK_H

#include <stdlib.h>

#include "limber/limber.h"

enum { CLOCK_JOINTS = 4, CLOCK_HOUR = 1, CLOCK_MINUTE, CLOCK_SECOND };

static inline lmb_mesh *clock_face(const char *first, const char *second)
{
    lmb_vec3 positions[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, moved[3] = {{0, 0, 1}};
    uint32_t indices[3] = {0, 1, 2};
    lmb_primitive primitive = {.index_count = 3, .vertex_count = 3, .material = LMB_NONE};
    lmb_morph_target targets[2] = {{.name = first, .positions = moved},
                                   {.name = second, .positions = moved}};
    float weights[2] = {0, 0.25f};
    lmb_mesh *mesh = NULL;
    lmb_mesh_create(&(lmb_mesh){.name = "face",
                                .vertex_count = 3,
                                .positions = positions,
                                .index_count = 3,
                                .indices = indices,
                                .primitive_count = 1,
                                .primitives = &primitive,
                                .target_count = 2,
                                .targets = targets,
                                .target_weights = weights},
                    NULL, &mesh, NULL);
    return mesh;
}

/// Joints face, hour, minute and "second hand"; two meshes on two joints share the target "smile".
/// The rest of the hour hand is rotated and scaled.
static inline lmb_character *clock_make(void)
{
    int32_t parents[CLOCK_JOINTS] = {LMB_NONE, 0, 0, 0};
    const char *names[CLOCK_JOINTS] = {"face", "hour", "minute", "second hand"};
    lmb_transform rest[CLOCK_JOINTS];
    for (int j = 0; j < CLOCK_JOINTS; ++j) {
        rest[j] = lmb_transform_identity();
    }
    rest[CLOCK_HOUR].translation = lmb_vec3_make(1, 2, 3);
    rest[CLOCK_HOUR].rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 0.5f * LMB_PI);
    rest[CLOCK_HOUR].scale = lmb_vec3_make(2, 2, 2);
    lmb_skeleton *skeleton = NULL;
    lmb_skeleton_create(
        &(lmb_skeleton){
            .joint_count = CLOCK_JOINTS, .parents = parents, .names = names, .rest = rest},
        NULL, &skeleton, NULL);
    lmb_mesh *meshes[2] = {clock_face("smile", "wink"), clock_face("frown", "smile")};
    lmb_instance instances[2] = {{.joint = 0, .mesh = 0, .skin = LMB_NONE},
                                 {.joint = 2, .mesh = 1, .skin = LMB_NONE}};
    lmb_character *character = NULL;
    lmb_character_create(&(lmb_character){.name = "clock",
                                          .skeleton = skeleton,
                                          .mesh_count = 2,
                                          .meshes = meshes,
                                          .instance_count = 2,
                                          .instances = instances},
                         NULL, &character, NULL);
    return character;
}

#endif
