// Correctives from sculpts: the sculpt is there at its pose, nothing at rest, and what turns it on
// is the joint that bends it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limber/anim.h"
#include "limber/author.h"
#include "tube.h"

enum { JOINTS = TUBE_JOINTS, VERTICES = TUBE_VERTICES, AROUND = TUBE_AROUND };

/// The character's vertices at a time of its clip, and the morph weights there.
static void play(const lmb_character *c, double time_s, lmb_vec3 *out, float *weights)
{
    lmb_transform local[JOINTS];
    uint32_t first[JOINTS + 1];
    assert_true(lmb_character_weights(c, first, weights) <= 4);
    lmb_sample(&(lmb_sample_job){.clip = c->clips[0],
                                 .time_s = time_s,
                                 .joint_count = JOINTS,
                                 .rest = c->skeleton->rest,
                                 .pose = local,
                                 .weight_first = first,
                                 .weights = weights});
    tube_shape(c, local, weights, out);
}

/// The posed shape, pushed by 0.1 along +Z where the tube lies within 0.3 of a height at rest.
static void sculpt_at(const lmb_character *c, double time_s, float height, lmb_vec3 *out)
{
    float weights[4];
    play(c, time_s, out, weights);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        out[v].z += fabsf(c->meshes[0]->positions[v].y - height) < 0.3f ? 0.1f : 0;
    }
}

static float farthest(const lmb_vec3 *a, const lmb_vec3 *b)
{
    float most = 0;
    for (uint32_t v = 0; v < VERTICES; ++v) {
        most = fmaxf(most, lmb_vec3_distance(a[v], b[v]));
    }
    return most;
}

static void the_sculpt_is_shown_at_its_pose_and_its_joint_drives_it(void **state)
{
    (void)state;
    lmb_character *c = tube_animated();
    lmb_vec3 plain[VERTICES], sculpted[VERTICES], shown[VERTICES];
    float weights[4];
    lmb_corrective_report report;
    sculpt_at(c, 0.9375, 1, sculpted); // between two frames of the clip
    play(c, 0, plain, weights);
    const lmb_sculpt sculpt = {.name = "elbow", .time_s = 0.9375, .positions = sculpted};
    const lmb_correct_opts opts = {.sculpt_count = 1, .sculpts = &sculpt};
    assert_int_equal(lmb_correct(&c, &opts, NULL, &report, NULL), LMB_OK);
    assert_int_equal(report.driver_count, 1);
    assert_int_equal(report.drivers[0], 1);
    assert_string_equal(c->meshes[0]->targets[0].name, "elbow");
    play(c, 0.9375, shown, weights);
    assert_true(farthest(shown, sculpted) < 1e-6f);
    assert_float_equal(weights[0], 1, 1e-6);
    play(c, 0, shown, weights);
    assert_true(farthest(shown, plain) < 1e-6f);
    play(c, 0.5, shown, weights); // half of the elbow's rotation, nearly
    assert_float_equal(weights[0], 0.5f / 0.9375f, 0.01);
    lmb_character_destroy(c);
}

/// Joints that bend apart regions are kept apart; sculpts of one joint share an interpolation.
static void each_region_has_its_own_drivers(void **state)
{
    (void)state;
    lmb_character *c = tube_animated();
    lmb_vec3 shapes[3][VERTICES], shown[VERTICES];
    float weights[4];
    sculpt_at(c, 0.5, 1, shapes[0]);
    sculpt_at(c, 1, 1, shapes[1]);
    sculpt_at(c, 2, 2, shapes[2]);
    const lmb_sculpt sculpts[3] = {{.name = "half", .time_s = 0.5, .positions = shapes[0]},
                                   {.name = "full", .time_s = 1, .positions = shapes[1]},
                                   {.name = "wrist", .time_s = 2, .positions = shapes[2]}};
    const lmb_correct_opts opts = {.sculpt_count = 3, .sculpts = sculpts};
    lmb_corrective_report reports[3];
    assert_int_equal(lmb_correct(&c, &opts, NULL, reports, NULL), LMB_OK);
    assert_int_equal(reports[0].drivers[0], 1);
    assert_int_equal(reports[1].drivers[0], 1);
    assert_int_equal(reports[2].drivers[0], 2);
    assert_true(reports[0].left_out_error > 0 && reports[2].left_out_error <= 0);
    for (int k = 0; k < 2; ++k) {
        play(c, sculpts[k].time_s, shown, weights);
        assert_true(farthest(shown, shapes[k]) < 1e-5f);
        assert_float_equal(weights[k], 1, 1e-5);
        assert_float_equal(weights[1 - k], 0, 1e-5);
        assert_float_equal(weights[2], 0, 1e-5);
    }
    // At 2 s the elbow is still bent: both are on.
    play(c, 2, shown, weights);
    assert_float_equal(weights[1], 1, 1e-5);
    assert_float_equal(weights[2], 1, 1e-5);
    lmb_character_destroy(c);
}

/// The tube swells where it bends, smoothly with the bend: frames of that, and how well what is
/// learned from two thirds of them shows the rest.
static void what_bending_does_is_learned_from_frames(void **state)
{
    (void)state;
    enum { FRAMES = 24 };
    lmb_character *c = tube_animated(), *before = c;
    static lmb_vec3 shapes[FRAMES][VERTICES];
    const lmb_vec3 *rows[FRAMES];
    double times[FRAMES];
    for (int k = 0; k < FRAMES; ++k) {
        float weights[4];
        times[k] = 2.0 * (k + 0.5) / FRAMES;
        play(c, times[k], shapes[k], weights);
        const float bend = fminf((float)times[k], 1); // of the elbow, nearly as its angle
        for (uint32_t v = 0; v < VERTICES; ++v) {
            const float away = fabsf(c->meshes[0]->positions[v].y - 1);
            shapes[k][v].z += away < 0.4f ? 0.1f * bend * bend : 0;
        }
        rows[k] = shapes[k];
    }
    const lmb_corrected_frames frames = {FRAMES, rows, 0, times};
    const lmb_correct_frames_opts opts = {.hold_out = 3, .target_count = 4};
    lmb_correct_frames_report report;
    lmb_error error = {0};
    if (lmb_correct_frames(&c, &frames, &opts, NULL, &report, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    assert_ptr_not_equal(c, before);
    assert_int_equal(report.frame_count, 16);
    assert_int_equal(report.held_out_count, 8);
    assert_true(report.target_count <= 4);
    assert_true(report.before_held_out_percent > 0.5f);
    assert_true(report.held_out_percent < 0.1f * report.before_held_out_percent);
    lmb_character_destroy(c);
}

static void frames_that_teach_nothing_are_refused(void **state)
{
    (void)state;
    lmb_character *c = tube_animated(), *before = c;
    static lmb_vec3 shapes[3][VERTICES];
    const lmb_vec3 *rows[3] = {shapes[0], shapes[1], shapes[2]};
    const double times[3] = {0.25, 0.5, 1};
    float weights[4];
    lmb_corrected_frames frames = {3, rows, 0, times};
    const lmb_correct_frames_opts opts = {0};
    lmb_error error = {0};
    for (int k = 0; k < 3; ++k) {
        play(c, times[k], shapes[k], weights);
        shapes[k][40].z += 0.1f;
    }
    frames.frame_count = 1;
    assert_int_equal(lmb_correct_frames(&c, &frames, &opts, NULL, NULL, &error), LMB_ERROR_INVALID);
    frames = (lmb_corrected_frames){3, rows, 1, times};
    assert_int_equal(lmb_correct_frames(&c, &frames, &opts, NULL, NULL, &error), LMB_ERROR_INVALID);
    const double one_time[3] = {0.5, 0.5, 0.5};
    frames = (lmb_corrected_frames){3, rows, 0, one_time};
    assert_int_equal(lmb_correct_frames(&c, &frames, &opts, NULL, NULL, &error), LMB_ERROR_INVALID);
    assert_ptr_equal(c, before);
    lmb_character_destroy(c);
}

static void refuse(lmb_sculpt sculpt, const char *found)
{
    lmb_character *c = tube_animated(), *before = c;
    lmb_vec3 shape[VERTICES];
    lmb_error error = {0};
    if (!sculpt.positions) {
        sculpt_at(c, sculpt.time_s, 1, shape);
        sculpt.positions = shape;
    }
    const lmb_correct_opts opts = {.sculpt_count = 1, .sculpts = &sculpt};
    assert_int_equal(lmb_correct(&c, &opts, NULL, NULL, &error), LMB_ERROR_INVALID);
    assert_non_null(strstr(error.found, found));
    assert_ptr_equal(c, before);
    lmb_character_destroy(c);
}

static void what_makes_no_corrective_is_refused(void **state)
{
    (void)state;
    lmb_character *c = tube_animated();
    lmb_vec3 shape[VERTICES];
    float weights[4];
    refuse((lmb_sculpt){.clip = 1, .time_s = 1}, "clip 1 of 1");
    refuse((lmb_sculpt){.time_s = 0}, "none does");
    play(c, 1, shape, weights);
    refuse((lmb_sculpt){.time_s = 1, .positions = shape}, "that shape");
    shape[3].x = NAN;
    refuse((lmb_sculpt){.time_s = 1, .positions = shape}, "vertex 3");
    lmb_character_destroy(c);
}

static lmb_result correct(lmb_character **c, const void *none, const lmb_allocator *alloc)
{
    (void)none;
    lmb_vec3 shape[VERTICES];
    sculpt_at(*c, 1, 1, shape);
    const lmb_sculpt sculpt = {.time_s = 1, .positions = shape};
    const lmb_correct_opts opts = {.sculpt_count = 1, .sculpts = &sculpt};
    return lmb_correct(c, &opts, alloc, NULL, NULL);
}

static void running_out_of_memory_changes_nothing(void **state)
{
    (void)state;
    tube_survives(correct, NULL, 3, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sculpt_is_shown_at_its_pose_and_its_joint_drives_it),
        cmocka_unit_test(each_region_has_its_own_drivers),
        cmocka_unit_test(what_bending_does_is_learned_from_frames),
        cmocka_unit_test(frames_that_teach_nothing_are_refused),
        cmocka_unit_test(what_makes_no_corrective_is_refused),
        cmocka_unit_test(running_out_of_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
