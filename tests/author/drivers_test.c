// Drivers in the look's extras: what was learned or sculpted on one clip follows the poses of others,
// also after a file.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "limber/anim.h"
#include "limber/author.h"
#include "limber/io.h"
#include "tube.h"

enum { VERTICES = TUBE_VERTICES, FRAMES = 24, MOST_JOINTS = TUBE_JOINTS + 4, MOST_WEIGHTS = 32 };

static void sample(const lmb_character *c, const lmb_clip *clip, double time_s,
                   lmb_transform *local, float *weights)
{
    uint32_t first[MOST_JOINTS + 1];
    assert_true(lmb_character_weights(c, first, weights) <= MOST_WEIGHTS);
    memcpy(local, c->skeleton->rest, c->skeleton->joint_count * sizeof *local);
    lmb_sample(&(lmb_sample_job){.clip = clip,
                                 .time_s = time_s,
                                 .joint_count = c->skeleton->joint_count,
                                 .rest = c->skeleton->rest,
                                 .pose = local,
                                 .weight_first = first,
                                 .weights = weights});
}

/// The tube with sculpts where the elbow bends by half and by all, and the wrist.
static lmb_character *make_corrected(void)
{
    static const char *const names[3] = {"half", "elbow", "wrist"};
    static const double times[3] = {0.5, 1, 2};
    lmb_character *c = tube_animated();
    lmb_vec3 shapes[3][VERTICES];
    lmb_sculpt sculpts[3];
    for (int k = 0; k < 3; ++k) {
        lmb_transform local[MOST_JOINTS];
        float weights[MOST_WEIGHTS] = {0};
        const float height = k == 2 ? 2 : 1;
        sample(c, c->clips[0], times[k], local, weights);
        tube_shape(c, local, weights, shapes[k]);
        for (uint32_t v = 0; v < VERTICES; ++v) {
            const float out = k == 0 ? 0.02f : 0.1f;
            shapes[k][v].z += fabsf(tube_position(v).y - height) < 0.3f ? out : 0;
        }
        sculpts[k] = (lmb_sculpt){.name = names[k], .time_s = times[k], .positions = shapes[k]};
    }
    const lmb_correct_opts opts = {.sculpt_count = 3, .sculpts = sculpts};
    assert_int_equal(lmb_correct(&c, &opts, NULL, NULL, NULL), LMB_OK);
    return c;
}

/// The tube's side moves out as the elbow bends: one helper.
static lmb_character *make_helped(void)
{
    lmb_character *c = tube_animated();
    static lmb_vec3 shapes[FRAMES][VERTICES];
    const lmb_vec3 *rows[FRAMES];
    double times[FRAMES];
    for (uint32_t k = 0; k < FRAMES; ++k) {
        lmb_transform local[MOST_JOINTS];
        float weights[MOST_WEIGHTS] = {0};
        times[k] = 2.0 * (k + 0.5) / FRAMES;
        sample(c, c->clips[0], times[k], local, weights);
        tube_shape(c, local, weights, shapes[k]);
        const float bend = lmb_quat_angle(lmb_quat_identity(), local[1].rotation);
        for (uint32_t v = 0; v < VERTICES; ++v) {
            const float away = fabsf(tube_position(v).y - 1);
            shapes[k][v].z += away < 0.5f ? 0.1f * bend * (1 - 2 * away) : 0;
        }
        rows[k] = shapes[k];
    }
    const lmb_corrected_frames frames = {FRAMES, rows, 0, times};
    const lmb_help_opts opts = {.helper_count = 1};
    assert_int_equal(lmb_help_frames(&c, &frames, &opts, NULL, NULL, NULL), LMB_OK);
    return c;
}

static lmb_pose_drivers *drivers_of(const lmb_character *c)
{
    lmb_pose_drivers *drivers = NULL;
    lmb_error error = {0};
    if (lmb_pose_drivers_create(c, NULL, &drivers, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    return drivers;
}

static lmb_character *through_a_file(const lmb_character *c)
{
    lmb_buffer bytes = {0};
    lmb_character *read = NULL;
    assert_int_equal(lmb_gltf_write(c, NULL, NULL, &bytes, NULL), LMB_OK);
    assert_int_equal(lmb_gltf_read(bytes.data, bytes.size, NULL, NULL, &read, NULL), LMB_OK);
    lmb_buffer_free(&bytes);
    return read;
}

/// At the keys of the clip that they were learned on, drivers say what the clip says; after a file
/// with the same bits.
static void drivers_say_what_was_baked(void **state)
{
    (void)state;
    lmb_character *made[2] = {make_corrected(), make_helped()};
    for (int n = 0; n < 2; ++n) {
        lmb_character *c = made[n], *read = through_a_file(c);
        lmb_pose_drivers *drivers = drivers_of(c), *again = drivers_of(read);
        assert_non_null(drivers);
        assert_non_null(again);
        for (int k = 0; k <= 16; ++k) {
            lmb_transform baked[MOST_JOINTS], driven[MOST_JOINTS], reread[MOST_JOINTS];
            float weights[3][MOST_WEIGHTS] = {{0}};
            sample(c, c->clips[0], k / 8.0, baked, weights[0]);
            memcpy(driven, baked, sizeof driven);
            memcpy(reread, baked, sizeof reread);
            for (uint32_t j = TUBE_JOINTS; j < c->skeleton->joint_count; ++j) {
                driven[j] = c->skeleton->rest[j];
                reread[j] = c->skeleton->rest[j];
            }
            lmb_pose_drivers_evaluate(&(lmb_pose_drivers_job){drivers, driven, weights[1], NULL});
            lmb_pose_drivers_evaluate(&(lmb_pose_drivers_job){again, reread, weights[2], NULL});
            assert_memory_equal(weights[1], weights[2], sizeof weights[1]);
            for (int w = 0; w < MOST_WEIGHTS; ++w) {
                assert_float_equal(weights[0][w], weights[1][w], 2e-5f);
            }
            for (uint32_t j = 0; j < c->skeleton->joint_count; ++j) {
                assert_memory_equal(&driven[j], &reread[j], sizeof driven[j]);
                assert_true(lmb_vec3_distance(driven[j].translation, baked[j].translation) < 2e-5f);
                assert_true(lmb_quat_angle(driven[j].rotation, baked[j].rotation) < 1e-3f);
            }
        }
        lmb_pose_drivers_destroy(again);
        lmb_pose_drivers_destroy(drivers);
        lmb_character_destroy(read);
        lmb_character_destroy(c);
    }
}

/// Another clip, which bends the elbow alone and half as fast.
static lmb_clip *make_other_clip(void)
{
    float ticks[2] = {0, 2};
    lmb_quat rotations[2] = {lmb_quat_identity(),
                             lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 0.5f * LMB_PI)};
    lmb_channel channel = {.joint = 1,
                           .path = LMB_PATH_ROTATION,
                           .width = 4,
                           .key_count = 2,
                           .ticks = ticks,
                           .values = &rotations[0].x};
    const lmb_clip def = {
        .name = "slow", .duration = 2, .frame_rate = 10, .channel_count = 1, .channels = &channel};
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_clip_create(&def, NULL, &clip, NULL), LMB_OK);
    return clip;
}

static void new_clips_get_keys_and_old_ones_keep_theirs(void **state)
{
    (void)state;
    lmb_character *c = make_corrected();
    lmb_pose_drivers *drivers = drivers_of(c);
    lmb_clip *slow = make_other_clip(), *keyed = NULL, *same = NULL;
    lmb_transform local[MOST_JOINTS];
    float weights[MOST_WEIGHTS] = {0};
    assert_int_equal(lmb_pose_drivers_clip(drivers, slow, NULL, &keyed, NULL), LMB_OK);
    assert_int_equal(keyed->channel_count, 2);
    assert_int_equal(keyed->channels[1].key_count, 21);
    sample(c, keyed, 2, local, weights);
    assert_float_equal(weights[0], 0, 1e-4);
    assert_float_equal(weights[1], 1, 1e-4); // the elbow's sculpt, where the elbow is as it was
    assert_float_equal(weights[2], 0, 1e-4);
    sample(c, keyed, 0, local, weights);
    assert_float_equal(weights[1], 0, 1e-4);
    assert_int_equal(lmb_pose_drivers_clip(drivers, c->clips[0], NULL, &same, NULL), LMB_OK);
    assert_int_equal(same->channel_count, c->clips[0]->channel_count);
    lmb_clip_destroy(same);
    lmb_clip_destroy(keyed);
    lmb_pose_drivers_destroy(drivers);
    lmb_character_destroy(c);
    c = make_helped();
    drivers = drivers_of(c);
    assert_int_equal(lmb_pose_drivers_clip(drivers, slow, NULL, &keyed, NULL), LMB_OK);
    assert_int_equal(keyed->channel_count, 3);
    sample(c, keyed, 2, local, weights);
    assert_true(lmb_vec3_distance(local[TUBE_JOINTS].translation,
                                  c->skeleton->rest[TUBE_JOINTS].translation) > 0.05f);
    lmb_clip_destroy(keyed);
    lmb_clip_destroy(slow);
    lmb_pose_drivers_destroy(drivers);
    lmb_character_destroy(c);
}

/// A pose of a clip keeps what that has keys of.
static void keys_of_a_clip_stay(void **state)
{
    (void)state;
    lmb_character *made[2] = {make_corrected(), make_helped()};
    lmb_clip *slow = make_other_clip();
    for (int n = 0; n < 2; ++n) {
        lmb_character *c = made[n];
        lmb_pose_drivers *drivers = drivers_of(c);
        const lmb_clip *clips[3] = {c->clips[0], slow, NULL};
        for (int k = 0; k < 3; ++k) {
            lmb_transform local[MOST_JOINTS], before[MOST_JOINTS];
            float weights[MOST_WEIGHTS] = {0}, was[MOST_WEIGHTS];
            sample(c, slow, 2, local, weights);
            memcpy(before, local, sizeof before);
            memcpy(was, weights, sizeof was);
            lmb_pose_drivers_evaluate(&(lmb_pose_drivers_job){drivers, local, weights, clips[k]});
            const bool same =
                memcmp(before, local, c->skeleton->joint_count * sizeof *local) == 0 &&
                memcmp(was, weights, sizeof was) == 0;
            assert_int_equal(same, k == 0);
        }
        lmb_pose_drivers_destroy(drivers);
        lmb_character_destroy(c);
    }
    lmb_clip_destroy(slow);
}

/// What extras give: a result, and drivers or none.
static void read_extras(const char *carried, lmb_result result, bool some)
{
    lmb_character *c = make_corrected();
    lmb_pose_drivers *drivers = NULL;
    lmb_error error = {0};
    c->appearance->carried = carried;
    assert_int_equal(lmb_pose_drivers_create(c, NULL, &drivers, &error), result);
    assert_int_equal(drivers != NULL, some);
    lmb_pose_drivers_destroy(drivers);
    lmb_character_destroy(c);
}

#define EXTRAS(targets, joints, kernel, rotations)                                      \
    "{\"extras\":{\"limber\":{\"drivers\":[{\"targets\":" targets ",\"joints\":" joints \
    ",\"shares\":[1],\"kernel\":\"" kernel "\",\"rotations\":" rotations ",\"values\":[0,1]}]}}}"

static void extras_are_read_with_care(void **state)
{
    (void)state;
    read_extras(NULL, LMB_OK, false);
    read_extras("{}", LMB_OK, false);
    read_extras(EXTRAS("[\"elbow\"]", "[\"elbow\"]", "linear", "[0,0,0,1,0,0,0.6,0.8]"), LMB_OK,
                true);
    read_extras(EXTRAS("[\"gone\"]", "[\"elbow\"]", "linear", "[0,0,0,1,0,0,0.6,0.8]"), LMB_OK,
                false);
    read_extras(EXTRAS("[\"elbow\"]", "[\"gone\"]", "linear", "[0,0,0,1,0,0,0.6,0.8]"), LMB_OK,
                false);
    read_extras(EXTRAS("[\"elbow\"]", "[\"elbow\"]", "magic", "[0,0,0,1,0,0,0.6,0.8]"),
                LMB_ERROR_INVALID, false);
    read_extras(EXTRAS("[\"elbow\"]", "[\"elbow\"]", "linear", "[0,0,0,1]"), LMB_ERROR_INVALID,
                false);
    read_extras(EXTRAS("[\"elbow\"]", "[\"elbow\"]", "linear", "[0,0,0,0,0,0,0,0]"),
                LMB_ERROR_INVALID, false);
    read_extras(EXTRAS("[]", "[\"elbow\"]", "linear", "[0,0,0,1,0,0,0.6,0.8]"), LMB_ERROR_INVALID,
                false);
    read_extras("{\"extras\":{\"limber\":{\"drivers\":[3]}}}", LMB_ERROR_INVALID, false);
    read_extras("{\"extras\":7}", LMB_OK, false);
}

static void running_out_of_memory_leaves_nothing(void **state)
{
    (void)state;
    lmb_character *c = make_corrected();
    lmb_clip *slow = make_other_clip();
    for (failing_run f = {.least = 5}; failing_next(&f);) {
        lmb_pose_drivers *drivers = NULL;
        lmb_clip *keyed = NULL;
        f.result = lmb_pose_drivers_create(c, &f.alloc, &drivers, NULL);
        if (f.result == LMB_OK) {
            f.result = lmb_pose_drivers_clip(drivers, slow, &f.alloc, &keyed, NULL);
        }
        lmb_clip_destroy(keyed);
        lmb_pose_drivers_destroy(drivers);
    }
    lmb_clip_destroy(slow);
    lmb_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drivers_say_what_was_baked),
        cmocka_unit_test(new_clips_get_keys_and_old_ones_keep_theirs),
        cmocka_unit_test(keys_of_a_clip_stay),
        cmocka_unit_test(extras_are_read_with_care),
        cmocka_unit_test(running_out_of_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
