// Strokes of a brush as text, on a square: errors point into the text, and rows that were painted
// still sum to 1.
#include <math.h>
#include <stdlib.h>

#include "limber/rig.h"
#include "target.h"

static lmb_character *make_square(void)
{
    static lmb_vec3 positions[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    static uint32_t triangles[6] = {0, 1, 2, 0, 2, 3}, first[5] = {0, 1, 2, 3, 4},
                    joints[2] = {0, 1};
    static lmb_influence items[4] = {{0, 1}, {1, 1}, {1, 1}, {0, 1}};
    static lmb_primitive primitive = {.index_count = 6,
                                      .vertex_count = 4,
                                      .attributes = LMB_HAS_INFLUENCES,
                                      .material = LMB_NONE};
    static int32_t parents[3] = {LMB_NONE, 0, LMB_NONE};
    static const char *names[3] = {"root", "tip", "square"};
    static lmb_transform rest[3];
    static lmb_mat4 binds[2];
    for (int j = 0; j < 3; ++j) {
        rest[j] = lmb_transform_identity();
    }
    binds[0] = binds[1] = lmb_mat4_identity();
    const lmb_mesh mesh = {.vertex_count = 4,
                           .index_count = 6,
                           .positions = positions,
                           .indices = triangles,
                           .primitive_count = 1,
                           .primitives = &primitive,
                           .influences = {first, items}};
    const lmb_skeleton skeleton = {
        .joint_count = 3, .parents = parents, .names = names, .rest = rest};
    const lmb_skin skin = {
        .joint_count = 2, .joints = joints, .joint_from_bind = binds, .root = LMB_NONE};
    lmb_mesh *meshes[1] = {0};
    lmb_skin *skins[1] = {0};
    lmb_instance instance = {.joint = 2, .mesh = 0, .skin = 0};
    lmb_character def = {.mesh_count = 1,
                         .meshes = meshes,
                         .skin_count = 1,
                         .skins = skins,
                         .instance_count = 1,
                         .instances = &instance};
    lmb_character *out = NULL;
    if (lmb_mesh_create(&mesh, NULL, &meshes[0], NULL) != LMB_OK ||
        lmb_skin_create(&skin, NULL, &skins[0], NULL) != LMB_OK ||
        lmb_skeleton_create(&skeleton, NULL, &def.skeleton, NULL) != LMB_OK ||
        lmb_character_create(&def, NULL, &out, NULL) != LMB_OK) {
        abort();
    }
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_character *c = make_square();
    lmb_error error = {0};
    const lmb_result result = lmb_weights_paint(&c, data, size, NULL, NULL, &error);
    if (result == LMB_ERROR_MALFORMED &&
        (error.line == 0 || error.column == 0 || error.expected[0] == 0)) {
        abort();
    }
    const lmb_influences *rows = &c->meshes[0]->influences;
    for (uint32_t v = 0; v < 4; ++v) {
        float sum = 0;
        for (uint32_t k = rows->first[v]; k < rows->first[v + 1]; ++k) {
            sum += rows->items[k].weight;
        }
        if (!(fabsf(sum - 1) < 1e-5f)) {
            abort();
        }
    }
    lmb_character_destroy(c);
    return 0;
}
