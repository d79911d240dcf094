// Interpolation and timers against hand-worked answers and a double-precision reference.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "anim/anim.h"
#include "anim/channel.h"
#include "failing_allocator.h"
#include "limber/anim.h"
#include "near.h"

static void hermite_known_answer(void **state)
{
    (void)state;
    // v0 = 0, b0 = 1, v1 = 2, a1 = 0, two ticks apart, a quarter of the way: 0.59375.
    float ticks[] = {3, 5};
    float values[] = {9, 9, 9, 0, 0, 0, 1, 1, 1, 0, 0, 0, 2, 2, 2, 9, 9, 9};
    const lmb_channel channel = {0, LMB_PATH_TRANSLATION, LMB_CUBIC, 3, 2, ticks, values};
    float v[3];
    lmbi_channel_at(&channel, 3.5, NULL, v);
    near((double)v[0], 0.59375, 1e-7);
    lmbi_channel_at(&channel, 3.0, NULL, v);
    near((double)v[1], 0, 0);
    lmbi_channel_at(&channel, 99.0, NULL, v);
    near((double)v[2], 2, 0);
    lmbi_channel_at(&channel, -1.0, NULL, v);
    near((double)v[2], 0, 0);
}

static void hermite_against_double(void **state)
{
    (void)state;
    float ticks[] = {0.5f, 2.75f};
    float values[18];
    lmb_random random = lmb_random_seed(7);
    for (int i = 0; i < 18; ++i) {
        values[i] = lmb_random_range(&random, -2, 2);
    }
    const lmb_channel channel = {0, LMB_PATH_SCALE, LMB_CUBIC, 3, 2, ticks, values};
    const double d = 2.25;
    for (int s = 0; s <= 1000; ++s) {
        const double u = s / 1000.0, u2 = u * u, u3 = u2 * u;
        float v[3];
        lmbi_channel_at(&channel, 0.5 + d * u, NULL, v);
        for (int i = 0; i < 3; ++i) {
            const double v0 = (double)values[3 + i], b0 = (double)values[6 + i],
                         a1 = (double)values[9 + i], v1 = (double)values[12 + i];
            near((double)v[i],
                 (2 * u3 - 3 * u2 + 1) * v0 + d * (u3 - 2 * u2 + u) * b0 + (3 * u2 - 2 * u3) * v1 +
                     d * (u3 - u2) * a1,
                 1e-6);
        }
    }
}

static void slerp_and_sign(void **state)
{
    (void)state;
    // Identity to a quarter turn about z, the second key with its sign turned: half-way is 45
    // degrees the short way.
    const float h = 0.70710678f;
    float ticks[] = {0, 1};
    float values[] = {0, 0, 0, 1, 0, 0, -h, -h};
    const lmb_channel channel = {0, LMB_PATH_ROTATION, LMB_LINEAR, 4, 2, ticks, values};
    float q[4];
    lmbi_channel_at(&channel, 0.5, NULL, q);
    near(fabs((double)q[2]), sin(3.14159265358979 / 8), 1e-7);
    near(fabs((double)q[3]), cos(3.14159265358979 / 8), 1e-7);
    assert_true(q[2] * q[3] > 0);
}

/// Arcs from a hair's breadth to half a turn, against slerp in double.
static void slerp_against_double(void **state)
{
    (void)state;
    for (int degrees = 1; degrees <= 180; ++degrees) {
        const double half = degrees * 3.14159265358979323846 / 360;
        float ticks[] = {0, 1};
        float values[] = {
            0, 0, 0, 1, (float)sin(half) * 0.6f, 0, (float)sin(half) * 0.8f, (float)cos(half)};
        const lmb_channel channel = {0, LMB_PATH_ROTATION, LMB_LINEAR, 4, 2, ticks, values};
        for (int s = 0; s <= 32; ++s) {
            float q[4];
            lmbi_channel_at(&channel, s / 32.0, NULL, q);
            near((double)q[0], 0.6 * sin(half * s / 32), 3e-7);
            near((double)q[2], 0.8 * sin(half * s / 32), 3e-7);
            near((double)q[3], cos(half * s / 32), 3e-7);
        }
    }
}

static void cubic_rotations_are_unit(void **state)
{
    (void)state;
    float ticks[] = {0, 1};
    float values[] = {0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    const lmb_channel channel = {0, LMB_PATH_ROTATION, LMB_CUBIC, 4, 2, ticks, values};
    for (int s = 0; s <= 10; ++s) {
        float q[4];
        lmbi_channel_at(&channel, s / 10.0, NULL, q);
        near((double)(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), 1, 1e-6);
    }
}

static void steps_and_double_keys(void **state)
{
    (void)state;
    float ticks[] = {1, 2, 2, 3};
    float values[] = {1, 0, 0, 2, 0, 0, 5, 0, 0, 7, 0, 0};
    lmb_channel channel = {0, LMB_PATH_TRANSLATION, LMB_LINEAR, 3, 4, ticks, values};
    float v[3];
    lmbi_channel_at(&channel, 1.5, NULL, v);
    near((double)v[0], 1.5, 1e-7);
    lmbi_channel_at(&channel, 2.0, NULL, v); // two keys at one time: the later one
    near((double)v[0], 5, 0);
    lmbi_channel_at(&channel, 2.5, NULL, v);
    near((double)v[0], 6, 1e-6);
    channel.interpolation = LMB_STEP;
    lmbi_channel_at(&channel, 1.999, NULL, v);
    near((double)v[0], 1, 0);
    lmbi_channel_at(&channel, 2.0, NULL, v);
    near((double)v[0], 5, 0);
    lmbi_channel_at(&channel, 0.2, NULL, v); // before a first key that is not at 0
    near((double)v[0], 1, 0);
}

enum { LONG_KEYS = 500 };

static void cursors_do_not_change_the_result(void **state)
{
    (void)state;
    float ticks[LONG_KEYS], values[3 * LONG_KEYS];
    lmb_random random = lmb_random_seed(3);
    float tick = 0;
    for (int k = 0; k < LONG_KEYS; ++k) {
        tick += k % 7 == 0 ? 0.0f : lmb_random_range(&random, 0.01f, 2.0f);
        ticks[k] = tick;
        for (int i = 0; i < 3; ++i) {
            values[3 * k + i] = lmb_random_unit(&random);
        }
    }
    const lmb_channel channel = {0, LMB_PATH_TRANSLATION, LMB_LINEAR, 3, LONG_KEYS, ticks, values};
    uint32_t cursor = 0;
    for (int s = 0; s < 20000; ++s) {
        // Forward, then backward, then anywhere.
        const double fraction =
            s < 8000 ? s / 8000.0
                     : (s < 16000 ? (16000 - s) / 8000.0 : (double)lmb_random_unit(&random));
        const double at = -1 + fraction * ((double)tick + 2);
        float with[3], without[3];
        lmbi_channel_at(&channel, at, &cursor, with);
        lmbi_channel_at(&channel, at, NULL, without);
        assert_memory_equal(with, without, sizeof(with));
    }
}

static void ticks_known_answer(void **state)
{
    (void)state;
    const lmb_clip clip = {.ticks_per_s = 25, .duration = 100};
    near(lmbi_clip_tick(&clip, 5.3, LMB_PLAY_LOOP), 32.5, 1e-9);
    near(lmbi_clip_tick(&clip, -0.1, LMB_PLAY_LOOP), 97.5, 1e-9);
    near(lmbi_clip_tick(&clip, 5.3, LMB_PLAY_CLAMP), 100, 0);
    near(lmbi_clip_tick(&clip, 4.0, LMB_PLAY_LOOP), 0, 0);
    near(lmbi_clip_tick(&clip, 5.0, LMB_PLAY_PING_PONG), 75, 1e-9);
    near((double)lmb_clip_duration_s(&clip), 4, 0);
}

static void timer_counts_ends(void **state)
{
    (void)state;
    lmb_timer loop = {.duration_s = 2, .mode = LMB_PLAY_LOOP};
    assert_int_equal(lmbi_timer_step(&loop, 1.5), 0);
    assert_int_equal(lmbi_timer_step(&loop, 1.0), 1);
    near(loop.time_s, 0.5, 1e-12);
    assert_int_equal(lmbi_timer_step(&loop, 10), 5);
    loop.speed = -1;
    assert_int_equal(lmbi_timer_step(&loop, 1.0), 1);
    near(loop.time_s, 1.5, 1e-12);
    lmb_timer once = {.duration_s = 2};
    assert_int_equal(lmbi_timer_step(&once, 3), 1);
    assert_int_equal(lmbi_timer_step(&once, 3), 0);
    near(once.time_s, 2, 0);
    lmb_timer swing = {.duration_s = 1, .mode = LMB_PLAY_PING_PONG};
    assert_int_equal(lmbi_timer_step(&swing, 1.25), 1);
    near(swing.time_s, 0.75, 1e-12);
    assert_true(swing.backwards);
    assert_int_equal(lmbi_timer_step(&swing, 1.0), 1);
    near(swing.time_s, 0.25, 1e-12);
    assert_false(swing.backwards);
}

static void a_day_of_steps(void **state)
{
    (void)state;
    lmb_timer timer = {.duration_s = 1.25, .mode = LMB_PLAY_LOOP};
    for (int i = 0; i < 24 * 3600 * 4; ++i) {
        lmbi_timer_step(&timer, 0.25);
    }
    near(timer.time_s, 0, 0);
}

static lmb_clip *two_channel_clip(lmb_interpolation interpolation)
{
    float ticks[] = {0, 10, 40}, step_ticks[] = {5, 30};
    float values[27], steps[] = {1, 1, 1, 2, 2, 2};
    lmb_random random = lmb_random_seed(11);
    for (int i = 0; i < 27; ++i) {
        values[i] = lmb_random_range(&random, -1, 1) *
                    (interpolation == LMB_CUBIC && i / 3 % 3 != 1 ? 0.1f : 1.0f);
    }
    lmb_channel channels[] = {
        {1, LMB_PATH_TRANSLATION, interpolation, 3, 3, ticks, values},
        {1, LMB_PATH_SCALE, LMB_STEP, 3, 2, step_ticks, steps},
    };
    const lmb_clip def = {
        .name = "c", .ticks_per_s = 20, .duration = 40, .channel_count = 2, .channels = channels};
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_clip_create(&def, NULL, &clip, NULL), LMB_OK);
    return clip;
}

static lmb_transform at(const lmb_clip *clip, double time_s)
{
    lmb_transform pose[2] = {lmb_transform_identity(), lmb_transform_identity()};
    lmb_sample(&(lmb_sample_job){.clip = clip, .time_s = time_s, .joint_count = 2, .pose = pose});
    return pose[1];
}

static void trimming_keeps_the_motion(void **state)
{
    (void)state;
    for (lmb_interpolation kind = LMB_LINEAR; kind <= LMB_CUBIC; ++kind) {
        lmb_clip *clip = two_channel_clip(kind), *part = NULL;
        assert_int_equal(
            lmb_clip_apply(clip,
                           &(lmb_clip_edit){.op = LMB_CLIP_TRIM, .begin_s = 0.3, .end_s = 1.1},
                           NULL, &part, NULL),
            LMB_OK);
        near((double)lmb_clip_duration_s(part), 0.8, 1e-6);
        for (int i = 0; i <= 80; ++i) {
            const double t =
                i == 20 ? 0.2001 : 0.01 * i; // a step's own time is not the place to compare
            const lmb_transform whole = at(clip, 0.3 + t), cut = at(part, t);
            near((double)cut.translation.x, (double)whole.translation.x, 2e-6);
            near((double)cut.translation.z, (double)whole.translation.z, 2e-6);
            near((double)cut.scale.y, (double)whole.scale.y, 0);
        }
        assert_int_equal(
            lmb_clip_apply(clip,
                           &(lmb_clip_edit){.op = LMB_CLIP_TRIM, .begin_s = 1.1, .end_s = 0.3},
                           NULL, &clip, NULL),
            LMB_ERROR_INVALID);
        lmb_clip_destroy(part);
        lmb_clip_destroy(clip);
    }
}

static void resampling_hits_the_frames(void **state)
{
    (void)state;
    lmb_clip *clip = two_channel_clip(LMB_CUBIC), *resampled = NULL;
    assert_int_equal(lmb_clip_apply(clip, &(lmb_clip_edit){.op = LMB_CLIP_RESAMPLE, .rate_hz = 30},
                                    NULL, &resampled, NULL),
                     LMB_OK);
    assert_int_equal(resampled->channels[0].key_count, 61);
    near((double)lmb_clip_duration_s(resampled), 2, 1e-6);
    for (int k = 0; k <= 60; ++k) {
        near((double)at(resampled, k / 30.0).translation.y,
             (double)at(clip, k / 30.0).translation.y, 2e-6);
    }
    lmb_clip *refused = NULL;
    assert_int_equal(lmb_clip_apply(clip, &(lmb_clip_edit){.op = LMB_CLIP_RESAMPLE, .rate_hz = 0},
                                    NULL, &refused, NULL),
                     LMB_ERROR_INVALID);
    assert_int_equal(lmb_clip_apply(clip,
                                    &(lmb_clip_edit){.op = LMB_CLIP_RESAMPLE, .rate_hz = 1e9f},
                                    NULL, &refused, NULL),
                     LMB_ERROR_INVALID);
    assert_null(refused);
    lmb_clip_destroy(resampled);
    lmb_clip_destroy(clip);
}

static void editing_survives_every_failing_allocation(void **state)
{
    (void)state;
    lmb_clip *clip = two_channel_clip(LMB_CUBIC);
    for (int edit = 0; edit < 2; ++edit) {
        for (failing_run f = {0}; failing_next(&f);) {
            lmb_clip *made = NULL;
            f.result =
                edit == 0
                    ? lmb_clip_apply(clip, &(lmb_clip_edit){.op = LMB_CLIP_RESAMPLE, .rate_hz = 24},
                                     &f.alloc, &made, NULL)
                    : lmb_clip_apply(
                          clip, &(lmb_clip_edit){.op = LMB_CLIP_TRIM, .begin_s = 0.1, .end_s = 1},
                          &f.alloc, &made, NULL);
            assert_true((made != NULL) == (f.result == LMB_OK));
            lmb_clip_destroy(made);
        }
    }
    lmb_clip_destroy(clip);
}

static void rest_and_weights(void **state)
{
    (void)state;
    float ticks[] = {0, 2}, values[] = {0, 1, 1, 0};
    lmb_channel channels[] = {
        {1, LMB_PATH_WEIGHTS, LMB_LINEAR, 2, 2, ticks, values},
        {7, LMB_PATH_WEIGHTS, LMB_LINEAR, 2, 2, ticks,
         values}, // a joint that the pose does not have
        {0, LMB_PATH_WEIGHTS, LMB_LINEAR, 2, 2, ticks, values}, // a joint without targets
    };
    const lmb_clip clip = {
        .ticks_per_s = 1, .duration = 2, .channel_count = 3, .channels = channels};
    const uint32_t first[] = {0, 0, 2, 3};
    const float rest_weights[] = {9, 9, 0.25f};
    float weights[3];
    lmb_transform rest[3], pose[3];
    for (int j = 0; j < 3; ++j) {
        rest[j] = lmb_transform_identity();
        rest[j].translation.x = (float)j;
    }
    lmb_sample(&(lmb_sample_job){.clip = &clip,
                                 .time_s = 0.5,
                                 .joint_count = 3,
                                 .rest = rest,
                                 .pose = pose,
                                 .weight_first = first,
                                 .rest_weights = rest_weights,
                                 .weights = weights});
    near((double)weights[0], 0.25, 1e-7);
    near((double)weights[1], 0.75, 1e-7);
    near((double)weights[2], 0.25, 0);
    assert_memory_equal(pose, rest, sizeof(rest));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hermite_known_answer),
        cmocka_unit_test(hermite_against_double),
        cmocka_unit_test(slerp_and_sign),
        cmocka_unit_test(slerp_against_double),
        cmocka_unit_test(cubic_rotations_are_unit),
        cmocka_unit_test(steps_and_double_keys),
        cmocka_unit_test(cursors_do_not_change_the_result),
        cmocka_unit_test(ticks_known_answer),
        cmocka_unit_test(timer_counts_ends),
        cmocka_unit_test(a_day_of_steps),
        cmocka_unit_test(trimming_keeps_the_motion),
        cmocka_unit_test(resampling_hits_the_frames),
        cmocka_unit_test(editing_survives_every_failing_allocation),
        cmocka_unit_test(rest_and_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
