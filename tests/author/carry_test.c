/// What hangs beside the body comes along: with the joints of feet cut off, a clip that carries them moves the skin as
/// the whole skeleton does.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bare_body.h"
#include "limber/anim.h"
#include "limber/author.h"

enum { FRAMES = 31, RATE_HZ = 30, MOST_JOINTS = 128 };

static uint32_t joint_of(const lmb_character *c, const char *name)
{
    const int32_t j = lmb_skeleton_find(c->skeleton, name);
    assert_true(j >= 0);
    return (uint32_t)j;
}

/// A leg that swings, the knee bent, while the body goes ahead.
static lmb_clip *swinging(const lmb_character *c)
{
    const uint32_t n = c->skeleton->joint_count;
    lmb_transform *poses = malloc(FRAMES * n * sizeof *poses);
    assert_non_null(poses);
    for (uint32_t f = 0; f < FRAMES; ++f) {
        lmb_transform *pose = poses + (size_t)f * n;
        const float t = (float)f / (FRAMES - 1);
        memcpy(pose, c->skeleton->rest, n * sizeof *pose);
        pose[joint_of(c, "hips")].translation.z += t;
        lmb_quat *hip = &pose[joint_of(c, "leftUpperLeg")].rotation,
                 *knee = &pose[joint_of(c, "leftLowerLeg")].rotation;
        *hip = lmb_quat_mul(*hip, lmb_quat_axis_angle((lmb_vec3){1, 0, 0}, -t));
        *knee = lmb_quat_mul(*knee, lmb_quat_axis_angle((lmb_vec3){1, 0, 0}, 1.4f * t));
    }
    lmb_clip *clip = NULL;
    assert_int_equal(
        lmb_clip_from_poses(c->skeleton, poses, FRAMES, RATE_HZ, "swing", NULL, &clip, NULL),
        LMB_OK);
    free(poses);
    return clip;
}

static void cut_off(lmb_character *c, const char *name)
{
    lmb_mat4 model[MOST_JOINTS];
    const uint32_t j = joint_of(c, name);
    assert_true(c->skeleton->joint_count <= MOST_JOINTS);
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = c->skeleton, .model_from_joint = model});
    (void)lmb_mat4_decompose(model[j], &c->skeleton->rest[j]);
    c->skeleton->parents[j] = LMB_NONE;
}

static const char *const BODY[] = {"hips", "leftUpperLeg", "leftLowerLeg", "rightUpperLeg",
                                   "rightLowerLeg"};
enum { BODY_COUNT = sizeof BODY / sizeof *BODY };

static uint32_t carry(lmb_character *c, lmb_clip **clip)
{
    int32_t joints[BODY_COUNT];
    uint32_t count = 0;
    for (uint32_t k = 0; k < BODY_COUNT; ++k) {
        joints[k] = (int32_t)joint_of(c, BODY[k]);
    }
    assert_int_equal(lmb_clip_carry(c, joints, BODY_COUNT, NULL, clip, &count, NULL), LMB_OK);
    return count;
}

static void model_at(const lmb_character *c, const lmb_clip *clip, double time_s,
                     lmb_mat4 out[MOST_JOINTS])
{
    lmb_transform pose[MOST_JOINTS];
    lmb_clip_to_model(clip, c->skeleton, time_s, pose, out);
}

static void feet_that_hang_from_nothing(void **state)
{
    (void)state;
    lmb_made_body *whole = bare_body(3), *cut = bare_body(3);
    lmb_clip *expected = swinging(whole->character), *clip = swinging(whole->character);
    cut_off(cut->character, "leftFoot");
    cut_off(cut->character, "rightFoot");
    assert_int_equal(carry(cut->character, &clip), 2);
    for (int k = 0; k <= 20; ++k) {
        lmb_mat4 a[MOST_JOINTS], b[MOST_JOINTS];
        model_at(whole->character, expected, 0.05 * k, a);
        model_at(cut->character, clip, 0.05 * k, b);
        for (uint32_t j = 0; j < whole->character->skeleton->joint_count; ++j) {
            // between two frames the foot goes along a chord
            for (int i = 0; i < 16; ++i) {
                assert_true(fabsf(a[j].m[i] - b[j].m[i]) < 1e-3f);
            }
        }
    }
    lmb_clip_destroy(expected);
    lmb_clip_destroy(clip);
    lmb_made_body_destroy(whole);
    lmb_made_body_destroy(cut);
}

/// A skin that stands beside the body is another's.
static void what_is_far_stays(void **state)
{
    (void)state;
    lmb_made_body *body = bare_body(3);
    lmb_character *c = body->character;
    lmb_clip *clip = swinging(c);
    const uint32_t before = clip->channel_count, foot = joint_of(c, "leftFoot");
    cut_off(c, "leftFoot");
    c->skeleton->rest[foot].translation.x += 3;
    assert_int_equal(carry(c, &clip), 0);
    assert_int_equal(clip->channel_count, before);
    lmb_clip_destroy(clip);
    lmb_made_body_destroy(body);
}

/// A joint with skin that coincides with a foot but hangs from the hips follows the foot.
static void goals_follow_what_they_move(void **state)
{
    (void)state;
    lmb_made_body *body = bare_body(3);
    lmb_character *c = body->character;
    lmb_mat4 model[MOST_JOINTS], inverse;
    lmb_clip *clip = swinging(c);
    const uint32_t goal = joint_of(c, "leftToes"), foot = joint_of(c, "leftFoot"),
                   hips = joint_of(c, "hips");
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = c->skeleton, .model_from_joint = model});
    assert_true(lmb_mat4_inverse_affine(model[hips], &inverse));
    (void)lmb_mat4_decompose(lmb_mat4_mul(inverse, model[foot]), &c->skeleton->rest[goal]);
    c->skeleton->parents[goal] = (int32_t)hips;
    const int32_t joints[] = {(int32_t)hips, (int32_t)joint_of(c, "leftUpperLeg"),
                              (int32_t)joint_of(c, "leftLowerLeg"), (int32_t)foot};
    uint32_t count = 0;
    assert_int_equal(lmb_clip_carry(c, joints, 4, NULL, &clip, &count, NULL), LMB_OK);
    assert_int_equal(count, 1);
    for (int k = 0; k <= 20; ++k) {
        model_at(c, clip, 0.05 * k, model);
        for (int i = 0; i < 16; ++i) {
            assert_true(fabsf(model[goal].m[i] - model[foot].m[i]) < 1e-3f);
        }
    }
    lmb_clip_destroy(clip);
    lmb_made_body_destroy(body);
}

/// All skin of one joint goes to another.
static void hand_over_skin(lmb_character *c, uint32_t from, uint32_t to)
{
    const lmb_skin *skin = c->skins[c->instances[0].skin];
    lmb_mesh *mesh = c->meshes[c->instances[0].mesh];
    uint32_t other = 0;
    while (skin->joints[other] != to) {
        ++other;
    }
    for (uint32_t k = 0; k < mesh->influences.first[mesh->vertex_count]; ++k) {
        lmb_influence *in = &mesh->influences.items[k];
        in->joint = skin->joints[in->joint] == from ? other : in->joint;
    }
}

/// A clip in which a joint without a parent goes with another, at a place beside it.
static lmb_clip *held_along(const lmb_character *c, uint32_t part, uint32_t holder, lmb_mat4 place)
{
    lmb_clip *swing = swinging(c), *clip = NULL;
    const uint32_t n = c->skeleton->joint_count;
    lmb_transform *poses = malloc(FRAMES * n * sizeof *poses);
    assert_non_null(poses);
    for (uint32_t f = 0; f < FRAMES; ++f) {
        lmb_mat4 model[MOST_JOINTS];
        lmb_transform *pose = poses + (size_t)f * n;
        lmb_clip_to_model(swing, c->skeleton, (double)f / RATE_HZ, pose, model);
        (void)lmb_mat4_decompose(lmb_mat4_mul(model[holder], place), &pose[part]);
    }
    assert_int_equal(
        lmb_clip_from_poses(c->skeleton, poses, FRAMES, RATE_HZ, "held", NULL, &clip, NULL),
        LMB_OK);
    free(poses);
    lmb_clip_destroy(swing);
    return clip;
}

/// A mesh without a skin, keyed beside the skeleton, is held by the joint that it goes with, at the
/// place that it has in the character's clip, not at rest; one that stands still is scenery.
static void rigid_parts_are_held_as_in_clips(void **state)
{
    (void)state;
    for (int moves = 0; moves < 2; ++moves) {
        lmb_made_body *body = bare_body(3);
        lmb_character c = *body->character;
        const uint32_t part = joint_of(&c, "leftToes"), foot = joint_of(&c, "leftFoot");
        lmb_mat4 place = lmb_mat4_identity(), model[MOST_JOINTS];
        place.m[12] = 0.2f;
        hand_over_skin(&c, part, foot);
        cut_off(&c, "leftToes");
        lmb_clip *own = moves ? held_along(&c, part, foot, place) : swinging(&c),
                 *clip = swinging(&c);
        lmb_instance instances[] = {c.instances[0], {.joint = part, .mesh = 0, .skin = LMB_NONE}};
        c.instances = instances;
        c.instance_count = 2;
        c.clips = &own;
        c.clip_count = 1;
        assert_int_equal(carry(&c, &clip), moves ? 1 : 0);
        model_at(&c, clip, 1, model);
        const lmb_mat4 at = lmb_mat4_mul(model[foot], place);
        for (int i = 12; i < 15; ++i) {
            assert_true((fabsf(model[part].m[i] - at.m[i]) < 1e-3f) || !moves);
        }
        lmb_clip_destroy(own);
        lmb_clip_destroy(clip);
        lmb_made_body_destroy(body);
    }
}

static void a_whole_body_keeps_its_clip(void **state)
{
    (void)state;
    lmb_made_body *body = bare_body(3);
    lmb_clip *clip = swinging(body->character), *same = clip;
    assert_int_equal(carry(body->character, &clip), 0);
    assert_ptr_equal(clip, same);
    lmb_clip_destroy(clip);
    lmb_made_body_destroy(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feet_that_hang_from_nothing),
        cmocka_unit_test(what_is_far_stays),
        cmocka_unit_test(goals_follow_what_they_move),
        cmocka_unit_test(rigid_parts_are_held_as_in_clips),
        cmocka_unit_test(a_whole_body_keeps_its_clip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
