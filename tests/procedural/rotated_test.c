// Whichever direction a character faces, it walks, idles, gets up and is driven the same but for the
// yaw.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "rotated.h"

/// A made body and the same rotated.
typedef struct pair {
    lmb_made_body *owner;
    const lmb_character *made;
    lmb_character *rotated;
    lmb_gait_body bodies[2];
    lmb_transform *poses[2];
    test_yaw yaw;
} pair;

static lmb_made_body *make_body(lmb_made_body_kind kind)
{
    lmb_made_body *body = NULL;
    // In a T-pose animals stand square.
    const lmb_made_body_opts opts = {.kind = kind,
                                     .seed = 3,
                                     .triangle_count = 500,
                                     .whole = true,
                                     .rigged = true,
                                     .pose = LMB_MADE_POSE_T};
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    return body;
}

static void find(const lmb_character *character, lmb_gait_body *body)
{
    lmb_error error = {0};
    if (lmb_gait_body_find(character, NULL, body, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
}

static pair pair_make(lmb_made_body *body, test_yaw yaw)
{
    pair p = {.owner = body, .made = body->character, .yaw = yaw};
    p.rotated = test_rotated_character(yaw, p.made);
    find(p.made, &p.bodies[0]);
    find(p.rotated, &p.bodies[1]);
    for (int k = 0; k < 2; ++k) {
        p.poses[k] = calloc(p.made->skeleton->joint_count, sizeof *p.poses[k]);
    }
    return p;
}

static void pair_drop(pair *p)
{
    lmb_character_destroy(p->rotated);
    free(p->poses[0]);
    free(p->poses[1]);
}

static void same(const pair *p, const char *what, float tolerance)
{
    const float apart = test_rotated_apart(p->yaw, p->made->skeleton, p->poses[0],
                                           p->rotated->skeleton, p->poses[1]);
    if (!(apart <= tolerance)) {
        fail_msg("%s, rotated in way %d: %g apart", what, (int)p->yaw.how, (double)apart);
    }
}

static void check_legs(pair *p)
{
    const lmb_gait_body *a = &p->bodies[0], *b = &p->bodies[1];
    const lmb_quat by = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), b->facing_rad);
    const lmb_vec3 ahead = {0, 0, 1};
    assert_true(lmb_vec3_distance(lmb_quat_rotate(by, ahead), test_rotated_vec3(p->yaw, ahead)) <
                1e-5f);
    assert_int_equal(a->leg_count, b->leg_count);
    for (uint32_t k = 0; k < a->leg_count; ++k) {
        assert_int_equal(a->legs[k].hip, b->legs[k].hip);
        assert_int_equal(a->legs[k].ankle, b->legs[k].ankle);
        assert_int_equal(a->legs[k].toes, b->legs[k].toes);
        assert_true(lmb_vec3_distance(a->legs[k].tip, b->legs[k].tip) < 1e-4f);
    }
}

static void check_walk(pair *p)
{
    lmb_gait *gaits[2] = {NULL, NULL};
    const lmb_character *characters[2] = {p->made, p->rotated};
    const lmb_gait_opts opts = {.turn_rad_s = 0.2f};
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(
            lmb_gait_create(characters[k]->skeleton, &p->bodies[k], &opts, NULL, &gaits[k], NULL),
            LMB_OK);
    }
    for (int frame = 0; frame < 16; ++frame) {
        lmb_gait_pose(gaits[0], frame / 8.0, p->poses[0]);
        lmb_gait_pose(gaits[1], frame / 8.0, p->poses[1]);
        same(p, "a walk", 2e-3f);
    }
    lmb_gait_destroy(gaits[0]);
    lmb_gait_destroy(gaits[1]);
}

static void check_idle(pair *p)
{
    lmb_idle *idles[2] = {NULL, NULL};
    const lmb_character *characters[2] = {p->made, p->rotated};
    const lmb_idle_opts opts = {
        .breath = 1, .shift = 1, .look = LMB_IDLE_ABOUT, .seed = 5, .eyes = {LMB_NONE, LMB_NONE}};
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(
            lmb_idle_create(characters[k]->skeleton, &p->bodies[k], &opts, NULL, &idles[k], NULL),
            LMB_OK);
    }
    for (int frame = 0; frame < 30; ++frame) {
        for (int k = 0; k < 2; ++k) {
            const lmb_skeleton *skeleton = characters[k]->skeleton;
            memcpy(p->poses[k], skeleton->rest, skeleton->joint_count * sizeof *p->poses[k]);
            lmb_idle_step(idles[k], p->poses[k], 0.2f);
        }
        same(p, "standing", 2e-3f);
    }
    lmb_idle_destroy(idles[0]);
    lmb_idle_destroy(idles[1]);
}

static void walks_and_idles_are_alike(void **state)
{
    (void)state;
    static const lmb_made_body_kind kinds[] = {LMB_MADE_HUMANOID, LMB_MADE_QUADRUPED,
                                               LMB_MADE_SPIDER};
    for (int kind = 0; kind < 3; ++kind) {
        lmb_made_body *body = make_body(kinds[kind]);
        for (int k = 0; k < TEST_TURNS; ++k) {
            pair p = pair_make(body, test_yaw_at(k));
            check_legs(&p);
            check_walk(&p);
            check_idle(&p);
            pair_drop(&p);
        }
        lmb_made_body_destroy(body);
    }
}

/// The pose of a body that lies on its back (-90 degrees about its left) or its front.
static void lie(const pair *p, float angle, lmb_transform *pose)
{
    const lmb_skeleton *skeleton = p->made->skeleton;
    const uint32_t hips = p->bodies[0].hips;
    memcpy(pose, skeleton->rest, skeleton->joint_count * sizeof *pose);
    lmb_mat4 model[128];
    lmb_transform t;
    assert_true(skeleton->joint_count <= 128);
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = model});
    lmb_mat4_decompose(model[hips], &t);
    const lmb_quat back = lmb_quat_conjugate(t.rotation);
    const lmb_vec3 left = lmb_quat_rotate(back, lmb_vec3_make(1, 0, 0));
    pose[hips].rotation =
        lmb_quat_normalize(lmb_quat_mul(pose[hips].rotation, lmb_quat_axis_angle(left, angle)));
}

static lmb_get_up rise(const lmb_skeleton *skeleton, const pair *p, int which,
                       lmb_transform *const begins[2])
{
    lmb_get_up out;
    const lmb_vec3 ahead = {0, 0, 1};
    const lmb_get_up_job job = {.skeleton = skeleton,
                                .hips = p->bodies[0].hips,
                                .local = p->poses[which],
                                .begin_count = 2,
                                .begins = (const lmb_transform *const[]){begins[0], begins[1]},
                                .facing = which == 0 ? ahead : test_rotated_vec3(p->yaw, ahead)};
    assert_int_equal(lmb_get_up_choose(&job, NULL, &out, NULL), LMB_OK);
    return out;
}

static void getting_up_is_alike(void **state)
{
    (void)state;
    lmb_made_body *body = make_body(LMB_MADE_HUMANOID);
    const size_t n = body->character->skeleton->joint_count;
    for (int k = 0; k < TEST_TURNS; ++k) {
        pair p = pair_make(body, test_yaw_at(k));
        lmb_transform *begins[2] = {calloc(n, sizeof *begins[0]), calloc(n, sizeof *begins[0])},
                      *rotated[2] = {calloc(n, sizeof *begins[0]), calloc(n, sizeof *begins[0])};
        for (int side = 0; side < 2; ++side) {
            lie(&p, side == 0 ? 1.5f : -1.5f, begins[side]);
            test_rotated_pose(p.yaw, p.made->skeleton, begins[side], rotated[side]);
        }
        for (int side = 0; side < 2; ++side) {
            lie(&p, side == 0 ? 1.4f : -1.4f, p.poses[0]);
            test_rotated_pose(p.yaw, p.made->skeleton, p.poses[0], p.poses[1]);
            const lmb_get_up a = rise(p.made->skeleton, &p, 0, begins),
                             b = rise(p.rotated->skeleton, &p, 1, rotated);
            assert_int_equal(a.lying, side == 0 ? LMB_LYING_PRONE : LMB_LYING_SUPINE);
            assert_int_equal(b.lying, a.lying);
            assert_int_equal(a.chosen, side);
            assert_int_equal(b.chosen, side);
        }
        for (int side = 0; side < 2; ++side) {
            free(begins[side]);
            free(rotated[side]);
        }
        pair_drop(&p);
    }
    lmb_made_body_destroy(body);
}

/// Programs in the axes of a rotated rest frame: `x` and `z` are what the axes of the character that
/// is not rotated are called there, `x_sign` and `z_sign` their signs.
static lmb_drivers *drive(const lmb_character *character, const char *x, int x_sign, const char *z,
                          int z_sign)
{
    const char *root = character->skeleton->names[0];
    char text[1024];
    lmb_drivers *drivers = NULL;
    lmb_error error = {0};
    const int size =
        snprintf(text, sizeof text,
                 "let swing = 0.3 * sin(3 * t)\n"
                 "%s.t%s = %d * 0.2 * swing\n"
                 "%s.t%s = %d * 0.1 * integrate(1)\n"
                 "%s.ry = 0.5 * swing\n"
                 "head.r%s = %d * spring(swing, 4, 0.3)\n"
                 "leftUpperArm.r%s = %d * 2 * swing\n"
                 "leftLowerArm.ry = 0.5 * leftUpperArm.r%s * %d\n"
                 "head.sx = 1 + 0.1 * swing\n"
                 "head.sy = 1 + 0.1 * swing\n"
                 "head.sz = 1 + 0.1 * swing\n",
                 root, x, x_sign, root, z, z_sign, root, x, x_sign, z, z_sign, z, z_sign);
    if (lmb_drivers_create(text, (size_t)size, character, NULL, &drivers, &error) != LMB_OK) {
        fail_msg("%u:%u: expected %s, found %s", error.line, error.column, error.expected,
                 error.found);
    }
    return drivers;
}

/// In rotated axes by 90 degrees about y, what was x is -z and what was z is x; by 180, both change
/// sign.
static lmb_drivers *drive_rotated(const lmb_character *character, test_yaw yaw)
{
    if (yaw.how != TEST_YAW_SPACE) {
        return drive(character, "x", 1, "z", 1);
    }
    const lmb_vec3 x = lmb_quat_rotate(yaw.by, lmb_vec3_make(1, 0, 0));
    return x.x < -0.5f ? drive(character, "x", -1, "z", -1) : drive(character, "z", -1, "x", 1);
}

static void drivers_move_alike(void **state)
{
    (void)state;
    lmb_made_body *body = make_body(LMB_MADE_HUMANOID);
    const lmb_skeleton *skeleton = body->character->skeleton;
    const int32_t head = lmb_skeleton_find(skeleton, "head");
    for (int k = 0; k < TEST_TURNS; ++k) {
        pair p = pair_make(body, test_yaw_at(k));
        lmb_drivers *drivers[2] = {drive(p.made, "x", 1, "z", 1), drive_rotated(p.rotated, p.yaw)};
        const lmb_character *characters[2] = {p.made, p.rotated};
        float most = 0;
        for (int frame = 0; frame < 60; ++frame) {
            for (int i = 0; i < 2; ++i) {
                memcpy(p.poses[i], characters[i]->skeleton->rest,
                       skeleton->joint_count * sizeof *p.poses[i]);
                lmb_drivers_step(&(lmb_drivers_step_job){.drivers = drivers[i],
                                                         .time_s = frame / 30.0,
                                                         .dt_s = 1 / 30.0,
                                                         .local = p.poses[i]});
            }
            same(&p, "a driver program", 1e-3f);
            most = fmaxf(most,
                         lmb_quat_angle(p.poses[0][head].rotation, skeleton->rest[head].rotation));
        }
        assert_true(most > 0.2f);
        lmb_drivers_destroy(drivers[0]);
        lmb_drivers_destroy(drivers[1]);
        pair_drop(&p);
    }
    lmb_made_body_destroy(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_and_idles_are_alike),
        cmocka_unit_test(getting_up_is_alike),
        cmocka_unit_test(drivers_move_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
