// What a gait reads off the rest pose of its legs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "limber/limber.h"
#include "procedural/gait.h"

enum { LEGS = 4, JOINTS = 1 + 3 * LEGS };

/// Which way the knees go of four legs of 30 cm whose ankles stand 12 cm ahead of their hips: 1 for
/// forward. The knees lie half way down, so far ahead of the hips.
static float knee_of(float ahead_m)
{
    int32_t parents[JOINTS] = {LMB_NONE};
    const char *names[JOINTS] = {"hips"};
    lmb_transform rest[JOINTS];
    lmb_gait_body body = {.hips = 0, .leg_count = LEGS};
    rest[0] = lmb_transform_identity();
    rest[0].translation.y = 0.3f;
    for (uint32_t k = 0; k < LEGS; ++k) {
        const uint32_t hip = 1 + 3 * k;
        const float x = k % 2 == 0 ? 0.05f : -0.05f, z = k < 2 ? -0.15f : 0.15f;
        for (uint32_t j = hip; j < hip + 3; ++j) {
            parents[j] = j == hip ? 0 : (int32_t)j - 1;
            names[j] = "leg";
            rest[j] = lmb_transform_identity();
        }
        rest[hip].translation = lmb_vec3_make(x, 0, z);
        rest[hip + 1].translation = lmb_vec3_make(0, -0.15f, ahead_m);
        rest[hip + 2].translation = lmb_vec3_make(0, -0.15f, 0.12f - ahead_m);
        const lmb_vec3 foot = lmb_vec3_make(x, 0, z + 0.12f);
        body.legs[k] = (lmb_gait_leg){.hip = hip,
                                      .knee = hip + 1,
                                      .ankle = hip + 2,
                                      .toes = LMB_NONE,
                                      .blade = LMB_NONE,
                                      .heel = foot,
                                      .tip = lmb_vec3_add(foot, lmb_vec3_make(0, 0, 0.03f))};
    }
    const lmb_skeleton skeleton = {
        .joint_count = JOINTS, .parents = parents, .names = names, .rest = rest};
    lmb_gait *gait = NULL;
    lmb_error error = {0};
    if (lmb_gait_create(&skeleton, &body, &(lmb_gait_opts){.kind = LMB_GAIT_WALK}, NULL, &gait,
                        &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    const float knee = gait->gait.legs[0].knee;
    for (uint32_t k = 1; k < LEGS; ++k) {
        assert_true(gait->gait.legs[k].knee == knee);
    }
    lmb_gait_destroy(gait);
    return knee;
}

/// Half way down, the line from hip to ankle is 6 cm ahead of the hip.
static void knees_go_where_they_lie_off_the_line_of_the_leg(void **state)
{
    (void)state;
    assert_true(knee_of(-0.02f) < 0);
    assert_true(knee_of(0.03f) < 0); // ahead of the hip, behind the line
    assert_true(knee_of(0.05f) < 0);
    assert_true(knee_of(0.07f) > 0);
    assert_true(knee_of(0.09f) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knees_go_where_they_lie_off_the_line_of_the_leg),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
