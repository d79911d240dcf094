// Motions of animals onto others, whichever way either faces.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "limber/limber.h"
#include "rotated.h"

/// A made quadruped; with `gait` its character has a clip of it.
static lmb_character *make_animal(uint64_t seed, bool gait)
{
    lmb_made_body *body = NULL;
    const lmb_made_body_opts opts = {.kind = LMB_MADE_QUADRUPED,
                                     .seed = seed,
                                     .whole = true,
                                     .rigged = true,
                                     .triangle_count = 2000};
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    const lmb_character *whole = body->character;
    lmb_character def = {.name = whole->name}, *out = NULL;
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_skeleton_create(whole->skeleton, NULL, &def.skeleton, NULL), LMB_OK);
    if (gait) {
        lmb_gait_body legs;
        lmb_gait *trot = NULL;
        enum { FRAMES = 60 };
        const uint32_t joints = whole->skeleton->joint_count;
        lmb_transform *poses = calloc(FRAMES * (size_t)joints, sizeof *poses);
        assert_non_null(poses);
        assert_int_equal(lmb_gait_body_find(whole, NULL, &legs, NULL), LMB_OK);
        assert_int_equal(lmb_gait_create(whole->skeleton, &legs,
                                         &(lmb_gait_opts){.kind = LMB_GAIT_TROT}, NULL, &trot,
                                         NULL),
                         LMB_OK);
        for (uint32_t f = 0; f < FRAMES; ++f) {
            lmb_gait_pose(trot, f / 30.0, poses + (size_t)f * joints);
        }
        assert_int_equal(
            lmb_clip_from_poses(whole->skeleton, poses, FRAMES, 30, "trot", NULL, &clip, NULL),
            LMB_OK);
        def.clip_count = 1;
        def.clips = &clip;
        free(poses);
        lmb_gait_destroy(trot);
    }
    assert_int_equal(lmb_character_create(&def, NULL, &out, NULL), LMB_OK);
    lmb_made_body_destroy(body);
    return out;
}

static lmb_clip *retarget(const lmb_character *target, const lmb_character *source)
{
    lmb_clip *out = NULL;
    lmb_retarget_report report;
    lmb_error error = {0};
    const lmb_result result =
        lmb_retarget(target, source, 0, &(lmb_retarget_opts){.method = LMB_RETARGET_CHAINS}, NULL,
                     &out, &report, &error);
    if (result != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    assert_true(report.by_chains && report.chain_count >= 5);
    return out;
}

/// Model transforms of a clip; free() them.
static lmb_mat4 *model_at(const lmb_character *c, const lmb_clip *clip, double time_s)
{
    const uint32_t n = c->skeleton->joint_count;
    lmb_transform *pose = calloc(n, sizeof *pose);
    lmb_mat4 *model = calloc(n, sizeof *model);
    assert_true(pose && model);
    lmb_clip_to_model(clip, c->skeleton, time_s, pose, model);
    free(pose);
    return model;
}

/// How far joints are from those of another clip, turned, in metres.
static float apart(const lmb_character *a, const lmb_clip *of_a, const lmb_character *b,
                   const lmb_clip *of_b, test_yaw yaw)
{
    float worst = 0;
    for (int k = 0; k < 8; ++k) {
        lmb_mat4 *x = model_at(a, of_a, 0.2 * k), *y = model_at(b, of_b, 0.2 * k);
        for (uint32_t j = 0; j < a->skeleton->joint_count; ++j) {
            const float off = lmb_vec3_distance(test_rotated_vec3(yaw, lmb_mat4_translation(x[j])),
                                                lmb_mat4_translation(y[j]));
            worst = off <= worst ? worst : off; // what is not a number must show
        }
        free(x);
        free(y);
    }
    return worst;
}

/// The result goes where the source goes; how the target's file has it turned does not show.
static void a_rotated_target_moves_alike(void **state)
{
    (void)state;
    lmb_character *source = make_animal(3, true), *target = make_animal(8, false);
    lmb_clip *straight = retarget(target, source);
    for (int t = 0; t < TEST_TURNS; ++t) {
        lmb_character *rotated = test_rotated_character(test_yaw_at(t), target);
        lmb_clip *clip = retarget(rotated, source);
        assert_true(apart(target, straight, rotated, clip, (test_yaw){TEST_YAW_BIND}) < 1e-4f);
        lmb_clip_destroy(clip);
        lmb_character_destroy(rotated);
    }
    lmb_clip_destroy(straight);
    lmb_character_destroy(target);
    lmb_character_destroy(source);
}

/// A source that faces elsewhere, walks there: what comes out is rotated as it is.
static void a_rotated_source_is_followed(void **state)
{
    (void)state;
    lmb_character *source = make_animal(3, true), *target = make_animal(8, false);
    lmb_clip *straight = retarget(target, source);
    for (int t = 0; t < TEST_TURNS; ++t) {
        lmb_character *rotated = test_rotated_character(test_yaw_at(t), source);
        lmb_clip *clip = retarget(target, rotated);
        assert_true(apart(target, straight, target, clip, test_yaw_at(t)) < 1e-3f);
        lmb_clip_destroy(clip);
        lmb_character_destroy(rotated);
    }
    lmb_clip_destroy(straight);
    lmb_character_destroy(target);
    lmb_character_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rotated_target_moves_alike),
        cmocka_unit_test(a_rotated_source_is_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
