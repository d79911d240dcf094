/// Skeletons with joints left out: what they moved follows the joint above them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "limber/author.h"

static lmb_made_body *make(void)
{
    const lmb_made_body_opts opts = {
        .seed = 12, .triangle_count = 4000, .whole = true, .bare = true};
    lmb_made_body *body = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    return body;
}

/// Sum of the weights of a joint, all over the mesh; every vertex must have a sum of 1.
static double weight_of(const lmb_character *c, const char *name)
{
    const lmb_mesh *mesh = c->meshes[0];
    const int32_t joint = lmb_skeleton_find(c->skeleton, name);
    assert_true(joint >= 0);
    double sum = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        float all = 0;
        for (uint32_t k = mesh->influences.first[v]; k < mesh->influences.first[v + 1]; ++k) {
            const lmb_influence in = mesh->influences.items[k];
            all += in.weight;
            sum += in.joint == (uint32_t)joint ? (double)in.weight : 0;
            assert_true(in.joint < c->skeleton->joint_count);
        }
        assert_true(fabsf(all - 1) < 1e-4f);
    }
    return sum;
}

static void what_dropped_joints_moved_follows_the_one_above(void **state)
{
    (void)state;
    lmb_made_body *whole = make(), *less = make();
    const char *const drop[] = {"leftToes", "leftFoot", "right*"};
    const lmb_rig_opts opts = {.drop = drop, .drop_count = 3};
    lmb_rig_report all, few;
    assert_int_equal(lmb_rig(&whole->character, NULL, &all, NULL, NULL), LMB_OK);
    assert_int_equal(lmb_rig(&less->character, &opts, &few, NULL, NULL), LMB_OK);
    assert_true(few.embedding.joint_count < all.embedding.joint_count);
    assert_int_equal(lmb_skeleton_find(less->character->skeleton, "leftFoot"), LMB_NONE);
    assert_int_equal(lmb_skeleton_find(less->character->skeleton, "rightHand"), LMB_NONE);
    const double shin = weight_of(whole->character, "leftLowerLeg"),
                 foot = weight_of(whole->character, "leftFoot"),
                 toes = weight_of(whole->character, "leftToes");
    assert_true(foot > 1 &&
                fabs(weight_of(less->character, "leftLowerLeg") - shin - foot - toes) < 1e-2);
    assert_true(fabs(weight_of(less->character, "head") - weight_of(whole->character, "head")) <
                1e-3);
    assert_int_equal(few.embedding.human[LMB_HUMAN_RIGHT_HAND], LMB_NONE);
    const int32_t knee = few.embedding.human[LMB_HUMAN_LEFT_LOWER_LEG];
    assert_string_equal(few.embedding.names[knee], "leftLowerLeg");
    // The shin is a hinge still, and its bone ends where the foot did.
    assert_int_equal(less->character->skeleton->limits[knee].kind, LMB_JOINT_HINGE);
    assert_true(lmb_vec3_distance(few.embedding.tips[knee], few.embedding.joints[knee]) >
                0.15f * few.embedding.height);
    lmb_made_body_destroy(whole);
    lmb_made_body_destroy(less);
}

/// A knee bends backward by 150 degrees, an elbow forward, an upper arm swings by 120; the hips are free.
static void limits_are_those_of_the_body(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        lmb_joint_kind kind;
        float swing, least, most; ///< degrees
    } rows[] = {{"hips", LMB_JOINT_FREE, 0, 0, 0},
                {"leftLowerLeg", LMB_JOINT_HINGE, 0, -5, 150},
                {"rightLowerArm", LMB_JOINT_HINGE, 0, -5, 150},
                {"leftUpperArm", LMB_JOINT_BALL, 120, -90, 90},
                {"rightUpperLeg", LMB_JOINT_BALL, 120, -60, 60},
                {"head", LMB_JOINT_BALL, 50, -60, 60},
                {"spine", LMB_JOINT_BALL, 40, -30, 30}};
    const float degree = LMB_PI / 180;
    lmb_made_body *body = make();
    lmb_rig_report report;
    assert_int_equal(lmb_rig(&body->character, NULL, &report, NULL, NULL), LMB_OK);
    const lmb_skeleton *sk = body->character->skeleton;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        const lmb_joint_limit *l = &sk->limits[lmb_skeleton_find(sk, rows[k].name)];
        assert_int_equal(l->kind, rows[k].kind);
        assert_float_equal(l->swing_rad, rows[k].swing * degree, 1e-5f);
        assert_float_equal(l->twist_min_rad, rows[k].least * degree, 1e-5f);
        assert_float_equal(l->twist_max_rad, rows[k].most * degree, 1e-5f);
    }
    const lmb_embedding *e = &report.embedding;
    for (int side = 0; side < 2; ++side) {
        const int32_t knee = lmb_skeleton_find(sk, side ? "rightLowerLeg" : "leftLowerLeg");
        // A positive rotation about the axis takes the end of the shin backward.
        assert_true(lmb_vec3_dot(lmb_vec3_cross(sk->limits[knee].axis, lmb_vec3_neg(e->up)),
                                 e->forward) < -0.9f);
    }
    lmb_made_body_destroy(body);
}

static void joints_to_keep_leave_out_all_others(void **state)
{
    (void)state;
    lmb_made_body *body = make();
    const char *const keep[] = {"head", "left*Arm"}, *const arms[] = {"head", "leftUpperArm"};
    lmb_error error = {0};
    lmb_rig_report report;
    const lmb_rig_opts wrong = {.keep = keep, .keep_count = 2};
    assert_int_equal(lmb_rig(&body->character, &wrong, &report, NULL, &error), LMB_ERROR_INVALID);
    assert_non_null(strstr(error.found, "left*Arm"));
    const lmb_rig_opts opts = {.keep = arms, .keep_count = 2, .rest = LMB_REST_T};
    assert_int_equal(lmb_rig(&body->character, &opts, &report, NULL, NULL), LMB_OK);
    assert_int_equal(report.embedding.joint_count, 3);
    assert_string_equal(report.embedding.names[0], "hips");
    assert_int_equal(report.embedding.parents[2], 0);
    weight_of(body->character, "leftUpperArm");
    lmb_made_body_destroy(body);
}

static uint32_t count_beginning(const lmb_skeleton *skeleton, const char *with)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        count += strncmp(skeleton->names[j], with, strlen(with)) == 0;
    }
    return count;
}

static void fingers_are_dropped_where_a_figure_has_them(void **state)
{
    (void)state;
    const char *const little[] = {"leftLittle*"};
    for (int fingers = 0; fingers < 2; ++fingers) {
        // The first body of those that may lack parts has hands without fingers.
        const lmb_made_body_opts made = {
            .seed = fingers ? 12 : 1, .triangle_count = 4000, .whole = fingers == 1, .bare = true};
        for (int names = LMB_NAMES_VRM; names <= LMB_NAMES_MIXAMO; ++names) {
            lmb_made_body *body = NULL;
            const lmb_rig_opts opts = {
                .names = (lmb_joint_names)names, .drop = little, .drop_count = 1};
            assert_int_equal(lmb_made_body_create(&made, NULL, &body, NULL), LMB_OK);
            assert_int_equal(lmb_rig(&body->character, &opts, NULL, NULL, NULL), LMB_OK);
            const lmb_skeleton *s = body->character->skeleton;
            const bool vrm = names == LMB_NAMES_VRM;
            assert_int_equal(count_beginning(s, vrm ? "leftLittle" : "mixamorig:LeftHandPinky"), 0);
            assert_int_equal(count_beginning(s, vrm ? "rightLittle" : "mixamorig:RightHandPinky"),
                             fingers ? 3 : 0);
            lmb_made_body_destroy(body);
        }
    }
}

static void no_figure_has_a_joint_that_is_misspelt(void **state)
{
    (void)state;
    const char *const typo[] = {"leftLitle*"};
    lmb_made_body *body = make();
    lmb_error error = {0};
    assert_int_equal(lmb_rig(&body->character, &(lmb_rig_opts){.drop = typo, .drop_count = 1}, NULL,
                             NULL, &error),
                     LMB_ERROR_INVALID);
    assert_non_null(strstr(error.found, "leftLitle*"));
    lmb_made_body_destroy(body);
}

static void chains_keep_their_names_whatever_the_bones_are_called(void **state)
{
    (void)state;
    const lmb_made_body_opts made = {.seed = 1, .triangle_count = 20000, .whole = true};
    const lmb_joint_marker hair = {.name = "hair", .at = {0, 1.7f, 0}};
    lmb_made_body *body = NULL;
    assert_int_equal(lmb_made_body_create(&made, NULL, &body, NULL), LMB_OK);
    const lmb_rig_opts opts = {.names = LMB_NAMES_MIXAMO,
                               .embed = {.chains = &hair, .chain_count = 1}};
    assert_int_equal(lmb_rig(&body->character, &opts, NULL, NULL, NULL), LMB_OK);
    const lmb_skeleton *s = body->character->skeleton;
    assert_true(count_beginning(s, "hair") > 0);
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        assert_int_equal(lmb_skeleton_find(s, s->names[j]), j);
    }
    lmb_made_body_destroy(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_dropped_joints_moved_follows_the_one_above),
        cmocka_unit_test(limits_are_those_of_the_body),
        cmocka_unit_test(joints_to_keep_leave_out_all_others),
        cmocka_unit_test(fingers_are_dropped_where_a_figure_has_them),
        cmocka_unit_test(no_figure_has_a_joint_that_is_misspelt),
        cmocka_unit_test(chains_keep_their_names_whatever_the_bones_are_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
