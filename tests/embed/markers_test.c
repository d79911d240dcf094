#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limber/author.h"
#include "mapping/body_joint.h"
#include "stickman.h"

/// The usual eight markers, at the true joints of the stickman.
static const lmb_joint_marker eight[] = {
    {"chin", {0, 1.56f, 0.08f}},           {"groin", {0, 0.88f, 0}},
    {"leftElbow", {0.37f, 1.22f, -0.01f}}, {"rightElbow", {-0.37f, 1.22f, -0.01f}},
    {"leftWrist", {0.55f, 1.02f, 0.01f}},  {"rightWrist", {-0.55f, 1.02f, 0.01f}},
    {"leftKnee", {0.11f, 0.51f, 0.01f}},   {"rightKnee", {-0.11f, 0.51f, 0.01f}},
};

static bool is_at(const lmb_embedding *e, uint32_t joint, lmb_vec3 p)
{
    const lmb_vec3 q = e->joints[joint];
    return !(q.x < p.x) && !(q.x > p.x) && !(q.y < p.y) && !(q.y > p.y) && !(q.z < p.z) &&
           !(q.z > p.z);
}

static float miss(const lmb_embedding *e, uint32_t joint, lmb_vec3 p)
{
    return lmb_vec3_distance(e->joints[joint], p) / e->height;
}

static void marked_joints_lie_exactly_at_their_markers(void **state)
{
    (void)state;
    capsules *s = make_stickman();
    lmb_embedding e;
    const lmb_embed_opts opts = {.markers = eight, .marker_count = 8};
    assert_int_equal(embed(s, &opts, &e, NULL), LMB_OK);
    static const uint32_t marked[] = {LMBI_LEFT_LOWER_ARM, LMBI_RIGHT_LOWER_ARM,
                                      LMBI_LEFT_HAND,      LMBI_RIGHT_HAND,
                                      LMBI_LEFT_LOWER_LEG, LMBI_RIGHT_LOWER_LEG};
    for (int k = 0; k < 6; ++k) {
        assert_true(is_at(&e, marked[k], eight[k + 2].at));
        assert_true(e.confidence[marked[k]] >= 1);
        assert_string_equal(e.reason[marked[k]], "a marker");
    }
    assert_true(e.overall > 0.6f);
    assert_true(fabsf(e.joints[LMBI_LEFT_UPPER_LEG].y - 0.88f) < 0.03f);
    assert_true(e.joints[LMBI_HEAD].y > e.joints[LMBI_NECK].y &&
                fabsf(e.joints[LMBI_HEAD].y - 1.56f) < 0.06f);
    free(s);
}

/// A stickman that leans on a rock as large as itself, so that no figure is clearly recognised.
static capsules *make_leaning_stickman(void)
{
    capsules *s = make_stickman();
    add_capsule(s, lmb_vec3_make(-0.6f, 0.95f, -0.28f), lmb_vec3_make(0.6f, 0.95f, -0.28f), 0.3f,
                0.3f);
    add_capsule(s, lmb_vec3_make(-0.5f, 0.3f, -0.28f), lmb_vec3_make(0.5f, 0.3f, -0.28f), 0.3f,
                0.3f);
    return s;
}

static void a_figure_that_is_in_doubt_is_found_with_eight_markers(void **state)
{
    (void)state;
    capsules *s = make_leaning_stickman();
    lmb_embedding e;
    const lmb_embed_opts human = {.kind = LMB_SKELETON_HUMAN};
    assert_true(embed(s, &human, &e, NULL) == LMB_ERROR_UNSUPPORTED || e.overall < 0.3f);
    const lmb_embed_opts opts = {.markers = eight, .marker_count = 8};
    assert_int_equal(embed(s, &opts, &e, NULL), LMB_OK);
    assert_int_equal(e.kind, LMB_SKELETON_HUMAN);
    assert_true(e.up.y > 0.999f && e.forward.z > 0.99f);
    for (int k = 0; k < TRUE_JOINTS; ++k) {
        const uint32_t j = stickman_joints[k].joint;
        assert_true(miss(&e, j, stickman_joints[k].at) < 0.08f);
        assert_true(miss(&e, j + 4, other_side(stickman_joints[k].at)) < 0.08f);
    }
    free(s);
}

static void a_marker_on_one_side_holds_for_the_other(void **state)
{
    (void)state;
    capsules *s = make_stickman();
    lmb_embedding e;
    const lmb_joint_marker knee = {"leftKnee", {0.115f, 0.58f, 0.02f}};
    const lmb_embed_opts opts = {.markers = &knee, .marker_count = 1};
    assert_int_equal(embed(s, &opts, &e, NULL), LMB_OK);
    assert_true(is_at(&e, LMBI_LEFT_LOWER_LEG, knee.at));
    assert_true(miss(&e, LMBI_RIGHT_LOWER_LEG, other_side(knee.at)) < 0.01f);
    const lmb_joint_marker toes = {"leftToes", {0.14f, 0.02f, 0.04f}};
    const lmb_embed_opts with_toes = {.markers = &toes, .marker_count = 1};
    assert_int_equal(embed(s, &with_toes, &e, NULL), LMB_OK);
    assert_true(is_at(&e, LMBI_LEFT_TOES, toes.at));
    assert_true(miss(&e, LMBI_RIGHT_TOES, other_side(toes.at)) < 0.01f);
    free(s);
}

static void markers_tell_left_from_right(void **state)
{
    (void)state;
    capsules *s = make_stickman();
    lmb_embedding e;
    const lmb_joint_marker wrists[2] = {{"leftWrist", {-0.55f, 1.02f, 0.01f}},
                                        {"rightWrist", {0.55f, 1.02f, 0.01f}}};
    const lmb_embed_opts opts = {.up = {0, 1, 0}, .markers = wrists, .marker_count = 2};
    assert_int_equal(embed(s, &opts, &e, NULL), LMB_OK);
    assert_true(e.forward.z < -0.99f && e.joints[LMBI_LEFT_FOOT].x < 0);
    free(s);
}

static void other_names_and_places_are_refused(void **state)
{
    (void)state;
    capsules *s = make_stickman();
    lmb_embedding e = {.joint_count = 77};
    lmb_error error = {0};
    lmb_joint_marker marker = {"thirdKnee", {0, 0, 0}};
    const lmb_embed_opts opts = {.kind = LMB_SKELETON_HUMAN, .markers = &marker, .marker_count = 1};
    assert_int_equal(embed(s, &opts, &e, &error), LMB_ERROR_INVALID);
    assert_non_null(strstr(error.found, "thirdKnee"));
    marker = (lmb_joint_marker){"head", {0, INFINITY, 0}};
    assert_int_equal(embed(s, &opts, &e, &error), LMB_ERROR_INVALID);
    assert_int_equal(e.joint_count, 77);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marked_joints_lie_exactly_at_their_markers),
        cmocka_unit_test(a_figure_that_is_in_doubt_is_found_with_eight_markers),
        cmocka_unit_test(a_marker_on_one_side_holds_for_the_other),
        cmocka_unit_test(markers_tell_left_from_right),
        cmocka_unit_test(other_names_and_places_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
