/// Who counts as human: skirts and springs are no legs, legs are.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "made_bodies.h"

enum { MOST = TEST_BODY_JOINTS + 40 };

typedef struct joints {
    uint32_t count;
    int32_t parents[MOST];
    lmb_transform rest[MOST];
    const char *names[MOST];
} joints;

/// A chain that hangs straight down from a joint, beside it.
static void hang(joints *out, const char *from, uint32_t count, float length, float aside)
{
    int32_t parent = 0;
    while (strcmp(out->names[parent], from) != 0) {
        ++parent;
    }
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t j = out->count++;
        out->parents[j] = parent;
        out->names[j] = "hanging";
        out->rest[j] = lmb_transform_identity();
        out->rest[j].translation =
            lmb_vec3_make(k == 0 ? aside : 0, k == 0 ? 0 : -length / (float)(count - 1), 0);
        parent = (int32_t)j;
    }
}

static joints body(void)
{
    lmb_character *made = test_skeleton(&(test_shape){0});
    static char names[TEST_BODY_JOINTS][32];
    joints out = {.count = made->skeleton->joint_count};
    for (uint32_t j = 0; j < out.count; ++j) {
        (void)strncpy(names[j], made->skeleton->names[j], sizeof names[j] - 1);
        out.names[j] = names[j];
        out.parents[j] = made->skeleton->parents[j];
        out.rest[j] = made->skeleton->rest[j];
    }
    lmb_character_destroy(made);
    return out;
}

/// A clip that holds a joint at its rest rotation times one about the x axis.
static lmb_clip *bending(const joints *j, uint32_t joint, float angle_rad)
{
    float ticks[2] = {0, 1}, values[8];
    for (int k = 0; k < 2; ++k) {
        const lmb_quat bent = lmb_quat_mul(j->rest[joint].rotation,
                                           lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), angle_rad));
        memcpy(values + 4 * k, &bent, sizeof bent);
    }
    lmb_channel channel = {.joint = joint,
                           .path = LMB_PATH_ROTATION,
                           .width = 4,
                           .key_count = 2,
                           .ticks = ticks,
                           .values = values};
    const lmb_clip def = {
        .name = "bending", .duration = 1, .channel_count = 1, .channels = &channel};
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_clip_create(&def, NULL, &clip, NULL), LMB_OK);
    return clip;
}

/// `clip` becomes the character's, and goes with it; NULL: none.
static bool is_doubtful_with(joints *j, lmb_clip *clip)
{
    lmb_character def = {.name = "body", .clip_count = clip ? 1 : 0, .clips = &clip},
                  *character = NULL;
    const lmb_skeleton skeleton = {
        .joint_count = j->count, .parents = j->parents, .rest = j->rest, .names = j->names};
    const char *doubt = NULL;
    assert_int_equal(lmb_skeleton_create(&skeleton, NULL, &def.skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_character_create(&def, NULL, &character, NULL), LMB_OK);
    assert_int_equal(lmb_humanoid_doubt(character, NULL, NULL, &doubt, NULL), LMB_OK);
    lmb_character_destroy(character);
    return doubt != NULL;
}

static bool is_doubtful(joints *j)
{
    return is_doubtful_with(j, NULL);
}

/// The rest pose of many recordings is a stick: where the clip stands, the body is a human's.
static void a_rest_pose_that_does_not_stand_leaves_it_to_the_clip(void **state)
{
    (void)state;
    joints j = body();
    uint32_t spine = 0;
    while (strcmp(j.names[spine], "spine") != 0) {
        ++spine;
    }
    const lmb_quat level = lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), 1.5f);
    j.rest[spine].rotation = lmb_quat_mul(j.rest[spine].rotation, level);
    assert_true(is_doubtful(&j));
    assert_false(is_doubtful_with(&j, bending(&j, spine, -1.5f)));
    assert_true(is_doubtful_with(&j, bending(&j, spine, 0)));
}

/// A skirt's chains have as many joints as thigh, shin and the springs on it, and are as long.
static void springs_on_a_shin_make_no_legs_of_a_skirt(void **state)
{
    (void)state;
    joints j = body();
    hang(&j, "leftLowerLeg", 4, 0.4f, 0.05f);
    hang(&j, "rightLowerLeg", 4, 0.4f, -0.05f);
    for (int k = 0; k < 4; ++k) {
        hang(&j, "hips", 6, 0.85f, 0.05f * (float)(k - 2));
    }
    assert_false(is_doubtful(&j));
}

static void more_legs_are_doubted(void **state)
{
    (void)state;
    joints j = body();
    assert_false(is_doubtful(&j));
    hang(&j, "hips", 4, 0.95f, 0.3f);
    assert_false(is_doubtful(&j)); // a tail
    hang(&j, "hips", 4, 0.95f, -0.3f);
    assert_true(is_doubtful(&j));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_on_a_shin_make_no_legs_of_a_skirt),
        cmocka_unit_test(more_legs_are_doubted),
        cmocka_unit_test(a_rest_pose_that_does_not_stand_leaves_it_to_the_clip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
