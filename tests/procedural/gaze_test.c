// Gaze: how fast eyes arrive, how far they and the head turn, what happens behind the back, blinks.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "limber/procedural.h"

#define DEGREE (LMB_PI / 180)

static lmb_vec3 towards(float yaw, float pitch)
{
    return lmb_vec3_make(lmb_sin(yaw) * lmb_cos(pitch), lmb_sin(pitch),
                         lmb_cos(yaw) * lmb_cos(pitch));
}

/// A step of 30 degrees: the gaze has 95% of it within 90 ms, and all of it in the end; the eyes
/// overshoot nothing while the head comes after.
static void eyes_leap_and_the_head_follows(void **state)
{
    (void)state;
    lmb_gaze gaze = {.seed = 5};
    lmb_gaze_rotation rotation = {0};
    float arrived = -1;
    lmb_gaze_step(&gaze, towards(0, 0), 0);
    for (int f = 1; f <= 1000; ++f) {
        rotation = lmb_gaze_step(&gaze, towards(30 * DEGREE, 0), 1e-3f);
        const float gaze_rad = rotation.head_rad[0] + rotation.eye_rad[0];
        assert_true(gaze_rad < 30.01f * DEGREE);
        if (arrived < 0 && gaze_rad > 0.95f * 30 * DEGREE) {
            arrived = (float)f * 1e-3f;
            assert_true(rotation.head_rad[0] < 0.3f * 30 * DEGREE);
        }
    }
    assert_true(arrived > 0.03f && arrived < 0.09f);
    assert_true(fabsf(rotation.head_rad[0] + rotation.eye_rad[0] - 30 * DEGREE) < 0.1f * DEGREE);
    assert_true(fabsf(rotation.head_rad[0] - 20 * DEGREE) < 0.5f * DEGREE);
}

static void nothing_rotates_past_its_cone(void **state)
{
    (void)state;
    lmb_gaze gaze = {.eye_rad = {0.3f, 0.2f}};
    for (int f = 0; f < 4000; ++f) {
        const float t = (float)f / 60;
        const lmb_gaze_rotation rotation = lmb_gaze_step(
            &gaze, towards(3 * lmb_sin(1.7f * t), 1.5f * lmb_sin(0.9f * t)), 1.0f / 60);
        assert_true(fabsf(rotation.head_rad[0]) < 60.01f * DEGREE &&
                    fabsf(rotation.head_rad[1]) < 40.01f * DEGREE);
        assert_true(fabsf(rotation.eye_rad[0]) < 0.3001f && fabsf(rotation.eye_rad[1]) < 0.2001f);
        assert_true(rotation.blink >= 0 && rotation.blink <= 1);
    }
}

/// What swings a little about the middle of the back does not throw the head to and fro.
static void the_back_has_no_edge(void **state)
{
    (void)state;
    lmb_gaze gaze = {0};
    for (int f = 0; f < 600; ++f) {
        const float yaw = f < 120 ? 170 * DEGREE * (float)f / 120
                                  : (180 + 12 * lmb_sin(0.1f * (float)f)) * DEGREE;
        const lmb_gaze_rotation rotation = lmb_gaze_step(&gaze, towards(yaw, 0), 1.0f / 60);
        assert_true(f < 200 || rotation.head_rad[0] > 55 * DEGREE);
    }
    lmb_gaze_rotation rotation = {0};
    for (int f = 0; f < 300; ++f) {
        rotation = lmb_gaze_step(&gaze, towards(-120 * DEGREE, 0), 1.0f / 60);
    }
    assert_true(rotation.head_rad[0] < -55 * DEGREE);
    rotation = lmb_gaze_step(&gaze, lmb_vec3_make(0, 0, 0), 1.0f / 60); // nowhere: as before
    assert_true(rotation.head_rad[0] < -55 * DEGREE);
}

static void it_blinks_now_and_then(void **state)
{
    (void)state;
    lmb_gaze gaze = {.seed = 3};
    int blinks = 0;
    float before = 0, beforehand = 0;
    for (int f = 0; f < 60 * 600; ++f) {
        const float now = lmb_gaze_step(&gaze, towards(0.1f, 0), 1.0f / 60).blink;
        blinks += before > now && before >= beforehand && before > 0.5f;
        beforehand = before;
        before = now;
    }
    assert_true(blinks > 110 && blinks < 210); // 16 a minute for ten minutes
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eyes_leap_and_the_head_follows),
        cmocka_unit_test(nothing_rotates_past_its_cone),
        cmocka_unit_test(the_back_has_no_edge),
        cmocka_unit_test(it_blinks_now_and_then),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
