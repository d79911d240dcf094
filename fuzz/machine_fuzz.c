// State machines from any text: read, and those that can be made are driven with parameters from
// the bytes.
#include <stdlib.h>
#include <string.h>

#include "anim/anim.h"
#include "limber/limber.h"
#include "target.h"

enum { JOINTS = 3, MOST_CLIPS = 16 };

static lmb_skeleton *make_skeleton(void)
{
    int32_t parents[JOINTS] = {LMB_NONE, 0, 0};
    const char *names[JOINTS] = {"hips", "left", "right"};
    lmb_transform rest[JOINTS] = {lmb_transform_identity(), lmb_transform_identity(),
                                  lmb_transform_identity()};
    rest[0].translation.y = 1;
    rest[1].translation = lmb_vec3_make(0.1f, -1, 0);
    rest[2].translation = lmb_vec3_make(-0.1f, -1, 0);
    lmb_skeleton *out = NULL;
    lmb_skeleton_create(
        &(lmb_skeleton){.joint_count = JOINTS, .parents = parents, .names = names, .rest = rest},
        NULL, &out, NULL);
    return out;
}

/// A clip of that name whose feet swing, of a length that the name gives.
static lmb_clip *make_clip(const char *name)
{
    float ticks[] = {0, 1, 2, 3, 4}, left[15] = {0}, right[15] = {0}, hips[15] = {0};
    for (int k = 0; k < 5; ++k) {
        left[3 * k + 2] = k == 1 ? 0.3f : (k == 3 ? -0.3f : 0);
        right[3 * k + 2] = -left[3 * k + 2];
        left[3 * k + 1] = right[3 * k + 1] = -1;
        hips[3 * k + 1] = 1;
        hips[3 * k + 2] = 0.2f * (float)k;
    }
    lmb_channel channels[] = {{0, LMB_PATH_TRANSLATION, LMB_LINEAR, 3, 5, ticks, hips},
                              {1, LMB_PATH_TRANSLATION, LMB_LINEAR, 3, 5, ticks, left},
                              {2, LMB_PATH_TRANSLATION, LMB_LINEAR, 3, 5, ticks, right}};
    lmb_clip *out = NULL;
    lmb_clip_create(&(lmb_clip){.name = name,
                                .ticks_per_s = (float)(2 + strlen(name) % 7),
                                .duration = name[0] == '0' ? 0.0f : 4.0f,
                                .channel_count = 3,
                                .channels = channels},
                    NULL, &out, NULL);
    return out;
}

static void drive(const lmb_graph *graph, lmb_machine *machine, const uint8_t *data, size_t size)
{
    lmb_transform pose[JOINTS];
    const uint32_t parameters = lmbi_graph_parameter_count(graph);
    for (size_t k = 0; k < 40; ++k) {
        const uint8_t byte = data[(k * 7) % size];
        if (parameters > 0) {
            lmb_machine_set(machine, byte % parameters,
                            (float)(int8_t)data[(k * 13) % size] / 16.0f);
        }
        lmb_root_placement moved;
        lmb_machine_step(machine, byte % 5 == 0 ? 0.0 : (double)byte / 500.0, pose, &moved);
        const lmb_machine_info info = lmb_machine_describe(machine);
        if (info.event_count > 0 && info.events[0].name == NULL) {
            abort();
        }
        for (int j = 0; j < JOINTS; ++j) {
            if (!(lmb_quat_dot(pose[j].rotation, pose[j].rotation) > 0.9f) ||
                !lmb_vec3_is_finite(pose[j].translation)) {
                abort();
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_graph *graph = NULL;
    lmb_error error = {0};
    if (lmb_graph_read(data, size, NULL, &graph, &error) != LMB_OK) {
        return 0;
    }
    lmb_skeleton *skeleton = make_skeleton();
    lmb_clip *clips[MOST_CLIPS] = {0};
    uint32_t count = 0;
    for (; count < MOST_CLIPS && lmb_graph_clip(graph, count) != NULL; ++count) {
        clips[count] = make_clip(lmb_graph_clip(graph, count));
    }
    lmb_machine *machine = NULL;
    const bool feet = size % 2 == 0;
    const lmb_machine_foot foot = {.joint = 1, .ball = {0, -0.1f, 0}};
    const lmb_machine_def def = {.graph = graph,
                                 .skeleton = skeleton,
                                 .clips = (const lmb_clip *const *)clips,
                                 .clip_count = count,
                                 .root = size % 3 == 0 ? LMB_NONE : 0,
                                 .left_foot = feet ? 1 : LMB_NONE,
                                 .right_foot = feet ? 2 : LMB_NONE,
                                 .foot_count = feet ? 1 : 0,
                                 .feet = &foot};
    if (lmb_machine_create(&def, NULL, &machine, &error) == LMB_OK) {
        drive(graph, machine, data, size);
        lmb_machine_destroy(machine);
    }
    for (uint32_t k = 0; k < count; ++k) {
        lmb_clip_destroy(clips[k]);
    }
    lmb_skeleton_destroy(skeleton);
    lmb_graph_destroy(graph);
    return 0;
}
