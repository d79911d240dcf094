// Driver programs from any text: read, and those that compile are stepped; nothing but finite
// numbers comes out.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limber/limber.h"
#include "target.h"

enum { JOINTS = 4 };

static lmb_character *make_character(void)
{
    int32_t parents[JOINTS] = {LMB_NONE, 0, 0, 0};
    const char *names[JOINTS] = {"hips", "left", "right", "second"};
    lmb_transform rest[JOINTS];
    for (int j = 0; j < JOINTS; ++j) {
        rest[j] = lmb_transform_identity();
    }
    lmb_vec3 positions[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    uint32_t indices[3] = {0, 1, 2};
    lmb_primitive primitive = {.index_count = 3, .vertex_count = 3, .material = LMB_NONE};
    lmb_morph_target target = {.name = "smile", .positions = positions};
    lmb_instance instance = {.joint = 0, .mesh = 0, .skin = LMB_NONE};
    lmb_skeleton *skeleton = NULL;
    lmb_mesh *mesh = NULL;
    lmb_character *out = NULL;
    lmb_skeleton_create(
        &(lmb_skeleton){.joint_count = JOINTS, .parents = parents, .names = names, .rest = rest},
        NULL, &skeleton, NULL);
    lmb_mesh_create(&(lmb_mesh){.vertex_count = 3,
                                .positions = positions,
                                .index_count = 3,
                                .indices = indices,
                                .primitive_count = 1,
                                .primitives = &primitive,
                                .target_count = 1,
                                .targets = &target},
                    NULL, &mesh, NULL);
    lmb_character_create(&(lmb_character){.skeleton = skeleton,
                                          .mesh_count = 1,
                                          .meshes = &mesh,
                                          .instance_count = 1,
                                          .instances = &instance},
                         NULL, &out, NULL);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_character *character = make_character();
    lmb_drivers *drivers = NULL;
    lmb_error error = {0};
    const lmb_result result = lmb_drivers_create(data, size, character, NULL, &drivers, &error);
    if (result == LMB_ERROR_MALFORMED && size < 1 << 20 && (error.line == 0 || error.column == 0)) {
        abort();
    }
    lmb_transform local[JOINTS];
    float weight = 0;
    for (int f = 0; f < 8 && result == LMB_OK; ++f) {
        memcpy(local, character->skeleton->rest, sizeof local);
        lmb_drivers_step(&(lmb_drivers_step_job){.drivers = drivers,
                                                 .time_s = 0.37 * f * f,
                                                 .dt_s = 0.1 * f,
                                                 .local = local,
                                                 .weights = &weight});
        for (int j = 0; j < JOINTS; ++j) {
            const float length = lmb_quat_dot(local[j].rotation, local[j].rotation);
            if (!(length > 0.99f && length < 1.01f)) {
                abort();
            }
        }
    }
    lmb_drivers_destroy(drivers);
    lmb_character_destroy(character);
    return 0;
}
