// Puts a skeleton of one's own into a mesh of another size and pose: joints are found in the mesh,
// two wrists are told, the skeleton is moved to them and the mesh is bound to it.
//     build/samples/18_own_skeleton body.obj skeleton.glb bound.glb X Y Z
// X Y Z is the left wrist of the body; the right one is its mirror image.
#include <stdio.h>
#include <stdlib.h>

#include "character_file.h"

static lmb_result find_joints(const lmb_character *body, lmb_vec3 wrist, lmb_embedding *out,
                              lmb_error *error)
{
    const lmb_joint_marker wrists[2] = {{"leftWrist", wrist},
                                        {"rightWrist", lmb_vec3_make(-wrist.x, wrist.y, wrist.z)}};
    const lmb_embed_opts opts = {.kind = LMB_SKELETON_HUMAN, .markers = wrists, .marker_count = 2};
    lmb_surface *surface = NULL;
    lmb_result result = lmb_character_surface(body, NULL, &surface, error);
    if (result == LMB_OK) {
        result = lmb_embed(surface->positions, surface->vertex_count, surface->triangles,
                           surface->triangle_count, &opts, NULL, out, error);
    }
    lmb_surface_destroy(surface);
    return result;
}

/// Joints of the skeleton by what they are: the names tell.
static lmb_result fit(const lmb_character *from, const lmb_embedding *into, lmb_skeleton **out,
                      lmb_error *error)
{
    lmb_joint_map map;
    lmb_result result = lmb_joint_map_of_character(from, NULL, &map, error);
    const lmb_skeleton_fit_opts opts = {.map = &map};
    return result == LMB_OK ? lmb_skeleton_fit(from->skeleton, &opts, into, NULL, out, NULL, error)
                            : result;
}

int main(int argc, char **argv)
{
    lmb_file body_file = {0}, from_file = {0};
    lmb_character *body = NULL, *from = NULL;
    lmb_skeleton *fitted = NULL;
    lmb_embedding joints;
    lmb_error error = {.expected = "six arguments", .found = "fewer or more"};
    lmb_result result =
        argc == 7 ? lmb_file_read(argv[1], 0, &body_file, &error) : LMB_ERROR_INVALID;
    if (result == LMB_OK) {
        result = lmb_file_read(argv[2], 0, &from_file, &error);
    }
    if (result == LMB_OK) {
        result =
            lmb_read(LMB_FORMAT_OBJ, body_file.data, body_file.size, NULL, NULL, &body, &error);
    }
    if (result == LMB_OK) {
        result = lmb_gltf_read(from_file.data, from_file.size, NULL, NULL, &from, &error);
    }
    if (result == LMB_OK) {
        const lmb_vec3 wrist =
            lmb_vec3_make(strtof(argv[4], NULL), strtof(argv[5], NULL), strtof(argv[6], NULL));
        result = find_joints(body, wrist, &joints, &error);
    }
    if (result == LMB_OK) {
        result = fit(from, &joints, &fitted, &error);
    }
    if (result == LMB_OK) {
        const lmb_bind_opts bind = {.skeleton = fitted};
        result = lmb_bind(&body, &bind, NULL, NULL, &error);
    }
    if (result == LMB_OK && write_character(body, argv[3])) {
        printf("%s: %u joints, confidence %.2f\n", argv[3], fitted->joint_count,
               (double)joints.overall);
    } else {
        fprintf(stderr, "18_own_skeleton: expected %s, found %s\n", error.expected, error.found);
    }
    lmb_skeleton_destroy(fitted);
    lmb_character_destroy(body);
    lmb_character_destroy(from);
    lmb_file_free(&body_file);
    lmb_file_free(&from_file);
    return result == LMB_OK ? 0 : 1;
}
