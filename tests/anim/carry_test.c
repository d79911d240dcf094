// Where a transition carries motion over, the path of the root and the pose are what the rates say,
// whatever the step.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "anim/anim.h"
#include "limber/limber.h"

enum { JOINTS = 4, FRAMES = 31 };

#define SPEED 1.0f
#define HALF_S 0.25

static lmb_skeleton *make_skeleton(void)
{
    int32_t parents[JOINTS] = {LMB_NONE, 0, 0, 0};
    const char *names[JOINTS] = {"hips", "left", "right", "arm"};
    lmb_transform rest[JOINTS];
    for (int j = 0; j < JOINTS; ++j) {
        rest[j] = lmb_transform_identity();
    }
    rest[0].translation.y = 1;
    rest[1].translation = lmb_vec3_make(0.1f, -1, 0);
    rest[2].translation = lmb_vec3_make(-0.1f, -1, 0);
    const lmb_skeleton def = {
        .joint_count = JOINTS, .parents = parents, .names = names, .rest = rest};
    lmb_skeleton *out = NULL;
    assert_int_equal(lmb_skeleton_create(&def, NULL, &out, NULL), LMB_OK);
    return out;
}

/// A second in which the root goes +Z and the arm is rotated.
static lmb_clip *make_clip(const lmb_skeleton *skeleton, const char *name, float speed,
                           float rotation_rad)
{
    lmb_transform poses[FRAMES * JOINTS];
    lmb_clip *out = NULL;
    for (int f = 0; f < FRAMES; ++f) {
        lmb_transform *pose = poses + f * JOINTS;
        memcpy(pose, skeleton->rest, JOINTS * sizeof *pose);
        pose[0].translation.z = speed * (float)f / (FRAMES - 1);
        pose[3].rotation = lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), rotation_rad);
    }
    assert_int_equal(
        lmb_clip_from_poses(skeleton, poses, FRAMES, FRAMES - 1, name, NULL, &out, NULL), LMB_OK);
    return out;
}

typedef struct stopped {
    float travel; ///< of the root, from the step that stops on
    float left;   ///< of the arm's rotation, half way through the transition
} stopped;

/// Goes for a second, then stops in half a second.
static stopped stop(const char *how, uint32_t steps_a_second)
{
    char text[400];
    snprintf(text, sizeof text,
             "{\"limber\": \"state machine\", \"parameters\": {\"stop\": false}, \"states\": "
             "{\"go\": {\"clip\": \"go\"}, \"stand\": {\"clip\": \"stand\"}}, \"transitions\": "
             "[{\"from\": \"go\", \"to\": \"stand\", \"when\": \"stop\", \"seconds\": %g, "
             "\"how\": \"%s\"}]}",
             2 * HALF_S, how);
    lmb_skeleton *skeleton = make_skeleton();
    lmb_clip *clips[2] = {make_clip(skeleton, "go", SPEED, 1), make_clip(skeleton, "stand", 0, 0)};
    const lmb_clip *const known[2] = {clips[0], clips[1]};
    lmb_graph *graph = NULL;
    lmb_machine *machine = NULL;
    lmb_transform pose[JOINTS];
    stopped out = {0, 0};
    assert_int_equal(lmb_graph_read(text, strlen(text), NULL, &graph, NULL), LMB_OK);
    const lmb_machine_def def = {graph, skeleton, known, 2, 0, 1, 2};
    assert_int_equal(lmb_machine_create(&def, NULL, &machine, NULL), LMB_OK);
    const double dt_s = 1.0 / steps_a_second;
    for (uint32_t k = 0; k <= 2 * steps_a_second; ++k) {
        lmb_root_placement moved;
        if (k == steps_a_second) {
            lmb_machine_set(machine, 0, 1);
        }
        lmb_machine_step(machine, k > 0 ? dt_s : 0, pose, &moved);
        out.travel += k >= steps_a_second ? moved.position.z : 0;
        if (fabs((k - steps_a_second + 1.0) * dt_s - HALF_S) < 1e-6) {
            out.left = lmb_quat_angle(pose[3].rotation, lmb_quat_identity());
        }
    }
    lmb_machine_destroy(machine);
    lmb_graph_destroy(graph);
    lmb_clip_destroy(clips[0]);
    lmb_clip_destroy(clips[1]);
    lmb_skeleton_destroy(skeleton);
    return out;
}

static void the_root_slows_down_as_far_in_any_steps(void **state)
{
    (void)state;
    static const uint32_t rates[] = {8, 12, 20, 60, 240};
    for (size_t k = 0; k < sizeof rates / sizeof *rates; ++k) {
        // A speed that falls to nothing along a curve symmetric about its middle goes half the way.
        const stopped s = stop("quintic", rates[k]);
        assert_true(fabsf(s.left - 0.5f) < 1e-3f || rates[k] % 4 != 0);
        assert_true(fabsf(s.travel - SPEED * (float)HALF_S) < 2e-3f);
    }
}

static void a_spring_has_a_third_of_the_time_for_half(void **state)
{
    (void)state;
    double rotation = 1, speed = 0;
    lmbi_spring_step(&rotation, &speed, 2 * HALF_S / 3, HALF_S);
    const stopped s = stop("spring", 240);
    assert_true(fabs((double)s.left - rotation) < 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_root_slows_down_as_far_in_any_steps),
        cmocka_unit_test(a_spring_has_a_third_of_the_time_for_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
