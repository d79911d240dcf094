// Helper joints from frames: a joint that the rig lacks comes back, with the motion that the pose
// gives it, and clips carry it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "learn/helpers.h"
#include "limber/anim.h"
#include "limber/author.h"
#include "limber/learn.h"
#include "posed.h"
#include "tube.h"

enum { JOINTS = TUBE_JOINTS, VERTICES = TUBE_VERTICES, FRAMES = 24 };

typedef tube_frames shown;

/// How much of a vertex follows the hidden joint, at (0, 1.3, 0) above the elbow.
static float hidden_weight(uint32_t v)
{
    const float away = fabsf(tube_position(v).y - 1.3f);
    return away < 0.45f ? 0.8f * (1 - away / 0.45f) : 0;
}

/// parent_from_joint of the hidden joint, whose parent is the elbow: it swings half as far as that
/// bends, and moves out as it does.
static lmb_transform hidden_motion(const lmb_transform *local)
{
    const float bend = lmb_quat_angle(lmb_quat_identity(), local[1].rotation);
    lmb_transform t = lmb_transform_identity();
    t.rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), -0.5f * bend);
    t.translation = lmb_vec3_make(0.1f * bend, 0.3f, 0.05f * bend);
    return t;
}

static void show(shown *s, uint32_t frame)
{
    lmb_transform local[JOINTS];
    s->times[frame] = 2.0 * (frame + 0.5) / FRAMES;
    test_model_at(s->character, s->times[frame], local, s->models[frame]);
    const lmb_mat4 hidden =
        lmb_mat4_mul(s->models[frame][1], lmb_mat4_from_transform(hidden_motion(local)));
    for (uint32_t v = 0; v < VERTICES; ++v) {
        lmb_influence row[2];
        const lmb_vec3 u = tube_position(v);
        const float fraction = hidden_weight(v);
        tube_row(v, row);
        lmb_vec3 at = lmb_vec3_scale(
            lmb_mat4_point(hidden, lmb_vec3_sub(u, lmb_vec3_make(0, 1.3f, 0))), fraction);
        for (int k = 0; k < 2; ++k) {
            const lmb_vec3 own = lmb_vec3_sub(u, lmb_vec3_make(0, (float)row[k].joint, 0));
            at = lmb_vec3_mad(at, lmb_mat4_point(s->models[frame][row[k].joint], own),
                              (1 - fraction) * row[k].weight);
        }
        s->shapes[frame][v] = at;
    }
    s->rows[frame] = s->shapes[frame];
    s->model_rows[frame] = s->models[frame];
}

static shown *shown_make(void)
{
    shown *s = calloc(1, sizeof *s);
    s->character = tube_animated();
    for (uint32_t k = 0; k < FRAMES; ++k) {
        show(s, k);
    }
    return s;
}

static void shown_free(shown *s)
{
    lmb_character_destroy(s->character);
    free(s);
}

/// The joint that is missing is found: nothing of the frames is left, and it moves as the hidden one
/// does but for a little: larger motion with smaller weights shows nearly the same.
static void the_missing_joint_is_solved_for(void **state)
{
    (void)state;
    shown *s = shown_make();
    const lmb_learn_frames frames = {.vertex_count = VERTICES,
                                     .frame_count = FRAMES,
                                     .frames = s->rows,
                                     .model_from_joint = s->model_rows};
    const lmbi_learn_helpers_opts opts = {.helper_count = 1, .hold_out = 3};
    lmbi_learned_helpers *l = NULL;
    assert_int_equal(lmbi_learn_helpers(s->character, &frames, &opts, NULL, &l, NULL), LMB_OK);
    assert_int_equal(l->helper_count, 1);
    assert_int_equal(l->frame_count, 16);
    assert_int_equal(l->frames[2], 3);
    assert_int_equal(l->parents[0], 1);
    assert_true(l->rms_percent < 0.005f);
    for (uint32_t k = 0; k < l->frame_count; ++k) {
        lmb_transform local[JOINTS];
        lmb_mat4 model[JOINTS];
        test_model_at(s->character, s->times[l->frames[k]], local, model);
        const lmb_transform truth = hidden_motion(local), found = l->motion[k];
        assert_true(lmb_quat_angle(truth.rotation, found.rotation) <
                    0.5f * lmb_quat_angle(lmb_quat_identity(), truth.rotation));
        // The helper may be anywhere on the hidden bone: its place moves as the bone does.
        const lmb_vec3 position = lmb_vec3_sub(l->offsets[0], lmb_vec3_make(0, 0.3f, 0));
        assert_true(lmb_vec3_distance(lmb_transform_point(truth, position), found.translation) <
                    0.08f);
    }
    for (uint32_t v = 0; v < VERTICES; ++v) {
        float weight = 0, sum = 0;
        for (uint32_t k = l->influences.first[v]; k < l->influences.first[v + 1]; ++k) {
            sum += l->influences.items[k].weight;
            weight += l->influences.items[k].joint == JOINTS ? l->influences.items[k].weight : 0;
        }
        assert_float_equal(sum, 1, 1e-5f);
        assert_float_equal(weight, hidden_weight(v), 0.2f);
    }
    lmbi_learned_helpers_destroy(l);
    shown_free(s);
}

/// Distance of the character's skin, as its clip and weights have it, from a frame.
static float farthest(const lmb_character *c, double time_s, const lmb_vec3 *goal)
{
    lmb_transform local[JOINTS + 8];
    lmb_mat4 model[JOINTS + 8];
    const lmb_influences *in = &c->meshes[0]->influences;
    const lmb_skin *skin = c->skins[0];
    float most = 0;
    test_model_at(c, time_s, local, model);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        lmb_vec3 at = {0, 0, 0};
        for (uint32_t k = in->first[v]; k < in->first[v + 1]; ++k) {
            const uint32_t n = in->items[k].joint;
            const lmb_mat4 m = lmb_mat4_mul(model[skin->joints[n]], skin->joint_from_bind[n]);
            at = lmb_vec3_mad(at, lmb_mat4_point(m, tube_position(v)), in->items[k].weight);
        }
        most = fmaxf(most, lmb_vec3_distance(at, goal[v]));
    }
    return most;
}

static void clips_play_the_helper_in_poses_that_were_held_out(void **state)
{
    (void)state;
    shown *s = shown_make();
    const lmb_corrected_frames frames = {FRAMES, s->rows, 0, s->times};
    const lmb_help_opts opts = {.helper_count = 1, .hold_out = 3};
    const lmb_character *before = s->character;
    const uint32_t channels = before->clips[0]->channel_count;
    float off = 0, worst = 0;
    for (uint32_t k = 2; k < FRAMES; k += 3) {
        off = fmaxf(off, farthest(s->character, s->times[k], s->shapes[k]));
    }
    lmb_help_report report;
    lmb_error error = {0};
    if (lmb_help_frames(&s->character, &frames, &opts, NULL, &report, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    const lmb_character *c = s->character;
    assert_ptr_not_equal(c, before);
    assert_int_equal(report.helper_count, 1);
    assert_int_equal(report.frame_count, 16);
    assert_int_equal(report.held_out_count, 8);
    assert_int_equal(c->skeleton->joint_count, JOINTS + 1);
    assert_string_equal(c->skeleton->names[1], "elbow");
    assert_string_equal(c->skeleton->names[JOINTS], "helper_000");
    assert_int_equal(c->skins[0]->joint_count, JOINTS + 1);
    assert_int_equal(c->clips[0]->channel_count, channels + 2);
    for (uint32_t k = 2; k < FRAMES; k += 3) {
        worst = fmaxf(worst, farthest(c, s->times[k], s->shapes[k]));
    }
    assert_true(off > 0.1f);
    assert_true(worst < 0.1f * off);
    assert_true(report.held_out_percent < 0.3f);
    shown_free(s);
}

static void what_cannot_be_helped_is_refused(void **state)
{
    (void)state;
    shown *s = shown_make();
    const lmb_character *before = s->character;
    lmb_corrected_frames frames = {FRAMES, s->rows, 1, s->times};
    lmb_help_opts opts = {.helper_count = 1};
    lmb_error error = {0};
    assert_int_equal(lmb_help_frames(&s->character, &frames, &opts, NULL, NULL, &error),
                     LMB_ERROR_INVALID);
    assert_string_equal(error.found, "clip 1 of 1");
    frames.clip = 0;
    opts.helper_count = LMB_LEARN_BONES;
    assert_int_equal(lmb_help_frames(&s->character, &frames, &opts, NULL, NULL, &error),
                     LMB_ERROR_INVALID);
    assert_string_equal(error.found, "3 and 512");
    assert_ptr_equal(s->character, before);
    shown_free(s);
}

static lmb_result help(lmb_character **c, const void *frames, const lmb_allocator *alloc)
{
    const lmb_help_opts opts = {.helper_count = 2, .smooth = 1e-5f};
    return lmb_help_frames(c, frames, &opts, alloc, NULL, NULL);
}

static void running_out_of_memory_changes_nothing(void **state)
{
    (void)state;
    shown *s = shown_make();
    // Each try costs a solve: later ones are farther apart.
    tube_survives(help, &(lmb_corrected_frames){FRAMES, s->rows, 0, s->times}, 20, 12);
    shown_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_missing_joint_is_solved_for),
        cmocka_unit_test(clips_play_the_helper_in_poses_that_were_held_out),
        cmocka_unit_test(what_cannot_be_helped_is_refused),
        cmocka_unit_test(running_out_of_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
