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

static bool is_doubtful(joints *j)
{
    lmb_character def = {.name = "body"}, *character = NULL;
    const lmb_skeleton skeleton = {
        .joint_count = j->count, .parents = j->parents, .rest = j->rest, .names = j->names};
    const char *doubt = NULL;
    assert_int_equal(lmb_skeleton_create(&skeleton, NULL, &def.skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_character_create(&def, NULL, &character, NULL), LMB_OK);
    assert_int_equal(lmb_humanoid_doubt(character, NULL, NULL, &doubt, NULL), LMB_OK);
    lmb_character_destroy(character);
    return doubt != NULL;
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
