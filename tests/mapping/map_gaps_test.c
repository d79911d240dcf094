// What a skeleton lacks of a humanoid is told part by part, and a tree that is no body is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>

#include "made_bodies.h"
#include "mapping/mapping.h"
#include "retarget/hands_figure.h"

static lmb_joint_map map_of(const lmb_skeleton *skeleton)
{
    lmb_joint_map map;
    assert_int_equal(lmb_joint_map_make(skeleton, NULL, &map, NULL), LMB_OK);
    return map;
}

static void whole_bodies_have_no_gaps(void **state)
{
    (void)state;
    lmb_character *body = test_motion(LMB_MOTION_WALK);
    lmb_map_gap gaps[LMB_HUMAN_BONE_COUNT];
    const lmb_joint_map map = map_of(body->skeleton);
    assert_int_equal(lmb_joint_map_gaps(&map, body->skeleton, gaps), 0);
    assert_false(lmbi_joint_map_is_guess(&map));
    lmb_character_destroy(body);
}

static void missing_joints_are_named(void **state)
{
    (void)state;
    lmb_character *body = test_motion(LMB_MOTION_WALK);
    lmb_map_gap gaps[LMB_HUMAN_BONE_COUNT];
    lmb_joint_map map = map_of(body->skeleton);
    map.bones[LMB_HUMAN_LEFT_LOWER_ARM].joint = LMB_NONE;
    assert_int_equal(lmb_joint_map_gaps(&map, body->skeleton, gaps), 1);
    assert_int_equal(gaps[0].bone, LMB_HUMAN_LEFT_LOWER_ARM);
    assert_int_equal(gaps[0].apart_from, LMB_HUMAN_BONE_COUNT);
    lmb_character_destroy(body);
}

/// A hand that hangs from a control at the root and not from its forearm.
static void joints_that_hang_elsewhere_are_named(void **state)
{
    (void)state;
    lmb_character *body = test_motion(LMB_MOTION_WALK);
    lmb_map_gap gaps[LMB_HUMAN_BONE_COUNT];
    const lmb_joint_map map = map_of(body->skeleton);
    const int32_t hand = map.bones[LMB_HUMAN_RIGHT_HAND].joint;
    body->skeleton->parents[hand] = 0;
    assert_int_equal(lmb_joint_map_gaps(&map, body->skeleton, gaps), 1);
    assert_int_equal(gaps[0].bone, LMB_HUMAN_RIGHT_HAND);
    assert_int_equal(gaps[0].apart_from, LMB_HUMAN_RIGHT_LOWER_ARM);
    lmb_character_destroy(body);
}

/// Makes a foot the end of its shin, as exporters add to last bones; what hung from it is a control.
static void end_at(lmb_skeleton *s, const lmb_joint_map *map, lmb_human_bone foot, const char *name)
{
    const int32_t joint = map->bones[foot].joint;
    s->names[joint] = (char *)(uintptr_t)name;
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        if (s->parents[j] == joint) {
            s->parents[j] = 0;
            s->names[j] = (char *)(uintptr_t) "control";
        }
    }
}

/// Feet that are controls of their own leave the ends of the shins as ankles, on both sides or on none.
static void ends_of_shins_are_ankles(void **state)
{
    (void)state;
    for (int both = 0; both < 2; ++both) {
        lmb_character *body = test_motion(LMB_MOTION_WALK);
        const lmb_joint_map whole = map_of(body->skeleton);
        end_at(body->skeleton, &whole, LMB_HUMAN_LEFT_FOOT, "leftLowerLeg_end");
        end_at(body->skeleton, &whole, LMB_HUMAN_RIGHT_FOOT, both ? "rightLowerLeg_end" : "thing");
        const lmb_joint_map map = map_of(body->skeleton);
        for (int side = 0; side < 2; ++side) {
            const int foot = side == 0 ? LMB_HUMAN_LEFT_FOOT : LMB_HUMAN_RIGHT_FOOT;
            assert_int_equal(map.bones[foot].joint, both ? whole.bones[foot].joint : LMB_NONE);
        }
        lmb_character_destroy(body);
    }
}

static bool is_whole(const lmb_character *character, const lmb_joint_map *map)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, NULL);
    lmbi_humanoid body;
    assert_int_equal(lmbi_body_make(character, map, NULL, "the body", NULL, &arena, &body, NULL),
                     LMB_OK);
    const bool whole = lmbi_hand_figure_is_whole(&body);
    lmbi_arena_free(&arena);
    return whole;
}

/// The trunk is not bent for hands that hang from a control: no bend brings them nearer.
static void trunks_bend_for_hands_that_hang_from_them(void **state)
{
    (void)state;
    lmb_character *body = test_motion(LMB_MOTION_WALK);
    const lmb_joint_map map = map_of(body->skeleton);
    assert_true(is_whole(body, &map));
    body->skeleton->parents[map.bones[LMB_HUMAN_LEFT_HAND].joint] = 0;
    assert_false(is_whole(body, &map));
    lmb_character_destroy(body);
}

/// The skeleton with nodes before its joints that have the names of its shins, as those of meshes, and with feet that
/// hang from the root.
static lmb_skeleton *with_namesakes(const lmb_skeleton *body, const lmb_joint_map *map)
{
    enum { MOST = 128, NODES = 2 };
    static const lmb_human_bone shins[NODES] = {LMB_HUMAN_LEFT_LOWER_LEG,
                                                LMB_HUMAN_RIGHT_LOWER_LEG};
    int32_t parents[MOST] = {LMB_NONE, 0, 0};
    lmb_transform rest[MOST];
    const char *names[MOST];
    assert_true(body->joint_count + NODES <= MOST);
    for (uint32_t j = 0; j < body->joint_count; ++j) {
        const uint32_t at = j == 0 ? 0 : j + NODES;
        const int32_t parent = body->parents[j];
        parents[at] = parent > 0 ? parent + NODES : parent;
        rest[at] = body->rest[j];
        names[at] = body->names[j];
    }
    for (int k = 0; k < NODES; ++k) {
        rest[1 + k] = lmb_transform_identity();
        names[1 + k] = body->names[map->bones[shins[k]].joint];
        parents[map->bones[shins[k] + 1].joint + NODES] = 0;
    }
    const lmb_skeleton def = {
        .joint_count = body->joint_count + NODES, .parents = parents, .rest = rest, .names = names};
    lmb_skeleton *made = NULL;
    assert_int_equal(lmb_skeleton_create(&def, NULL, &made, NULL), LMB_OK);
    return made;
}

/// Where feet are controls, shins are those below the thighs, not the nodes of meshes with their names.
static void shins_hang_from_thighs(void **state)
{
    (void)state;
    lmb_character *body = test_motion(LMB_MOTION_WALK);
    const lmb_joint_map whole = map_of(body->skeleton);
    lmb_skeleton *skeleton = with_namesakes(body->skeleton, &whole);
    const lmb_joint_map map = map_of(skeleton);
    for (int bone = LMB_HUMAN_LEFT_LOWER_LEG; bone <= LMB_HUMAN_RIGHT_LOWER_LEG;
         bone += LMB_HUMAN_RIGHT_LOWER_LEG - LMB_HUMAN_LEFT_LOWER_LEG) {
        assert_int_equal(map.bones[bone].joint, whole.bones[bone].joint + 2);
    }
    lmb_skeleton_destroy(skeleton);
    lmb_character_destroy(body);
}

/// A foot's mesh that hangs below it with its name is no toe; feet below feet are, if not alike.
static void a_foot_is_not_its_own_toe(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool is_toe;
    } cases[] = {{"leftFoot", false}, {"leftFoot_1", false}, {"leftLowerFoot", true}};
    lmb_character *body = test_motion(LMB_MOTION_WALK);
    const int32_t toes = lmb_skeleton_find(body->skeleton, "leftToes");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        lmb_skeleton def = *body->skeleton, *skeleton = NULL;
        const char *names[128];
        memcpy(names, def.names, def.joint_count * sizeof *names);
        names[toes] = cases[k].name;
        def.names = names;
        assert_int_equal(lmb_skeleton_create(&def, NULL, &skeleton, NULL), LMB_OK);
        const lmb_joint_map map = map_of(skeleton);
        assert_int_equal(map.bones[LMB_HUMAN_LEFT_TOES].joint, cases[k].is_toe ? toes : LMB_NONE);
        lmb_skeleton_destroy(skeleton);
    }
    lmb_character_destroy(body);
}

/// Legs that hang from hips of their own beside the spine: the hips are those of both.
static void hips_are_those_of_legs_and_spine(void **state)
{
    (void)state;
    enum { MOST = 128 };
    lmb_character *body = test_motion(LMB_MOTION_WALK);
    const lmb_skeleton *whole = body->skeleton;
    const int32_t hips = lmb_skeleton_find(whole, "hips");
    int32_t parents[MOST];
    lmb_transform rest[MOST];
    const char *names[MOST];
    for (uint32_t j = 0; j < whole->joint_count; ++j) {
        const bool is_after = (int32_t)j > hips;
        const bool is_leg = is_after && strstr(whole->names[j], "UpperLeg") != NULL;
        const int32_t parent = whole->parents[j];
        parents[j + is_after] = is_leg ? hips + 1 : parent + (parent > hips);
        rest[j + is_after] = whole->rest[j];
        names[j + is_after] = whole->names[j];
    }
    parents[hips + 1] = hips;
    rest[hips + 1] = lmb_transform_identity();
    names[hips + 1] = "hip_master";
    const lmb_skeleton def = {
        .joint_count = whole->joint_count + 1, .parents = parents, .rest = rest, .names = names};
    lmb_skeleton *skeleton = NULL;
    assert_int_equal(lmb_skeleton_create(&def, NULL, &skeleton, NULL), LMB_OK);
    const lmb_joint_map map = map_of(skeleton);
    assert_int_equal(map.bones[LMB_HUMAN_HIPS].joint, hips);
    lmb_skeleton_destroy(skeleton);
    lmb_character_destroy(body);
}

/// Nameless nodes of a scene: a root from which two like branches hang, and many things beside them.
static void a_scene_is_no_body(void **state)
{
    (void)state;
    enum { NODES = 60 };
    int32_t parents[NODES];
    lmb_transform rest[NODES];
    const char *names[NODES];
    static char texts[NODES][16];
    for (int k = 0; k < NODES; ++k) {
        snprintf(texts[k], sizeof texts[k], "block_%d", k);
        names[k] = texts[k];
        parents[k] = k == 0 ? LMB_NONE : 0;
        rest[k] = lmb_transform_identity();
        rest[k].translation = lmb_vec3_make((float)(k % 8) - 3.5f, 0, (float)(k / 8));
    }
    for (int side = 0; side < 2; ++side) {
        for (int k = 1; k < 4; ++k) {
            const int at = 10 + 4 * side + k;
            parents[at] = at - 1;
            rest[at].translation = lmb_vec3_make(0, -1, 0);
        }
        rest[10 + 4 * side].translation = lmb_vec3_make(side == 0 ? 1.0f : -1.0f, 0, 0);
    }
    const lmb_skeleton def = {
        .joint_count = NODES, .parents = parents, .rest = rest, .names = names};
    lmb_character scene = {.name = "scene"};
    assert_int_equal(lmb_skeleton_create(&def, NULL, &scene.skeleton, NULL), LMB_OK);
    const lmb_joint_map map = map_of(scene.skeleton);
    assert_true(map.bones[LMB_HUMAN_LEFT_LOWER_LEG].joint >= 0); // else nothing is tried here
    assert_true(lmbi_joint_map_is_guess(&map));
    lmb_character *walk = test_motion(LMB_MOTION_WALK);
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    assert_int_equal(lmb_retarget(&scene, walk, 0, NULL, NULL, &clip, NULL, &error),
                     LMB_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.found, "less than half"));
    lmb_character_destroy(walk);
    lmb_skeleton_destroy(scene.skeleton);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_bodies_have_no_gaps),
        cmocka_unit_test(missing_joints_are_named),
        cmocka_unit_test(joints_that_hang_elsewhere_are_named),
        cmocka_unit_test(ends_of_shins_are_ankles),
        cmocka_unit_test(trunks_bend_for_hands_that_hang_from_them),
        cmocka_unit_test(shins_hang_from_thighs),
        cmocka_unit_test(a_foot_is_not_its_own_toe),
        cmocka_unit_test(hips_are_those_of_legs_and_spine),
        cmocka_unit_test(a_scene_is_no_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
