/// Arms longer than the legs swing out of the ground; others stay as they are.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "retarget/skinned_joints.h"

enum { JOINTS = 4, EACH = 3, FIRST_HAND = 2 };
static const char *const names[JOINTS] = {"leftFoot", "rightFoot", "leftHand", "rightHand"};
static const float FINGERS = 0.15f;

/// The made body with arms so many times as long, a triangle of skin on the ground under each foot and one
/// at the tips of each hand's fingers, as it stands with its arms out.
static lmb_character *make_body(float arms, skinned *out)
{
    lmb_character *bare = test_skeleton(&(test_shape){0});
    static const char *const longer[] = {"leftLowerArm", "rightLowerArm", "leftHand", "rightHand"};
    for (size_t k = 0; k < sizeof longer / sizeof *longer; ++k) {
        lmb_vec3 *at =
            &bare->skeleton->rest[lmb_skeleton_find(bare->skeleton, longer[k])].translation;
        *at = lmb_vec3_scale(*at, arms);
    }
    *out = skinned_begin(bare->skeleton, JOINTS, names, EACH);
    for (int v = 0; v < JOINTS * EACH; ++v) {
        lmb_vec3 at = out->at[v / EACH];
        if (v / EACH < FIRST_HAND) {
            at.y = 0;
        } else {
            at.x += at.x > 0 ? FINGERS : -FINGERS;
        }
        out->points[v] = lmb_vec3_add(at, lmb_vec3_make(0, 0, 0.01f * (float)(v % EACH)));
    }
    lmb_character *character = skinned_create(bare->skeleton, out);
    lmb_character_destroy(bare);
    return character;
}

static lmb_clip *put(const lmb_character *target, const lmb_character *source, bool free_hands)
{
    const lmb_retarget_opts opts = {.free_hands = free_hands};
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_retarget(target, source, 0, &opts, NULL, &clip, NULL, NULL), LMB_OK);
    return clip;
}

static void long_arms_keep_out_of_the_ground(void **state)
{
    (void)state;
    lmb_character *source = test_motion(LMB_MOTION_WALK);
    skinned skin;
    lmb_character *body = make_body(2.6f, &skin);
    lmb_clip *hanging = put(body, source, true), *clip = put(body, source, false);
    assert_true(skinned_lowest(body, hanging, &skin, FIRST_HAND) < -0.1f);
    assert_true(skinned_lowest(body, clip, &skin, FIRST_HAND) > -0.01f);
    lmb_clip_destroy(hanging);
    lmb_clip_destroy(clip);
    lmb_character_destroy(body);
    lmb_character_destroy(source);
}

static void usual_arms_hang_as_they_do(void **state)
{
    (void)state;
    lmb_character *source = test_motion(LMB_MOTION_WALK), *bare = test_skeleton(&(test_shape){0});
    skinned skin;
    lmb_character *body = make_body(1, &skin);
    lmb_clip *clip = put(body, source, false), *same = put(bare, source, false);
    const int32_t hand = lmb_skeleton_find(bare->skeleton, "leftHand");
    for (double t = 0; t < 1; t += 0.05) {
        lmb_transform *a = test_pose(body, clip, t), *b = test_pose(bare, same, t);
        assert_true(lmb_vec3_distance(a[hand].translation, b[hand].translation) < 1e-3f);
        free(a);
        free(b);
    }
    lmb_clip_destroy(clip);
    lmb_clip_destroy(same);
    lmb_character_destroy(body);
    lmb_character_destroy(bare);
    lmb_character_destroy(source);
}

/// A hand with skin holds what hangs from it: the arm swings out for the hand, not for a staff.
static void a_staff_goes_where_its_hand_does(void **state)
{
    (void)state;
    lmb_character *source = test_motion(LMB_MOTION_WALK);
    skinned skin;
    lmb_character *body = make_body(2.6f, &skin);
    lmb_clip *empty = put(body, source, false);
    lmb_vec3 staff[3] = {{0, 0, 0}, {0.9f, 0, 0}, {0.9f, 0, 0.02f}};
    const uint32_t hand = (uint32_t)lmb_skeleton_find(body->skeleton, "leftHand");
    body = with_hanging(body, hand, staff, 3);
    lmb_clip *clip = put(body, source, false);
    for (double t = 0; t < 1; t += 0.05) {
        lmb_transform *a = test_pose(body, clip, t), *b = test_pose(body, empty, t);
        assert_true(lmb_vec3_distance(a[hand].translation, b[hand].translation) < 1e-6f);
        free(a);
        free(b);
    }
    lmb_clip_destroy(empty);
    lmb_clip_destroy(clip);
    lmb_character_destroy(body);
    lmb_character_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_arms_keep_out_of_the_ground),
        cmocka_unit_test(usual_arms_hang_as_they_do),
        cmocka_unit_test(a_staff_goes_where_its_hand_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
