/// Toys of blocks have one joint a limb: it points where the whole limb of a human does, and the body turns about its
/// legs though its root lies on the ground.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "made_bodies.h"
#include "retarget/body.h"
#include "retarget/skinned_joints.h"

enum { ROOT, LEFT_LEG, RIGHT_LEG, TORSO, LEFT_ARM, RIGHT_ARM, HEAD, JOINTS };

/// The joints' names, and whether arms and head hang from the trunk or from the root.
typedef struct convention {
    const char *names[JOINTS];
    bool apart;
} convention;

static const convention dashes = {
    {"root", "leg-left", "leg-right", "torso", "arm-left", "arm-right", "head"}, false};
static const convention words = {
    {"root", "leftLeg", "rightLeg", "body", "leftArm", "rightArm", "head"}, true};
static const convention spaces = {
    {"HumanoidRootPart", "Left Leg", "Right Leg", "Torso", "Left Arm", "Right Arm", "Head"}, false};

static const lmb_vec3 places[JOINTS] = {{0, 0, 0},    {0.1f, 0.3f, 0},  {-0.1f, 0.3f, 0},
                                        {0, 0.3f, 0}, {0.2f, 0.55f, 0}, {-0.2f, 0.55f, 0},
                                        {0, 0.6f, 0}};

static lmb_character *skeleton_of(const convention *named)
{
    const char *names[JOINTS];
    int32_t parents[JOINTS];
    lmb_transform rest[JOINTS];
    lmb_skeleton def = {.joint_count = JOINTS, .names = names, .parents = parents, .rest = rest};
    for (int j = 0; j < JOINTS; ++j) {
        parents[j] = j == ROOT ? LMB_NONE : j > TORSO && !named->apart ? TORSO : ROOT;
        names[j] = named->names[j];
        rest[j] = lmb_transform_identity();
        rest[j].translation =
            parents[j] == LMB_NONE ? places[j] : lmb_vec3_sub(places[j], places[parents[j]]);
    }
    lmb_character made = {.name = (char *)(uintptr_t) "toy"}, *out = NULL;
    assert_int_equal(lmb_skeleton_create(&def, NULL, &made.skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_character_create(&made, NULL, &out, NULL), LMB_OK);
    return out;
}

/// Four vertices around the end of each limb: soles longer before the leg than behind it, and hands out
/// to the sides or down.
static lmb_character *toy(bool arms_hang, skinned *out)
{
    lmb_character *bare = skeleton_of(&dashes);
    *out = skinned_begin(bare->skeleton, 4, dashes.names + LEFT_LEG, 4);
    out->joints[2] = LEFT_ARM;
    out->joints[3] = RIGHT_ARM;
    out->at[2] = places[LEFT_ARM];
    out->at[3] = places[RIGHT_ARM];
    for (uint32_t v = 0; v < 16; ++v) {
        const uint32_t limb = v / 4;
        const float side = v % 2 ? 0.04f : -0.04f, along = v % 4 < 2 ? -0.04f : 0.04f;
        const lmb_vec3 reach = {limb == 2 ? 0.3f : -0.3f, 0, 0}, down = {0, -0.3f, 0};
        const lmb_vec3 aside =
            limb < 2 || arms_hang ? lmb_vec3_make(side, 0, along) : lmb_vec3_make(0, side, along);
        out->points[v] =
            lmb_vec3_add(lmb_vec3_add(out->at[limb], limb < 2 || arms_hang ? down : reach), aside);
        out->points[v].z += limb < 2 && along > 0 ? 0.08f : 0;
    }
    lmb_character *made = skinned_create(bare->skeleton, out);
    lmb_character_destroy(bare);
    return made;
}

static void each_limb_is_found(void **state)
{
    (void)state;
    static const struct {
        lmb_human_bone bone;
        int joint;
    } expected[] = {
        {LMB_HUMAN_HIPS, ROOT},
        {LMB_HUMAN_HEAD, HEAD},
        {LMB_HUMAN_LEFT_UPPER_LEG, LEFT_LEG},
        {LMB_HUMAN_RIGHT_UPPER_LEG, RIGHT_LEG},
        {LMB_HUMAN_LEFT_UPPER_ARM, LEFT_ARM},
        {LMB_HUMAN_RIGHT_UPPER_ARM, RIGHT_ARM},
        {LMB_HUMAN_LEFT_LOWER_LEG, LMB_NONE},
        {LMB_HUMAN_RIGHT_LOWER_ARM, LMB_NONE},
    };
    const convention *const all[] = {&dashes, &words, &spaces};
    for (int c = 0; c < 3; ++c) {
        lmb_character *character = skeleton_of(all[c]);
        lmb_joint_map map;
        lmb_map_gap gaps[LMB_HUMAN_BONE_COUNT];
        assert_int_equal(lmb_joint_map_make(character->skeleton, NULL, &map, NULL), LMB_OK);
        for (size_t k = 0; k < sizeof expected / sizeof *expected; ++k) {
            assert_int_equal(map.bones[expected[k].bone].joint, expected[k].joint);
        }
        const uint32_t count = lmb_joint_map_gaps(&map, character->skeleton, gaps);
        for (uint32_t k = 0; k < count; ++k) {
            assert_true(gaps[k].beyond || (all[c]->apart && gaps[k].bone == LMB_HUMAN_SPINE));
        }
        assert_int_equal(count, all[c]->apart ? 9 : 8);
        assert_true(map.confidence >= 0.8f);
        lmb_character_destroy(character);
    }
}

/// The cosine of the angle between a toy's limb and the line from a human's joint to another.
static float agreement(const lmb_transform *toy_pose, int joint, lmb_vec3 rest,
                       const lmb_character *human, const lmb_transform *pose, const char *from,
                       const char *to)
{
    const lmb_vec3 zero = {0, 0, 0};
    const int32_t a = lmb_skeleton_find(human->skeleton, from),
                  b = lmb_skeleton_find(human->skeleton, to);
    return lmb_vec3_dot(
        lmb_quat_rotate(toy_pose[joint].rotation, rest),
        lmb_vec3_normalize_or(lmb_vec3_sub(pose[b].translation, pose[a].translation), zero));
}

static void limbs_point_where_a_humans_do(void **state)
{
    (void)state;
    lmb_character *human = test_motion(LMB_MOTION_WALK);
    for (int hang = 0; hang < 2; ++hang) {
        skinned skin;
        lmb_character *character = toy(hang, &skin);
        lmb_clip *clip = NULL;
        assert_int_equal(lmb_retarget(character, human, 0, NULL, NULL, &clip, NULL, NULL), LMB_OK);
        for (double t = 0; t < (double)lmb_clip_duration_s(clip); t += 0.05) {
            const lmb_vec3 down = {0, -1, 0}, left = {1, 0, 0}, right = {-1, 0, 0};
            lmb_transform *a = test_pose(character, clip, t),
                          *b = test_pose(human, human->clips[0], t);
            assert_true(agreement(a, LEFT_LEG, down, human, b, "leftUpperLeg", "leftFoot") >
                        0.9999f);
            assert_true(agreement(a, RIGHT_LEG, down, human, b, "rightUpperLeg", "rightFoot") >
                        0.9999f);
            assert_true(agreement(a, LEFT_ARM, hang ? down : left, human, b, "leftUpperArm",
                                  "leftHand") > 0.9999f);
            assert_true(agreement(a, RIGHT_ARM, hang ? down : right, human, b, "rightUpperArm",
                                  "rightHand") > 0.9999f);
            free(a);
            free(b);
        }
        assert_float_equal(skinned_lowest(character, clip, &skin, 0), 0, 0.002f);
        lmb_clip_destroy(clip);
        lmb_character_destroy(character);
    }
    lmb_character_destroy(human);
}

/// Legs that hang from nothing that they share leave no hips.
static void a_toy_in_pieces_is_refused(void **state)
{
    (void)state;
    lmb_character *human = test_motion(LMB_MOTION_WALK), *character = skeleton_of(&dashes);
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    character->skeleton->parents[RIGHT_LEG] = LMB_NONE;
    assert_int_equal(lmb_retarget(character, human, 0, NULL, NULL, &clip, NULL, &error),
                     LMB_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.found, "without hips"));
    lmb_character_destroy(character);
    lmb_character_destroy(human);
}

/// The length of a leg: of the thigh and the shank.
static float leg_of(const lmb_character *human, const lmb_transform *pose)
{
    const lmb_skeleton *skeleton = human->skeleton;
    const lmb_vec3 hip = pose[lmb_skeleton_find(skeleton, "leftUpperLeg")].translation,
                   knee = pose[lmb_skeleton_find(skeleton, "leftLowerLeg")].translation,
                   ankle = pose[lmb_skeleton_find(skeleton, "leftFoot")].translation;
    return lmb_vec3_distance(hip, knee) + lmb_vec3_distance(knee, ankle);
}

/// Between its legs it goes where the human's hips do, in lengths of a leg, though its root turns too.
static void the_body_turns_about_its_legs(void **state)
{
    (void)state;
    skinned skin;
    lmb_character *human = test_motion(LMB_MOTION_WALK), *character = toy(false, &skin);
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_retarget(character, human, 0, NULL, NULL, &clip, NULL, NULL), LMB_OK);
    const int32_t hips = lmb_skeleton_find(human->skeleton, "hips");
    lmb_vec3 first = {0, 0, 0};
    float scale = 0, most = 0;
    for (int i = 0; i <= 20; ++i) {
        const double t = (double)lmb_clip_duration_s(clip) * i / 20;
        lmb_transform *a = test_pose(character, clip, t), *b = test_pose(human, human->clips[0], t);
        const lmb_vec3 legs =
            lmb_vec3_lerp(a[LEFT_LEG].translation, a[RIGHT_LEG].translation, 0.5f);
        scale = 0.3f / leg_of(human, b);
        lmb_vec3 off = lmb_vec3_mad(legs, b[hips].translation, -scale);
        off.y = 0; // legs that cannot bend go up and down by themselves
        first = i == 0 ? off : first;
        most = fmaxf(most, lmb_vec3_distance(off, first));
        free(a);
        free(b);
    }
    assert_true(most < 1e-3f);
    lmb_clip_destroy(clip);
    lmb_character_destroy(character);
    lmb_character_destroy(human);
}

static float lower(const lmb_character *c, const lmb_transform *pose, const char *a, const char *b)
{
    return fminf(pose[lmb_skeleton_find(c->skeleton, a)].translation.y,
                 pose[lmb_skeleton_find(c->skeleton, b)].translation.y);
}

/// The toy's pose in model space as live motion makes it of the human's.
static void step_live(lmb_live *live, const lmb_character *human, const lmb_character *character,
                      double t, lmb_transform *out)
{
    lmb_transform *local = malloc(human->skeleton->joint_count * sizeof *local);
    lmb_sample(&(lmb_sample_job){.clip = human->clips[0],
                                 .time_s = t,
                                 .joint_count = human->skeleton->joint_count,
                                 .rest = human->skeleton->rest,
                                 .pose = local});
    lmb_live_step(live, local, out);
    for (uint32_t j = 0; j < character->skeleton->joint_count; ++j) {
        const int32_t parent = character->skeleton->parents[j];
        out[j] = parent < 0 ? out[j] : lmb_transform_mul(out[parent], out[j]);
    }
    free(local);
}

/// Where a human crouches, lands and is in the air, the lower leg is as far from the ground as the
/// human's lower toes.
static void legs_that_cannot_bend_stand(void **state)
{
    (void)state;
    skinned skin;
    lmb_character *human = test_motion(LMB_MOTION_JUMP), *character = toy(false, &skin);
    lmb_clip *clip = NULL;
    lmb_live *live = NULL;
    assert_int_equal(lmb_retarget(character, human, 0, NULL, NULL, &clip, NULL, NULL), LMB_OK);
    assert_int_equal(lmb_live_create(character, human, NULL, NULL, &live, NULL), LMB_OK);
    lmb_transform *rest = test_pose(human, human->clips[0], 0), now[JOINTS];
    const float ground = lower(human, rest, "leftToes", "rightToes"),
                scale = 0.3f / leg_of(human, rest);
    float most = 0, most_live = 0, highest = 0;
    for (double t = 0; t < (double)lmb_clip_duration_s(clip); t += 0.05) {
        lmb_transform *pose = test_pose(human, human->clips[0], t),
                      *made = test_pose(character, clip, t);
        const float wanted = (lower(human, pose, "leftToes", "rightToes") - ground) * scale;
        step_live(live, human, character, t, now);
        most = fmaxf(most, fabsf(skinned_lowest_of(&skin, 0, made) - wanted));
        most_live = fmaxf(most_live, fabsf(skinned_lowest_of(&skin, 0, now) - wanted));
        highest = fmaxf(highest, wanted);
        free(pose);
        free(made);
    }
    print_message("off by %.4f, live %.4f, over %.3f\n", (double)most, (double)most_live,
                  (double)highest);
    assert_true(highest > 0.03f);
    assert_true(most < 0.003f && most_live < 0.003f);
    free(rest);
    lmb_live_destroy(live);
    lmb_clip_destroy(clip);
    lmb_character_destroy(character);
    lmb_character_destroy(human);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_limb_is_found),
        cmocka_unit_test(limbs_point_where_a_humans_do),
        cmocka_unit_test(a_toy_in_pieces_is_refused),
        cmocka_unit_test(the_body_turns_about_its_legs),
        cmocka_unit_test(legs_that_cannot_bend_stand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
