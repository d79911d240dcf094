// Weights under bones that are given: those that made the frames come back, whatever was there before.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "limber/learn.h"
#include "tube.h"

enum { JOINTS = TUBE_JOINTS, VERTICES = TUBE_VERTICES, FRAMES = 9 };

/// The tube, its smooth true weights, and frames of its bending.
typedef struct bent {
    lmb_character *character;
    lmb_influence truth[VERTICES][2];
    lmb_vec3 frames[FRAMES][VERTICES];
    lmb_mat4 model[FRAMES][JOINTS];
    const lmb_vec3 *frame_rows[FRAMES];
    const lmb_mat4 *model_rows[FRAMES];
} bent;

/// The tube, bound rigidly to the joint that each vertex follows most; positions in units of
/// 1 / scale metres.
static lmb_character *make_character(const bent *b, float scale)
{
    lmb_influence items[VERTICES];
    for (uint32_t v = 0; v < VERTICES; ++v) {
        items[v] = (lmb_influence){b->truth[v][b->truth[v][1].weight > 0.5f].joint, 1};
    }
    return tube_character(tube_mesh(items, 1, scale), NULL, scale);
}

static void pose_frame(bent *b, uint32_t frame)
{
    const lmb_skeleton *s = b->character->skeleton;
    lmb_transform local[JOINTS];
    lmb_random random = lmb_random_seed(100 + frame);
    for (uint32_t j = 0; j < JOINTS; ++j) {
        local[j] = s->rest[j];
        const lmb_vec3 axis = lmb_vec3_normalize_or(lmb_vec3_make(lmb_random_range(&random, -1, 1),
                                                                  lmb_random_range(&random, -1, 1),
                                                                  lmb_random_range(&random, -1, 1)),
                                                    lmb_vec3_make(1, 0, 0));
        local[j].rotation = lmb_quat_axis_angle(axis, lmb_random_range(&random, 0.3f, 1));
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = s, .local = local, .model_from_joint = b->model[frame]});
    b->model_rows[frame] = b->model[frame];
    b->frame_rows[frame] = b->frames[frame];
    for (uint32_t v = 0; v < VERTICES; ++v) {
        b->frames[frame][v] = (lmb_vec3){0, 0, 0};
        for (int k = 0; k < 2; ++k) {
            const lmb_influence in = b->truth[v][k];
            const lmb_mat4 t = lmb_mat4_mul(b->model[frame][in.joint],
                                            b->character->skins[0]->joint_from_bind[in.joint]);
            b->frames[frame][v] =
                lmb_vec3_mad(b->frames[frame][v],
                             lmb_mat4_point(t, b->character->meshes[0]->positions[v]), in.weight);
        }
    }
}

static bent *bent_make(float scale)
{
    bent *b = calloc(1, sizeof *b);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        tube_row(v, b->truth[v]);
    }
    b->character = make_character(b, scale);
    for (uint32_t k = 0; k < FRAMES; ++k) {
        pose_frame(b, k);
    }
    return b;
}

static void bent_free(bent *b)
{
    lmb_character_destroy(b->character);
    free(b);
}

static lmb_learn_frames frames_of(const bent *b)
{
    return (lmb_learn_frames){.vertex_count = VERTICES,
                              .frame_count = FRAMES,
                              .frames = b->frame_rows,
                              .model_from_joint = b->model_rows};
}

/// Largest difference of a weight from the truth.
static float weight_error(const bent *b)
{
    const lmb_influences *in = &b->character->meshes[0]->influences;
    float worst = 0;
    for (uint32_t v = 0; v < VERTICES; ++v) {
        float row[JOINTS] = {0};
        for (uint32_t k = in->first[v]; k < in->first[v + 1]; ++k) {
            row[in->items[k].joint] += in->items[k].weight;
        }
        for (int k = 0; k < 2; ++k) {
            row[b->truth[v][k].joint] -= b->truth[v][k].weight;
        }
        for (int j = 0; j < JOINTS; ++j) {
            worst = fmaxf(worst, fabsf(row[j]));
        }
    }
    return worst;
}

/// In metres, and in the centimetres of an armature that is scaled by 0.01.
static void the_weights_that_made_the_frames_come_back(void **state)
{
    (void)state;
    static const float scales[] = {1, 0.01f};
    for (int s = 0; s < 2; ++s) {
        bent *b = bent_make(scales[s]);
        const lmb_learn_frames frames = frames_of(b);
        const lmb_learn_weights_opts opts = {.hold_out = 3};
        lmb_learn_weights_report report;
        lmb_error error = {0};
        assert_true(weight_error(b) > 0.4f);
        if (lmb_learn_weights(&b->character, &frames, &opts, NULL, &report, &error) != LMB_OK) {
            fail_msg("expected %s, found %s", error.expected, error.found);
        }
        assert_true(weight_error(b) < 0.002f);
        assert_int_equal(report.frame_count, 6);
        assert_int_equal(report.held_out_count, 3);
        assert_int_equal(report.joint_count, JOINTS);
        assert_true(report.before_held_out_percent > 0.3f);
        assert_true(report.held_out_percent < 0.001f);
        assert_true(report.rms_percent < 0.001f);
        bent_free(b);
    }
}

static void smoothing_counts_the_same_in_any_unit(void **state)
{
    (void)state;
    const lmb_learn_weights_opts opts = {.smooth = 1e-2f};
    float errors[2];
    for (int s = 0; s < 2; ++s) {
        bent *b = bent_make(s == 0 ? 1 : 0.01f);
        const lmb_learn_frames frames = frames_of(b);
        assert_int_equal(lmb_learn_weights(&b->character, &frames, &opts, NULL, NULL, NULL),
                         LMB_OK);
        errors[s] = weight_error(b);
        bent_free(b);
    }
    assert_true(errors[0] > 0.005f);
    assert_float_equal(errors[0], errors[1], 1e-3f);
}

/// Smoothing that gives way to the error finds the weights that made the frames, which stronger smoothing
/// does not.
static void smoothing_gives_way_to_the_error(void **state)
{
    (void)state;
    lmb_learn_weights_opts opts = {.smooth = 1e-2f};
    float errors[2];
    for (int k = 0; k < 2; ++k) {
        bent *b = bent_make(1);
        const lmb_learn_frames frames = frames_of(b);
        opts.smooth_to_error = k == 1;
        assert_int_equal(lmb_learn_weights(&b->character, &frames, &opts, NULL, NULL, NULL),
                         LMB_OK);
        errors[k] = weight_error(b);
        bent_free(b);
    }
    assert_true(errors[0] > 0.005f);
    assert_true(errors[1] < 0.001f);
}

/// The frames were made from another shape than the one that is bound: it is found, in metres and in
/// centimetres.
static void the_bind_shape_is_found_with_the_weights(void **state)
{
    (void)state;
    for (int s = 0; s < 2; ++s) {
        const float scale = s == 0 ? 1 : 0.01f;
        bent *b = bent_make(scale);
        lmb_vec3 true_shape[VERTICES];
        lmb_mesh *mesh = b->character->meshes[0];
        for (uint32_t v = 0; v < VERTICES; ++v) {
            true_shape[v] = mesh->positions[v];
            mesh->positions[v].x += (v % 2 ? 0.05f : -0.05f) / scale;
        }
        const lmb_learn_frames frames = frames_of(b);
        lmb_learn_weights_opts opts = {.hold_out = 3};
        lmb_learn_weights_report alone, moved;
        assert_int_equal(lmb_learn_weights(&b->character, &frames, &opts, NULL, &alone, NULL),
                         LMB_OK);
        opts.move_rest = true;
        assert_int_equal(lmb_learn_weights(&b->character, &frames, &opts, NULL, &moved, NULL),
                         LMB_OK);
        assert_true(moved.held_out_percent < 0.3f * alone.held_out_percent);
        float worst = 0, before = 0.05f / scale;
        for (uint32_t v = 0; v < VERTICES; ++v) {
            worst = fmaxf(worst,
                          lmb_vec3_distance(b->character->meshes[0]->positions[v], true_shape[v]));
        }
        assert_true(worst < 0.5f * before);
        bent_free(b);
    }
}

static void what_does_not_fit_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    bent *b = bent_make(1);
    lmb_learn_frames frames = frames_of(b);
    lmb_learn_weights_opts opts = {.influences = LMB_LEARN_INFLUENCES + 1};
    const lmb_character *before = b->character;
    assert_int_equal(lmb_learn_weights(&b->character, &frames, &opts, NULL, NULL, NULL),
                     LMB_ERROR_INVALID);
    opts.influences = 0;
    frames.vertex_count = VERTICES - 1;
    assert_int_equal(lmb_learn_weights(&b->character, &frames, &opts, NULL, NULL, NULL),
                     LMB_ERROR_INVALID);
    frames = frames_of(b);
    frames.frame_count = 0;
    assert_int_equal(lmb_learn_weights(&b->character, &frames, &opts, NULL, NULL, NULL),
                     LMB_ERROR_INVALID);
    assert_ptr_equal(b->character, before);
    assert_true(weight_error(b) > 0.4f);
    bent_free(b);
}

static void running_out_of_memory_changes_nothing(void **state)
{
    (void)state;
    bent *b = bent_make(1);
    const lmb_learn_frames frames = frames_of(b);
    const lmb_learn_weights_opts opts = {.smooth = 1e-5f};
    lmb_result result = LMB_ERROR_MEMORY;
    int calls = 0;
    for (; result == LMB_ERROR_MEMORY && calls < 1000; ++calls) {
        const lmb_character *before = b->character;
        failing_allocator failing = {.calls_left = calls};
        const lmb_allocator alloc = {failing_allocator_resize, &failing};
        result = lmb_learn_weights(&b->character, &frames, &opts, &alloc, NULL, NULL);
        assert_int_equal(result == LMB_OK, b->character != before);
        if (result != LMB_OK) {
            assert_int_equal(failing.held, 0);
        } else {
            // The rest of the character came from another allocator: it is freed while this one is here.
            lmb_character_destroy(b->character);
            b->character = NULL;
        }
    }
    assert_int_equal(result, LMB_OK);
    assert_true(calls > 5);
    bent_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_weights_that_made_the_frames_come_back),
        cmocka_unit_test(smoothing_counts_the_same_in_any_unit),
        cmocka_unit_test(smoothing_gives_way_to_the_error),
        cmocka_unit_test(the_bind_shape_is_found_with_the_weights),
        cmocka_unit_test(what_does_not_fit_is_refused_and_changes_nothing),
        cmocka_unit_test(running_out_of_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
