/// A humanoid written as VRM 1.0: what is read from it names the same bones; what VRM forbids is
/// refused by name.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "limber/io.h"
#include "limber/mapping.h"

enum { JOINTS = 20 };

/// A body in T-pose that faces +Z; names as VRM has them.
static const struct {
    const char *name;
    int32_t parent;
    float x, y, z;
} joints[JOINTS] = {
    {"root", LMB_NONE, 0, 0, 0},
    {"hips", 0, 0, 0.95f, 0},
    {"spine", 1, 0, 0.1f, 0},
    {"upperChest", 2, 0, 0.2f, 0},
    {"neck", 3, 0, 0.2f, 0},
    {"head", 4, 0, 0.1f, 0},
    {"leftUpperArm", 3, 0.17f, 0.1f, 0},
    {"leftLowerArm", 6, 0.27f, 0, 0},
    {"leftHand", 7, 0.25f, 0, 0},
    {"rightUpperArm", 3, -0.17f, 0.1f, 0},
    {"rightLowerArm", 9, -0.27f, 0, 0},
    {"rightHand", 10, -0.25f, 0, 0},
    {"leftUpperLeg", 1, 0.09f, -0.05f, 0},
    {"leftLowerLeg", 12, 0, -0.42f, 0},
    {"leftFoot", 13, 0, -0.42f, 0},
    {"rightUpperLeg", 1, -0.09f, -0.05f, 0},
    {"rightLowerLeg", 15, 0, -0.42f, 0},
    {"rightFoot", 16, 0, -0.42f, 0},
    {"leftToes", 14, 0, -0.06f, 0.13f},
    {"rightToes", 17, 0, -0.06f, 0.13f},
};

/// `count` of the joints, arms `below` metres lower for each of their length, all with x and z times
/// `side`.
static lmb_character *make_body(uint32_t count, float below, float side, const uint32_t *order,
                                const char *carried, const lmb_allocator *alloc)
{
    int32_t parents[JOINTS];
    const char *names[JOINTS];
    lmb_transform rest[JOINTS];
    for (uint32_t j = 0; j < count; ++j) {
        const bool is_arm = strstr(joints[j].name, "Arm") || strstr(joints[j].name, "Hand");
        parents[j] = joints[j].parent;
        names[j] = joints[j].name;
        rest[j] = lmb_transform_identity();
        rest[j].translation = lmb_vec3_make(side * joints[j].x, joints[j].y - (is_arm ? below : 0),
                                            side * joints[j].z);
    }
    const lmb_skeleton def = {.joint_count = count,
                              .parents = parents,
                              .names = names,
                              .rest = rest,
                              .source_index = (uint32_t *)(uintptr_t)order};
    lmb_appearance look = {.carried = carried};
    if (carried != NULL) {
        look.extensions_used = "[\"KHR_xmp\",\"VRMC_springBone\"]";
    }
    lmb_skeleton *skeleton = NULL;
    lmb_appearance *appearance = NULL;
    lmb_character *c = NULL;
    assert_int_equal(lmb_skeleton_create(&def, alloc, &skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_appearance_create(&look, alloc, &appearance, NULL), LMB_OK);
    const lmb_character parts = {.skeleton = skeleton, .appearance = appearance};
    assert_int_equal(lmb_character_create(&parts, alloc, &c, NULL), LMB_OK);
    return c;
}

static const lmb_vrm_meta meta = {.name = "a \"body\"",
                                  .author = "Somebody",
                                  .copyright = "2026",
                                  .other_licence = "https://example.org/l",
                                  .permits = LMB_VRM_EVERYONE | LMB_VRM_MODIFY | LMB_VRM_VIOLENCE};

/// Written and read back.
static lmb_character *through_vrm(const lmb_character *c)
{
    lmb_buffer bytes = {0};
    lmb_character *back = NULL;
    assert_int_equal(lmb_vrm_write(c, &meta, NULL, &bytes, NULL), LMB_OK);
    assert_int_equal(lmb_gltf_read(bytes.data, bytes.size, NULL, NULL, &back, NULL), LMB_OK);
    lmb_buffer_free(&bytes);
    return back;
}

static void assert_bones(const lmb_character *c)
{
    lmb_joint_map map;
    assert_int_equal(lmb_joint_map_of_character(c, NULL, &map, NULL), LMB_OK);
    for (int b = 0; b < LMB_HUMAN_BONE_COUNT; ++b) {
        const char *name = lmb_human_bone_name((lmb_human_bone)b);
        const int32_t joint = lmb_skeleton_find(c->skeleton, name);
        // Without a chest there is no upper chest for VRM; the one here is found as the chest.
        if (strcmp(name, "upperChest") != 0 && strcmp(name, "chest") != 0) {
            assert_int_equal(map.bones[b].joint, joint);
            assert_true(joint == LMB_NONE || map.bones[b].reason == LMB_MAP_GIVEN);
        }
    }
}

static void assert_says(const lmb_character *c, const char *text)
{
    assert_non_null(strstr(c->appearance->carried, text));
}

static void bones_and_permissions_come_back(void **state)
{
    (void)state;
    lmb_character *c = make_body(JOINTS, 0, 1, NULL, NULL, NULL);
    lmb_character *back = through_vrm(c);
    assert_bones(back);
    assert_says(back, "\"specVersion\":\"1.0\"");
    assert_says(back, "\"name\":\"a \\\"body\\\"\",\"authors\":[\"Somebody\"]");
    assert_says(back, "\"copyrightInformation\":\"2026\"");
    assert_says(back, "\"licenseUrl\":\"https://vrm.dev/licenses/1.0/\"");
    assert_says(back, "\"otherLicenseUrl\":\"https://example.org/l\"");
    assert_says(back, "\"avatarPermission\":\"everyone\"");
    assert_says(back, "\"commercialUsage\":\"personalNonProfit\"");
    assert_says(back, "\"modification\":\"allowModification\"");
    assert_says(back, "\"creditNotation\":\"required\"");
    assert_says(back, "\"allowRedistribution\":false");
    assert_says(back, "\"allowExcessivelyViolentUsage\":true");
    assert_non_null(strstr(back->appearance->extensions_used, "VRMC_vrm"));
    lmb_character_destroy(back);
    lmb_character_destroy(c);
}

/// Nodes in another order than the joints keep it, and what else the file had stays; numbers of
/// nodes that are no longer true do not.
static void nodes_are_those_of_the_file(void **state)
{
    (void)state;
    static const char carried[] = "{\"extras\":{\"a\":1},\"extensions\":{\"KHR_xmp\":{},"
                                  "\"VRMC_springBone\":{\"colliders\":[{\"node\":3}]}}}";
    uint32_t rotated[JOINTS], broken[JOINTS] = {0};
    for (uint32_t j = 0; j < JOINTS; ++j) {
        rotated[j] = JOINTS - 1 - j;
    }
    lmb_character *c = make_body(JOINTS, 0, 1, rotated, carried, NULL);
    lmb_character *back = through_vrm(c);
    assert_bones(back);
    assert_int_equal(back->skeleton->source_index[lmb_skeleton_find(back->skeleton, "hips")],
                     JOINTS - 2);
    assert_says(back, "\"a\":1");
    assert_says(back, "VRMC_springBone");
    lmb_character_destroy(back);
    lmb_character_destroy(c);
    c = make_body(JOINTS, 0, 1, broken, carried, NULL);
    back = through_vrm(c);
    assert_bones(back);
    assert_says(back, "\"a\":1");
    assert_says(back, "KHR_xmp");
    assert_null(strstr(back->appearance->carried, "VRMC_springBone"));
    assert_null(strstr(back->appearance->extensions_used, "VRMC_springBone"));
    lmb_character_destroy(back);
    lmb_character_destroy(c);
}

static void assert_refused(lmb_character *c, const lmb_vrm_meta *of, lmb_result as,
                           const char *found)
{
    lmb_buffer bytes = {0};
    lmb_error error = {0};
    assert_int_equal(lmb_vrm_write(c, of, NULL, &bytes, &error), as);
    assert_non_null(strstr(error.found, found));
    assert_null(bytes.data);
    lmb_character_destroy(c);
}

static void what_the_format_forbids_is_refused_by_name(void **state)
{
    (void)state;
    const lmb_vrm_meta nobody = {.name = "x"};
    assert_refused(make_body(17, 0, 1, NULL, NULL, NULL), &meta, LMB_ERROR_UNSUPPORTED,
                   "none for rightFoot");
    assert_refused(make_body(JOINTS, 0.25f, 1, NULL, NULL, NULL), &meta, LMB_ERROR_UNSUPPORTED,
                   "degrees off");
    assert_refused(make_body(JOINTS, 0, -1, NULL, NULL, NULL), &meta, LMB_ERROR_UNSUPPORTED,
                   "180 degrees off");
    assert_refused(make_body(JOINTS, 0, 1, NULL, NULL, NULL), &nobody, LMB_ERROR_INVALID, "none");
    lmb_character *c = make_body(JOINTS, 0, 1, NULL, NULL, NULL);
    lmb_character *once = through_vrm(c);
    lmb_character_destroy(c);
    assert_refused(once, &meta, LMB_ERROR_INVALID, "one of a VRM");
    assert_refused(make_body(JOINTS, 0, 1, NULL, "{\"extensions\":{\"VRM\":{}}}", NULL), &meta,
                   LMB_ERROR_INVALID, "one of a VRM");
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    lmb_character *c = make_body(JOINTS, 0, 1, NULL, "{\"extras\":{\"a\":1}}", NULL);
    for (failing_run f = {.least = 4}; failing_next(&f);) {
        lmb_buffer bytes = {0};
        f.result = lmb_vrm_write(c, &meta, &f.alloc, &bytes, NULL);
        assert_true(f.result == LMB_OK || (f.result == LMB_ERROR_MEMORY && bytes.data == NULL));
        lmb_buffer_free(&bytes);
    }
    lmb_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bones_and_permissions_come_back),
        cmocka_unit_test(nodes_are_those_of_the_file),
        cmocka_unit_test(what_the_format_forbids_is_refused_by_name),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
