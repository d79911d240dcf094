// Bends and twists a tube by every deformer, prints what is left of its volume, and writes them
// side by side, bent above, twisted below. From left to right: rigid, linear, dual quaternions, the
// same with their bulge taken back, centres of rotation, direct delta mush v0, v2, v4 and v5, delta
// mush.
//     build/samples/06_deformers deformers.glb
#include <stdio.h>
#include <stdlib.h>

#include "deform.h"
#include "limber/os.h"

enum { TUBES = 2 * METHODS };

static const char *const names[METHODS] = {"rigid", "linear", "dual",  "fixed", "centers",
                                           "mush",  "mush2",  "mush4", "mush5", "delta"};

static lmb_result write_row(lmb_mesh **meshes, const char *path, lmb_error *error)
{
    int32_t parents[TUBES];
    const char *joint_names[TUBES];
    lmb_transform rest[TUBES];
    lmb_instance instances[TUBES];
    for (uint32_t i = 0; i < TUBES; ++i) {
        parents[i] = LMB_NONE;
        joint_names[i] = names[i % METHODS];
        rest[i] = lmb_transform_identity();
        rest[i].translation = lmb_vec3_make(2.9f * (float)(i % METHODS), i < METHODS ? 4.2f : 0, 0);
        instances[i] = (lmb_instance){.joint = i, .mesh = i, .skin = LMB_NONE};
    }
    const lmb_skeleton skeleton = {
        .joint_count = TUBES, .parents = parents, .names = joint_names, .rest = rest};
    lmb_character def = {
        .mesh_count = TUBES, .meshes = meshes, .instance_count = TUBES, .instances = instances};
    lmb_character *character = NULL;
    lmb_buffer glb = {0};
    lmb_result result = lmb_skeleton_create(&skeleton, NULL, &def.skeleton, error);
    result = result == LMB_OK ? lmb_character_create(&def, NULL, &character, error) : result;
    result = result == LMB_OK ? lmb_gltf_write(character, NULL, NULL, &glb, error) : result;
    result = result == LMB_OK ? lmb_file_write(path, glb.data, glb.size, error) : result;
    lmb_buffer_free(&glb);
    lmb_character_destroy(character);
    return result;
}

int main(int argc, char **argv)
{
    lmb_error error = {0};
    lmb_mesh *mesh = NULL, *meshes[TUBES] = {0};
    deformers *d = calloc(1, sizeof(*d));
    tube *rest = calloc(1, sizeof(*rest)), *out = calloc(1, sizeof(*out));
    if (argc != 2 || rest == NULL || out == NULL || d == NULL) {
        fputs("usage: 06_deformers OUT.glb\n", stderr);
        return 2;
    }
    tube_shape(rest);
    if (tube_mesh(rest, true, &mesh) != LMB_OK || deformers_prepare(d, mesh, &error) != LMB_OK) {
        fprintf(stderr, "expected %s, found %s\n", error.expected, error.found);
        return 1;
    }
    for (int i = 0; i < TUBES; ++i) {
        const bool bent = i < METHODS;
        lmb_transform turn = lmb_transform_identity();
        turn.rotation = lmb_quat_axis_angle(bent ? lmb_vec3_make(0, 0, 1) : lmb_vec3_make(0, 1, 0),
                                            bent ? -1.9f : 3.0f);
        const lmb_mat4 palette[] = {lmb_mat4_identity(), lmb_mat4_from_transform(turn)};
        *out = *rest;
        deform(d, i % METHODS, palette, out);
        printf("%-8s %-8s keeps %.4f of the volume\n", names[i % METHODS],
               bent ? "bent" : "twisted", tube_volume(out) / tube_volume(rest));
        if (tube_mesh(out, false, &meshes[i]) != LMB_OK) {
            return 1;
        }
    }
    deformers_free(d);
    lmb_mesh_destroy(mesh);
    free(rest);
    free(out);
    return write_row(meshes, argv[1], &error) == LMB_OK ? 0 : 1;
}
