// Feet that stand while a motion slides under them: they stay, and come and go without a jerk.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ik/body.h"

enum { FRAMES = 150, BEGIN = 30, END = 70 };

static test_body body;
static lmb_foot_lock_leg legs[2];
static uint32_t hips;

static int make(void **state)
{
    (void)state;
    static const char *const sides[2] = {"left", "right"};
    body = test_body_make();
    hips = test_joint(&body, "hips");
    for (int k = 0; k < 2; ++k) {
        static const char *const parts[4] = {"UpperLeg", "LowerLeg", "Foot", "Toes"};
        uint32_t joints[4];
        for (int p = 0; p < 4; ++p) {
            char name[32];
            snprintf(name, sizeof(name), "%s%s", sides[k], parts[p]);
            joints[p] = test_joint(&body, name);
        }
        legs[k] = (lmb_foot_lock_leg){.upper = joints[0],
                                      .lower = joints[1],
                                      .foot = joints[2],
                                      .ball = body.skeleton->rest[joints[3]].translation,
                                      .hinge = {1, 0, 0}};
    }
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    test_body_free(&body);
    return 0;
}

/// A crouch, so that legs have room; the knees breathe a little.
static void crouch(float time_s, lmb_transform *pose)
{
    memcpy(pose, body.skeleton->rest, body.skeleton->joint_count * sizeof(*pose));
    for (int k = 0; k < 2; ++k) {
        const float bend = 0.5f + 0.05f * lmb_sin(3 * time_s);
        const lmb_vec3 x = {1, 0, 0};
        pose[legs[k].upper].rotation =
            lmb_quat_mul(pose[legs[k].upper].rotation, lmb_quat_axis_angle(x, -bend));
        pose[legs[k].lower].rotation =
            lmb_quat_mul(pose[legs[k].lower].rotation, lmb_quat_axis_angle(x, 2 * bend));
        pose[legs[k].foot].rotation =
            lmb_quat_mul(pose[legs[k].foot].rotation, lmb_quat_axis_angle(x, -bend));
    }
}

/// The whole body glides in a bow at about 0.25 m/s.
static lmb_transform gliding(float time_s)
{
    lmb_transform t = lmb_transform_identity();
    t.rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), 0.3f * time_s);
    t.translation = lmb_vec3_make(0.1f * time_s, 0, 0.2f * time_s);
    return t;
}

typedef struct track {
    lmb_vec3 balls[2][FRAMES]; ///< world
    uint32_t held[FRAMES];
} track;

/// One frame, a sixtieth of a second.
static uint32_t lock_feet(lmb_foot_lock_state *state_of, lmb_transform *pose, lmb_mat4 *model,
                          lmb_transform position, uint32_t leg_count, const float *planted)
{
    return lmb_ik_foot_lock(&(lmb_ik_foot_lock_job){.skeleton = body.skeleton,
                                                    .local = pose,
                                                    .model_from_joint = model,
                                                    .hips = hips,
                                                    .world_from_model = position,
                                                    .leg_count = leg_count,
                                                    .legs = legs,
                                                    .planted = planted,
                                                    .dt_s = 1 / 60.0f,
                                                    .state = state_of});
}

static void play(track *out, bool holds)
{
    lmb_foot_lock_state state_of = {0};
    for (int f = 0; f < FRAMES; ++f) {
        lmb_transform pose[TEST_JOINTS];
        lmb_mat4 model[TEST_JOINTS];
        const float time_s = (float)f / 60;
        const float planted[2] = {f >= BEGIN && f < END ? 1.0f : 0.0f, 0.5f};
        const lmb_transform position = gliding(time_s);
        crouch(time_s, pose);
        test_model(&body, pose, model);
        out->held[f] = holds ? lock_feet(&state_of, pose, model, position, 2, planted) : 0;
        for (int k = 0; k < 2; ++k) {
            const lmb_vec3 ball = lmb_mat4_point(model[legs[k].foot], legs[k].ball);
            out->balls[k][f] = lmb_transform_point(position, ball);
        }
    }
}

static void what_stands_stays(void **state)
{
    (void)state;
    static track got, free;
    play(&got, true);
    play(&free, false);
    for (int f = 0; f < FRAMES; ++f) {
        assert_int_equal(got.held[f], f >= BEGIN && f < END ? 1 : 0);
        // Heights are the animation's; the other foot, which stands by half, is left alone to the
        // bit.
        assert_true(fabsf(got.balls[0][f].y - free.balls[0][f].y) < 1e-4f);
        assert_memory_equal(&got.balls[1][f], &free.balls[1][f], sizeof(lmb_vec3));
        // What is left of the glide has a half-life of 0.04 s.
        if (f > BEGIN + 15 && f < END) {
            const lmb_vec3 moved = lmb_vec3_sub(got.balls[0][f], got.balls[0][f - 1]);
            assert_true(lmb_vec3_length(lmb_vec3_make(moved.x, 0, moved.z)) < 1e-5f);
        }
        // Nowhere does it jerk: caught, 0.25 m/s go with a half-life of 0.04 s; let go, 0.17 m with
        // one of 0.1 s.
        if (f >= 2) {
            const lmb_vec3 bend =
                lmb_vec3_add(lmb_vec3_sub(got.balls[0][f], lmb_vec3_scale(got.balls[0][f - 1], 2)),
                             got.balls[0][f - 2]);
            const float most = f < END ? 0.25f * 34.7f : 0.17f * 13.9f * 13.9f;
            assert_true(lmb_vec3_length(bend) < 1.1f * most / 3600);
        }
    }
    // Half a second after it was let go it is where it would have been.
    assert_true(lmb_vec3_distance(got.balls[0][END + 40], free.balls[0][END + 40]) < 5e-3f);
}

/// A foot that is carried too far is let go, and does not flutter.
static void too_far_lets_go(void **state)
{
    (void)state;
    lmb_foot_lock_state state_of = {0};
    int changes = 0;
    uint32_t before = 0;
    for (int f = 0; f < 120; ++f) {
        lmb_transform pose[TEST_JOINTS];
        lmb_mat4 model[TEST_JOINTS];
        lmb_transform position = lmb_transform_identity();
        position.translation.z = 0.4f * (float)f / 60;
        crouch(0, pose);
        test_model(&body, pose, model);
        const uint32_t held = lock_feet(&state_of, pose, model, position, 1, (const float[]){1});
        changes += held != before;
        before = held;
        assert_true(lmb_vec3_length(state_of.feet[0].off) < 0.35f);
        for (uint32_t j = 0; j < body.skeleton->joint_count; ++j) {
            assert_true(lmb_vec3_is_finite(lmb_mat4_translation(model[j])));
        }
    }
    assert_true(changes >= 2 && changes < 10); // a few new steps in 2 s
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stands_stays),
        cmocka_unit_test(too_far_lets_go),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
