/// Soles over the ground: toes whose skin reaches behind their joint, on one side, bend straight.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "retarget/skinned_joints.h"

enum { JOINTS = 4, CORNERS = 5 };
static const char *const names[JOINTS] = {"leftFoot", "leftToes", "rightFoot", "rightToes"};

/// From a joint, ahead and outwards, on the ground: heels; toes with a flap behind, on the outer side.
static const struct {
    float ahead, out;
} heel[CORNERS] = {{-0.05f, 0.03f}, {-0.05f, -0.03f}, {0.05f, 0.03f}, {0.05f, -0.03f}, {0, 0}},
  toe[CORNERS] = {{0.08f, 0.04f}, {0.08f, -0.04f}, {0, 0.06f}, {-0.08f, 0.06f}, {-0.04f, 0.06f}};

static skinned make_soles(const lmb_skeleton *skeleton)
{
    skinned out = skinned_begin(skeleton, JOINTS, names, CORNERS);
    for (int j = 0; j < JOINTS; ++j) {
        const float outwards = j < 2 ? 1 : -1;
        for (int k = 0; k < CORNERS; ++k) {
            const float ahead = j % 2 == 0 ? heel[k].ahead : toe[k].ahead,
                        aside = outwards * (j % 2 == 0 ? heel[k].out : toe[k].out);
            out.points[j * CORNERS + k] =
                lmb_vec3_make(out.at[j].x + aside, 0, out.at[j].z + ahead);
        }
    }
    return out;
}

static void assert_soles_stay_out(const lmb_character *target, const lmb_character *source,
                                  const skinned *made)
{
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_retarget(target, source, 0, NULL, NULL, &clip, NULL, NULL), LMB_OK);
    assert_true(skinned_lowest(target, clip, made, 0) > -0.002f);
    lmb_clip_destroy(clip);
}

static void toes_bend_straight(void **state)
{
    (void)state;
    // As high as long, such as toys have them, and flat.
    static const float ankles_up[] = {0, 0.05f};
    lmb_character *source = test_motion(LMB_MOTION_WALK);
    for (int k = 0; k < 2; ++k) {
        lmb_character *bare = test_skeleton(&(test_shape){.ankles_up = ankles_up[k]});
        skinned made = make_soles(bare->skeleton);
        lmb_character *target = skinned_create(bare->skeleton, &made);
        assert_soles_stay_out(target, source, &made);
        lmb_character_destroy(target);
        lmb_character_destroy(bare);
    }
    lmb_character_destroy(source);
}

/// The bare body with the soles as meshes that hang from its joints, as a robot's do.
static lmb_character *hang_soles(const lmb_skeleton *skeleton, const skinned *made)
{
    lmb_character def = {.name = "robot"}, *out = NULL;
    assert_int_equal(lmb_skeleton_create(skeleton, NULL, &def.skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_character_create(&def, NULL, &out, NULL), LMB_OK);
    for (uint32_t j = 0; j < JOINTS; ++j) {
        lmb_vec3 points[CORNERS];
        for (uint32_t k = 0; k < CORNERS; ++k) {
            points[k] = lmb_vec3_sub(made->points[j * CORNERS + k], made->at[j]);
        }
        out = with_hanging(out, made->joints[j], points, CORNERS);
    }
    return out;
}

static void feet_that_hang_from_joints_have_soles(void **state)
{
    (void)state;
    lmb_character *source = test_motion(LMB_MOTION_WALK),
                  *bare = test_skeleton(&(test_shape){.ankles_up = 0.05f});
    const skinned made = make_soles(bare->skeleton);
    lmb_character *target = hang_soles(bare->skeleton, &made);
    assert_soles_stay_out(target, source, &made);
    lmb_character_destroy(target);
    lmb_character_destroy(bare);
    lmb_character_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(toes_bend_straight),
        cmocka_unit_test(feet_that_hang_from_joints_have_soles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
