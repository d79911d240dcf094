// VRM animations: the humanoid that a file names, and clips written as rotations since a T-pose.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "io/files.h"
#include "marker_named.h"
#include "vec3_near.h"

static const struct {
    const char *bone;
    int parent;
    float x, y, z;
} bones[17] = {
    {"hips", -1, 0, 1, 0},
    {"spine", 0, 0, 0.1f, 0},
    {"chest", 1, 0, 0.15f, 0},
    {"neck", 2, 0, 0.25f, 0},
    {"head", 3, 0, 0.1f, 0},
    {"leftUpperLeg", 0, 0.1f, -0.05f, 0},
    {"leftLowerLeg", 5, 0, -0.42f, 0},
    {"leftFoot", 6, 0, -0.43f, 0},
    {"rightUpperLeg", 0, -0.1f, -0.05f, 0},
    {"rightLowerLeg", 8, 0, -0.42f, 0},
    {"rightFoot", 9, 0, -0.43f, 0},
    {"leftUpperArm", 2, 0.18f, 0.2f, 0},
    {"leftLowerArm", 11, 0.28f, 0, 0},
    {"leftHand", 12, 0.26f, 0, 0},
    {"rightUpperArm", 2, -0.18f, 0.2f, 0},
    {"rightLowerArm", 14, -0.28f, 0, 0},
    {"rightHand", 15, -0.26f, 0, 0},
};

static const char *const extensions[3] = {
    "{\"extensions\":{\"VRMC_vrm\":{\"humanoid\":{\"humanBones\":{%s}}}}}",
    "{\"extensions\":{\"VRM\":{\"humanoid\":{\"humanBones\":[%s]}}}}",
    "{\"extensions\":{\"VRMC_vrm_animation\":{\"humanoid\":{\"humanBones\":{%s}}}}}",
};

/// Nodes of the file are in the opposite order of the joints.
static void make_carried(int kind, char *out, size_t size)
{
    char list[2048] = "";
    for (int j = 0; j < 17; ++j) {
        char one[96];
        snprintf(one, sizeof one,
                 kind == 1 ? "%s{\"bone\":\"%s\",\"node\":%d}" : "%s\"%s\":{\"node\":%d}",
                 j > 0 ? "," : "", bones[j].bone, 16 - j);
        strcat(list, one);
    }
    snprintf(out, size, kind == 1 ? extensions[1] : extensions[kind], list);
}

/// A body of 17 joints whose names mean nothing, in T-pose, every joint's own axes rotated by `roll`
/// about y. In the clip its left lower arm bends forward by 90 degrees, and it goes down and on.
static lmb_character *make_body(int kind, float roll)
{
    lmb_transform rest[17];
    const char *names[17];
    char texts[17][8], carried[4096];
    int32_t parents[17];
    uint32_t order[17];
    const lmb_quat rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), roll);
    const lmb_quat back = lmb_quat_conjugate(rotation);
    for (int j = 0; j < 17; ++j) {
        snprintf(texts[j], sizeof texts[j], "q%d", j * 7 % 17);
        names[j] = texts[j];
        parents[j] = bones[j].parent;
        order[j] = (uint32_t)(16 - j);
        const lmb_vec3 position = {bones[j].x, bones[j].y, bones[j].z};
        rest[j] = lmb_transform_identity();
        rest[j].translation = j == 0 ? position : lmb_quat_rotate(back, position);
        rest[j].rotation = j == 0 ? rotation : lmb_quat_make(0, 0, 0, 1);
    }
    const lmb_skeleton skeleton = {
        .joint_count = 17, .parents = parents, .rest = rest, .names = names, .source_index = order};
    // The bend is about the model's y, whatever the joint's axes: by -90 degrees, +X goes to +Z.
    const lmb_quat bend = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), -LMB_PI / 2);
    float ticks[2] = {0, 1}, values[8] = {0, 0, 0, 1, bend.x, bend.y, bend.z, bend.w};
    float path[6] = {0.2f, 1, 0, 0.2f, 0.8f, 0.5f};
    lmb_channel channels[2] = {{.joint = 12,
                                .path = LMB_PATH_ROTATION,
                                .width = 4,
                                .key_count = 2,
                                .ticks = ticks,
                                .values = values},
                               {.joint = 0,
                                .path = LMB_PATH_TRANSLATION,
                                .width = 3,
                                .key_count = 2,
                                .ticks = ticks,
                                .values = path}};
    const lmb_clip clip = {
        .name = "bend", .duration = 1, .frame_rate = 10, .channel_count = 2, .channels = channels};
    lmb_character def = {.clip_count = 1};
    lmb_clip *made_clip = NULL;
    assert_int_equal(lmb_skeleton_create(&skeleton, NULL, &def.skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_clip_create(&clip, NULL, &made_clip, NULL), LMB_OK);
    def.clips = &made_clip;
    if (kind >= 0) {
        make_carried(kind, carried, sizeof carried);
        const lmb_appearance look = {.carried = carried};
        assert_int_equal(lmb_appearance_create(&look, NULL, &def.appearance, NULL), LMB_OK);
    }
    lmb_character *character = NULL;
    assert_int_equal(lmb_character_create(&def, NULL, &character, NULL), LMB_OK);
    return character;
}

static void files_name_their_humanoid(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        lmb_character *c = make_body(kind, 0);
        lmb_joint_map map;
        assert_int_equal(lmb_joint_map_of_character(c, NULL, &map, NULL), LMB_OK);
        for (int j = 0; j < 17; ++j) {
            const lmb_bone_match *match = &map.bones[lmb_human_bone_find(bones[j].bone)];
            assert_int_equal(match->joint, j);
            assert_int_equal(match->reason, LMB_MAP_GIVEN);
        }
        assert_int_equal(map.bones[LMB_HUMAN_LEFT_SHOULDER].joint, LMB_NONE);
        assert_int_equal(map.spine_count, 2);
        lmb_character_destroy(c);
    }
    lmb_character *c = make_body(-1, 0);
    lmb_joint_map map;
    assert_int_equal(lmb_joint_map_of_character(c, NULL, &map, NULL), LMB_OK);
    assert_int_not_equal(map.bones[LMB_HUMAN_HIPS].reason, LMB_MAP_GIVEN);
    lmb_character_destroy(c);
}

static lmb_vec3 position_of(const lmb_character *c, const char *name, uint32_t frame, float rate)
{
    lmb_markers *markers = NULL;
    assert_int_equal(lmb_markers_of_clip(c, 0, rate, NULL, &markers, NULL), LMB_OK);
    const int32_t joint = marker_named(markers, name);
    assert_true(joint >= 0);
    const lmb_vec3 p = markers->positions[(size_t)frame * markers->marker_count + (size_t)joint];
    lmb_markers_destroy(markers);
    return p;
}

/// Whatever the joints' own axes are: the file rests in T-pose without rotations, and moves alike.
static void rotations_are_since_a_t_pose(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        lmb_character *c = make_body(0, (float)k * 0.7f), *again = NULL;
        lmb_buffer file = {0};
        assert_int_equal(lmb_vrma_write(c, 0, NULL, NULL, &file, NULL), LMB_OK);
        assert_int_equal(lmb_gltf_read(file.data, file.size, NULL, NULL, &again, NULL), LMB_OK);
        for (uint32_t j = 0; j < again->skeleton->joint_count; ++j) {
            assert_true(again->skeleton->rest[j].rotation.w == 1);
        }
        const int32_t hips = lmb_skeleton_find(again->skeleton, "hips");
        assert_vec3_near(again->skeleton->rest[hips].translation, 0, 0.9f * 1.08f, 0, 2e-5f);
        assert_vec3_near(position_of(again, "leftHand", 0, 10), 0.2f + 0.72f, 1.45f, 0, 2e-5f);
        // Bent: the lower arm, 0.26 long, points forward.
        assert_vec3_near(position_of(again, "leftLowerArm", 10, 10), 0.2f + 0.46f, 1.25f, 0.5f,
                         2e-5f);
        assert_vec3_near(position_of(again, "leftHand", 10, 10), 0.2f + 0.46f, 1.25f, 0.5f + 0.26f,
                         2e-5f);
        lmb_joint_map map;
        assert_int_equal(lmb_joint_map_of_character(again, NULL, &map, NULL), LMB_OK);
        assert_int_equal(map.bones[LMB_HUMAN_HIPS].joint, hips);
        assert_int_equal(map.bones[LMB_HUMAN_HIPS].reason, LMB_MAP_GIVEN);
        lmb_character_destroy(again);
        lmb_character_destroy(c);
        lmb_buffer_free(&file);
    }
}

static void what_cannot_be_written_says_so(void **state)
{
    (void)state;
    lmb_character *c = make_body(0, 0);
    lmb_buffer file = {0};
    lmb_error error = {0};
    assert_int_equal(lmb_vrma_write(c, 1, NULL, NULL, &file, &error), LMB_ERROR_INVALID);
    lmb_joint_map nobody;
    memset(&nobody, 0, sizeof nobody);
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        nobody.bones[bone].joint = LMB_NONE;
    }
    const lmb_vrma_write_opts opts = {.map = &nobody};
    assert_int_equal(lmb_vrma_write(c, 0, &opts, NULL, &file, &error), LMB_ERROR_UNSUPPORTED);
    assert_null(file.data);
    lmb_character_destroy(c);
}

static void every_allocation_can_fail(void **state)
{
    (void)state;
    lmb_character *c = make_body(1, 0.3f);
    for (failing_run f = {0}; failing_next(&f);) {
        lmb_buffer file = {0};
        f.result = lmb_vrma_write(c, 0, NULL, &f.alloc, &file, NULL);
        lmb_buffer_free(&file);
    }
    lmb_character_destroy(c);
}

/// Collected animations go onto a collected character, both by the maps in the files.
static void collected_files_play(void **state)
{
    (void)state;
    test_file robot = test_shared_read("rigged/vrm/debug_robot.vrm");
    const char *const names[2] = {"mocap/vrma/test.vrma", "mocap/vrma/hips_spine_twisting.vrma"};
    if (robot.data == NULL) {
        skip();
    }
    lmb_character *target = NULL;
    assert_int_equal(lmb_gltf_read(robot.data, robot.size, NULL, NULL, &target, NULL), LMB_OK);
    for (int k = 0; k < 2; ++k) {
        test_file file = test_shared_read(names[k]);
        lmb_character *source = NULL;
        lmb_clip *clip = NULL;
        lmb_retarget_report report;
        assert_int_equal(lmb_gltf_read(file.data, file.size, NULL, NULL, &source, NULL), LMB_OK);
        assert_int_equal(lmb_retarget(target, source, 0, NULL, NULL, &clip, &report, NULL), LMB_OK);
        assert_int_equal(report.source_map.bones[LMB_HUMAN_HIPS].reason, LMB_MAP_GIVEN);
        assert_int_equal(report.target_map.bones[LMB_HUMAN_HIPS].reason, LMB_MAP_GIVEN);
        lmb_clip_destroy(clip);
        lmb_character_destroy(source);
        free(file.data);
    }
    lmb_character_destroy(target);
    free(robot.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_name_their_humanoid),
        cmocka_unit_test(rotations_are_since_a_t_pose),
        cmocka_unit_test(what_cannot_be_written_says_so),
        cmocka_unit_test(every_allocation_can_fail),
        cmocka_unit_test(collected_files_play),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
