/// Clips over each other, and state machines, baked to a clip.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "limber/author.h"

static lmb_character *make(lmb_motion_kind kind)
{
    lmb_character *made = NULL;
    assert_int_equal(lmb_motion_create(&(lmb_motion_opts){.kind = kind}, NULL, &made, NULL),
                     LMB_OK);
    return made;
}

static lmb_vec3 joint_at(const lmb_character *c, const lmb_clip *clip, double time_s,
                         const char *name)
{
    const lmb_skeleton *s = c->skeleton;
    lmb_transform *pose = calloc(s->joint_count, sizeof *pose);
    lmb_mat4 *model = calloc(s->joint_count, sizeof *model);
    lmb_clip_to_model(clip, s, time_s, pose, model);
    const lmb_vec3 at = lmb_mat4_translation(model[lmb_skeleton_find(s, name)]);
    free(pose);
    free(model);
    return at;
}

static void a_stance_has_the_legs_and_what_carries_the_body(void **state)
{
    (void)state;
    lmb_character *walk = make(LMB_MOTION_WALK);
    const lmb_skeleton *s = walk->skeleton;
    lmb_stance stance;
    assert_int_equal(lmb_stance_find(walk, NULL, &stance, NULL), LMB_OK);
    assert_int_equal(stance.root, lmb_skeleton_find(s, "hips"));
    assert_int_equal(stance.leg_count, 2);
    assert_int_equal(stance.legs[0].foot, lmb_skeleton_find(s, "leftFoot"));
    assert_int_equal(stance.legs[1].foot, lmb_skeleton_find(s, "rightFoot"));
    assert_int_equal(stance.feet[1].joint, stance.legs[1].foot);
    lmb_character_destroy(walk);
}

static void mixed_speeds_go_between(void **state)
{
    (void)state;
    lmb_character *walk = make(LMB_MOTION_WALK), *run = make(LMB_MOTION_RUN);
    const lmb_blend_clip layers[] = {{.clip = walk->clips[0]}, {.clip = run->clips[0]}};
    float speeds[3];
    for (int k = 0; k < 3; ++k) {
        // The walk alone, both, the run alone.
        const lmb_blend_bake_opts opts = {
            .layers = layers + (k == 2), .layer_count = k == 1 ? 2 : 1, .seconds = 3, .name = "m"};
        lmb_blend_bake_report report;
        lmb_clip *clip = NULL;
        assert_int_equal(lmb_blend_bake(walk, &opts, NULL, &clip, &report, NULL), LMB_OK);
        assert_string_equal(clip->name, "m");
        assert_int_equal(report.frame_count, 181);
        assert_int_equal(report.holds_feet, k == 1); // one clip alone stays as it is
        assert_true(k != 1 || report.held_count > 60);
        speeds[k] = (joint_at(walk, clip, 3, "hips").z - joint_at(walk, clip, 0, "hips").z) / 3;
        lmb_clip_destroy(clip);
    }
    assert_true(speeds[0] > 0.5f && speeds[1] > speeds[0] + 0.2f && speeds[2] > speeds[1] + 0.2f);
    lmb_character_destroy(walk);
    lmb_character_destroy(run);
}

static void weights_follow_their_keys_and_masks_their_joints(void **state)
{
    (void)state;
    lmb_character *idle = make(LMB_MOTION_IDLE), *wave = make(LMB_MOTION_WAVE);
    const lmb_skeleton *s = idle->skeleton;
    float *mask = calloc(s->joint_count, sizeof *mask);
    lmb_mask_branch(s, (uint32_t)lmb_skeleton_find(s, "rightUpperArm"), 1, 0, mask);
    const lmb_blend_key keys[] = {{1, 0}, {2, 1}};
    const lmb_blend_clip layers[] = {{.kind = LMB_BLEND_OVER,
                                      .clip = wave->clips[0],
                                      .keys = keys,
                                      .key_count = 2,
                                      .mask = mask},
                                     {.clip = idle->clips[0]}};
    const lmb_blend_bake_opts opts = {.layers = layers,
                                      .layer_count = 2,
                                      .seconds = 3,
                                      .no_lock = true,
                                      .in_place = true},
                              plain = {.layers = layers + 1,
                                       .layer_count = 1,
                                       .seconds = 3,
                                       .in_place = true};
    lmb_clip *over = NULL, *alone = NULL;
    assert_int_equal(lmb_blend_bake(idle, &opts, NULL, &over, NULL, NULL), LMB_OK);
    assert_int_equal(lmb_blend_bake(idle, &plain, NULL, &alone, NULL, NULL), LMB_OK);
    for (int k = 0; k <= 6; ++k) {
        const double t = 0.5 * k;
        const float arm = lmb_vec3_distance(joint_at(idle, over, t, "rightHand"),
                                            joint_at(idle, alone, t, "rightHand")),
                    other = lmb_vec3_distance(joint_at(idle, over, t, "leftHand"),
                                              joint_at(idle, alone, t, "leftHand"));
        assert_true(other < 2e-3f);
        assert_true(k <= 2 ? arm < 2e-3f : arm > (k == 3 ? 0.05f : 0.2f));
    }
    lmb_clip_destroy(over);
    lmb_clip_destroy(alone);
    free(mask);
    lmb_character_destroy(idle);
    lmb_character_destroy(wave);
}

static void count_step(void *user, const lmb_machine_info *info, double from_s, double time_s)
{
    uint32_t *running = user;
    *running += strcmp(info->states[0], "run") == 0;
    assert_true(time_s >= from_s);
}

static void a_machine_is_set_as_it_plays(void **state)
{
    (void)state;
    static const char text[] =
        "{\"limber\": \"state machine\", \"parameters\": {\"fast\": false}, \"states\": "
        "{\"walk\": {\"clip\": \"walk\"}, \"run\": {\"clip\": \"run\"}}, \"transitions\": "
        "[{\"from\": \"walk\", \"to\": \"run\", \"when\": \"fast\", \"seconds\": 0.2}]}";
    lmb_character *walk = make(LMB_MOTION_WALK), *run = make(LMB_MOTION_RUN);
    const lmb_clip *clips[] = {walk->clips[0], run->clips[0]};
    lmb_graph *graph = NULL;
    assert_int_equal(lmb_graph_read(text, strlen(text), NULL, &graph, NULL), LMB_OK);
    const lmb_machine_setting fast = {(uint32_t)lmb_graph_parameter_find(graph, "fast"), 1, 1.0};
    uint32_t running = 0;
    const lmb_blend_machine machine = {.graph = graph,
                                       .clips = clips,
                                       .clip_count = 2,
                                       .settings = &fast,
                                       .setting_count = 1,
                                       .on_step = count_step,
                                       .user = &running};
    const lmb_blend_bake_opts opts = {.machine = &machine, .seconds = 2, .rate_hz = 30};
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_blend_bake(walk, &opts, NULL, &clip, NULL, NULL), LMB_OK);
    assert_string_equal(clip->name, "blend");
    assert_true(running >= 22 && running <= 30);
    lmb_clip_destroy(clip);
    lmb_graph_destroy(graph);
    lmb_character_destroy(walk);
    lmb_character_destroy(run);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    lmb_character *walk = make(LMB_MOTION_WALK);
    const lmb_blend_key heavy = {0, 1.5}, falling[] = {{1, 1}, {0, 1}};
    const lmb_blend_clip whole = {.clip = walk->clips[0]},
                         over = {.kind = LMB_BLEND_OVER, .clip = walk->clips[0]};
    lmb_blend_clip wrong[2] = {whole, over};
    const lmb_blend_bake_opts none = {.seconds = 1},
                              only_over = {.layers = &over, .layer_count = 1},
                              too_fast = {.layers = &whole, .layer_count = 1, .rate_hz = 1000},
                              too_long = {.layers = &whole, .layer_count = 1, .seconds = 1e6},
                              bad_keys = {.layers = wrong, .layer_count = 2};
    const lmb_blend_bake_opts *all[] = {&none, &only_over, &too_fast, &too_long, &bad_keys};
    lmb_clip *clip = NULL;
    wrong[1].keys = &heavy;
    wrong[1].key_count = 1;
    for (int k = 0; k < 5; ++k) {
        lmb_error error = {0};
        assert_int_equal(lmb_blend_bake(walk, all[k], NULL, &clip, NULL, &error),
                         LMB_ERROR_INVALID);
        assert_true(error.expected[0] != 0 && error.found[0] != 0);
    }
    wrong[1].keys = falling;
    wrong[1].key_count = 2;
    assert_int_equal(lmb_blend_bake(walk, &bad_keys, NULL, &clip, NULL, NULL), LMB_ERROR_INVALID);
    assert_null(clip);
    lmb_character_destroy(walk);
}

static void what_runs_out_of_memory_leaves_nothing(void **state)
{
    (void)state;
    lmb_character *walk = make(LMB_MOTION_WALK), *run = make(LMB_MOTION_RUN);
    const lmb_blend_clip layers[] = {{.clip = walk->clips[0]}, {.clip = run->clips[0]}};
    const lmb_blend_bake_opts opts = {
        .layers = layers, .layer_count = 2, .seconds = 0.1, .rate_hz = 30};
    for (failing_run f = {.least = 20}; failing_next(&f);) {
        lmb_clip *clip = NULL;
        f.result = lmb_blend_bake(walk, &opts, &f.alloc, &clip, NULL, NULL);
        assert_true((clip != NULL) == (f.result == LMB_OK));
        lmb_clip_destroy(clip);
    }
    lmb_character_destroy(walk);
    lmb_character_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stance_has_the_legs_and_what_carries_the_body),
        cmocka_unit_test(mixed_speeds_go_between),
        cmocka_unit_test(weights_follow_their_keys_and_masks_their_joints),
        cmocka_unit_test(a_machine_is_set_as_it_plays),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(what_runs_out_of_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
