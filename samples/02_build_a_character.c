// Builds a character in memory, without any file: a strip of skin on two bones that waves. Writes
// it as a GLB.
//     build/samples/02_build_a_character wave.glb
#include <stdio.h>

#include "limber/limber.h"
#include "limber/os.h"

enum { ROWS = 9, VERTICES = 2 * ROWS, TRIANGLES = 2 * (ROWS - 1) };

/// Two bones one above the other, each one metre long.
static lmb_result make_skeleton(lmb_skeleton **out)
{
    int32_t parents[] = {LMB_NONE, 0};
    const char *names[] = {"lower", "upper"};
    lmb_transform rest[] = {lmb_transform_identity(), lmb_transform_identity()};
    rest[1].translation = lmb_vec3_make(0, 1, 0);
    const lmb_skeleton def = {.joint_count = 2, .parents = parents, .names = names, .rest = rest};
    return lmb_skeleton_create(&def, NULL, out, NULL);
}

/// The skin: rows of two vertices from y = 0 to 2. The upper bone takes over around the joint,
/// between 0.5 and 1.5.
static lmb_result make_mesh(lmb_mesh **out)
{
    lmb_vec3 positions[VERTICES];
    uint32_t indices[3 * TRIANGLES], first[VERTICES + 1] = {0}, index = 0;
    lmb_influence items[2 * VERTICES];
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const float y = 2.0f * (float)(v / 2) / (ROWS - 1);
        const float upper = y <= 0.5f ? 0.0f : (y >= 1.5f ? 1.0f : y - 0.5f);
        positions[v] = lmb_vec3_make(v % 2 ? 0.2f : -0.2f, y, 0);
        const uint32_t strong = upper > 0.5f ? 1 : 0; // rows are sorted by falling weight
        items[first[v]] = (lmb_influence){strong, strong ? upper : 1 - upper};
        first[v + 1] = first[v] + 1;
        if (upper > 0 && upper < 1) {
            items[first[v + 1]++] = (lmb_influence){1 - strong, strong ? 1 - upper : upper};
        }
    }
    for (uint32_t row = 0; row + 1 < ROWS; ++row) {
        const uint32_t a = 2 * row, corners[] = {a, a + 1, a + 2, a + 2, a + 1, a + 3};
        for (int k = 0; k < 6; ++k) {
            indices[index++] = corners[k];
        }
    }
    lmb_primitive primitive = {.index_count = 3 * TRIANGLES,
                               .vertex_count = VERTICES,
                               .attributes = LMB_HAS_INFLUENCES,
                               .material = LMB_NONE};
    const lmb_mesh def = {.name = "strip",
                          .vertex_count = VERTICES,
                          .positions = positions,
                          .index_count = 3 * TRIANGLES,
                          .indices = indices,
                          .primitive_count = 1,
                          .primitives = &primitive,
                          .influences = {first, items}};
    return lmb_mesh_create(&def, NULL, out, NULL);
}

/// joint_from_bind takes the mesh, as it was modelled, into the frame of each bone.
static lmb_result make_skin(lmb_skin **out)
{
    uint32_t joints[] = {0, 1};
    lmb_mat4 joint_from_bind[] = {lmb_mat4_identity(), lmb_mat4_identity()};
    joint_from_bind[1].m[13] = -1; // the upper bone begins one metre up
    const lmb_skin def = {
        .joint_count = 2, .joints = joints, .joint_from_bind = joint_from_bind, .root = LMB_NONE};
    return lmb_skin_create(&def, NULL, out, NULL);
}

/// The upper bone leans left, right, and back, in two seconds.
static lmb_result make_clip(lmb_clip **out)
{
    const float angles[] = {0, 0.8f, -0.8f, 0};
    float seconds[] = {0, 0.5f, 1.5f, 2}, values[16];
    for (int k = 0; k < 4; ++k) {
        const lmb_quat q = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), angles[k]);
        const float xyzw[] = {q.x, q.y, q.z, q.w};
        for (int i = 0; i < 4; ++i) {
            values[4 * k + i] = xyzw[i];
        }
    }
    lmb_channel channel = {.joint = 1,
                           .path = LMB_PATH_ROTATION,
                           .width = 4,
                           .key_count = 4,
                           .ticks = seconds,
                           .values = values};
    const lmb_clip def = {
        .name = "wave", .ticks_per_s = 1, .duration = 2, .channel_count = 1, .channels = &channel};
    return lmb_clip_create(&def, NULL, out, NULL);
}

int main(int argc, char **argv)
{
    lmb_skeleton *skeleton = NULL;
    lmb_mesh *mesh = NULL;
    lmb_skin *skin = NULL;
    lmb_clip *clip = NULL;
    lmb_character *character = NULL;
    lmb_error error;
    if (argc != 2 || make_skeleton(&skeleton) != LMB_OK || make_mesh(&mesh) != LMB_OK ||
        make_skin(&skin) != LMB_OK || make_clip(&clip) != LMB_OK) {
        fprintf(stderr, "usage: 02_build_a_character OUT.glb\n");
        return 2;
    }
    // The mesh sits on the lower bone's node; a skinned mesh does not move with it.
    lmb_instance instance = {.joint = 0, .mesh = 0, .skin = 0};
    const lmb_character def = {.name = "strip",
                               .skeleton = skeleton,
                               .mesh_count = 1,
                               .meshes = &mesh,
                               .skin_count = 1,
                               .skins = &skin,
                               .clip_count = 1,
                               .clips = &clip,
                               .instance_count = 1,
                               .instances = &instance};
    if (lmb_character_create(&def, NULL, &character, &error) != LMB_OK) {
        fprintf(stderr, "expected %s, found %s\n", error.expected, error.found);
        return 1;
    }
    lmb_buffer glb = {0};
    lmb_result result = lmb_gltf_write(character, NULL, NULL, &glb, &error);
    if (result == LMB_OK) {
        result = lmb_file_write(argv[1], glb.data, glb.size, &error);
    }
    lmb_buffer_free(&glb);
    lmb_character_destroy(character); // and everything that was given to it
    return result == LMB_OK ? 0 : 1;
}
