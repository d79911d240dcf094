#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "embed/shape/shape.h"
#include "failing_allocator.h"
#include "limber/author.h"
#include "mapping/body_joint.h"
#include "stickman.h"

static void joints_are_where_the_capsules_meet(void **state)
{
    (void)state;
    capsules *s = make_stickman();
    lmb_embedding e;
    assert_int_equal(embed(s, NULL, &e, NULL), LMB_OK);
    assert_true(e.forward.z > 0.999f && e.up.y > 0.999f && e.left.x > 0.999f);
    for (int k = 0; k < TRUE_JOINTS; ++k) {
        const uint32_t twin = stickman_joints[k].joint + 4; // four joints a limb
        assert_true(lmb_vec3_distance(e.joints[stickman_joints[k].joint], stickman_joints[k].at) <
                    0.045f * e.height);
        assert_true(lmb_vec3_distance(e.joints[twin], other_side(stickman_joints[k].at)) <
                    0.045f * e.height);
    }
    assert_true(e.joints[LMBI_HEAD].y > e.joints[LMBI_NECK].y &&
                e.joints[LMBI_NECK].y > e.joints[LMBI_UPPER_CHEST].y);
    assert_true(e.overall > 0.5f);
    for (uint32_t j = 0; j < e.joint_count; ++j) {
        assert_true(e.confidence[j] > 0 && e.confidence[j] <= 1);
        assert_non_null(e.reason[j]);
    }
    free(s);
}

static float worst_distance(const lmb_embedding *a, const lmb_embedding *b,
                            lmb_vec3 (*back)(lmb_vec3))
{
    float worst = 0;
    for (uint32_t j = 0; j < LMBI_BODY_JOINTS; ++j) {
        worst = fmaxf(worst, lmb_vec3_distance(a->joints[j], back(b->joints[j])) / a->height);
    }
    return worst;
}

static lmb_vec3 turn_quarter_and_shrink(lmb_vec3 p)
{
    return shrink(turn_quarter(p));
}
static lmb_vec3 unturn_quarter_and_grow(lmb_vec3 p)
{
    return grow(unturn_quarter(p));
}
static lmb_vec3 turn_half_and_grow(lmb_vec3 p)
{
    return grow(lmb_vec3_make(-p.x, p.y, -p.z));
}
static lmb_vec3 turn_half_and_shrink(lmb_vec3 p)
{
    return shrink(lmb_vec3_make(-p.x, p.y, -p.z));
}

/// From hips to neck in order, a little behind the straight line between them.
static void the_spine_runs_through_the_trunk(void **state)
{
    (void)state;
    capsules *s = make_stickman();
    lmb_embedding e;
    assert_int_equal(embed(s, NULL, &e, NULL), LMB_OK);
    const lmb_vec3 hips = e.joints[LMBI_HIPS], neck = e.joints[LMBI_NECK];
    for (int j = LMBI_SPINE; j <= LMBI_UPPER_CHEST; ++j) {
        const lmb_vec3 at = e.joints[j];
        const float along = (at.y - hips.y) / (neck.y - hips.y),
                    behind = hips.z + along * (neck.z - hips.z) - at.z;
        assert_true(at.y > e.joints[j - 1].y && at.y < neck.y && fabsf(at.x) < 0.02f);
        assert_true(behind > -0.01f && behind < 0.06f);
    }
    free(s);
}

static void turning_and_scaling_the_mesh_turns_and_scales_the_joints(void **state)
{
    (void)state;
    lmb_vec3 (*const pairs[][2])(lmb_vec3) = {{turn_quarter_and_shrink, unturn_quarter_and_grow},
                                              {turn_half_and_grow, turn_half_and_shrink},
                                              {lay_down, stand_up}};
    capsules *s = make_stickman(), *turned = malloc(sizeof *turned);
    lmb_embedding base, other;
    assert_int_equal(embed(s, NULL, &base, NULL), LMB_OK);
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; ++k) {
        memcpy(turned, s, sizeof *s);
        for (uint32_t p = 0; p < s->point_count; ++p) {
            turned->points[p] = pairs[k][0](s->points[p]);
        }
        // Where files usually face the other way, feet alone tell too little of the facing.
        const lmb_embed_opts back = {.forward = {0, 0, -1}};
        assert_int_equal(embed(turned, k == 1 ? &back : NULL, &other, NULL), LMB_OK);
        assert_true(worst_distance(&base, &other, pairs[k][1]) < 0.005f);
    }
    free(s);
    free(turned);
}

static void holes_and_flipped_faces_move_joints_little(void **state)
{
    (void)state;
    capsules *s = make_stickman();
    lmb_embedding base, torn;
    assert_int_equal(embed(s, NULL, &base, NULL), LMB_OK);
    lmb_random random = lmb_random_seed(11);
    uint32_t kept = 0;
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const bool gone = lmb_random_unit(&random) < 0.05f,
                   flipped = lmb_random_unit(&random) < 0.2f;
        const uint32_t corner[3] = {s->triangles[3 * t], s->triangles[3 * t + 1],
                                    s->triangles[3 * t + 2]};
        if (!gone) {
            s->triangles[3 * kept] = corner[0];
            s->triangles[3 * kept + 1] = corner[flipped ? 2 : 1];
            s->triangles[3 * kept + 2] = corner[flipped ? 1 : 2];
            ++kept;
        }
    }
    s->triangle_count = kept;
    assert_int_equal(embed(s, NULL, &torn, NULL), LMB_OK);
    for (uint32_t j = 0; j < LMBI_BODY_JOINTS; ++j) {
        assert_true(lmb_vec3_distance(base.joints[j], torn.joints[j]) < 0.02f * base.height);
    }
    free(s);
}

static lmb_vec3 same(lmb_vec3 p)
{
    return p;
}

/// A floor under the feet, and a ball that hangs in the air beside a hand: neither is a limb.
static void floors_and_loose_props_are_no_limbs(void **state)
{
    (void)state;
    capsules *s = make_stickman();
    lmb_embedding alone, e;
    assert_int_equal(embed(s, NULL, &alone, NULL), LMB_OK);
    add_capsule(s, lmb_vec3_make(1.1f, 0.9f, 0), lmb_vec3_make(1.1f, 1.05f, 0), 0.1f, 0.1f);
    add_floor(s, 1.5f, -0.002f);
    assert_int_equal(embed(s, NULL, &e, NULL), LMB_OK);
    assert_true(worst_distance(&alone, &e, same) < 0.02f);
    free(s);
}

/// A club in a hand, down to the ground before and beside the figure.
static void add_club(capsules *s, float side)
{
    add_capsule(s, lmb_vec3_make(side * 0.62f, 0.95f, 0.02f),
                lmb_vec3_make(side * 0.85f, 0.6f, 0.3f), 0.03f, 0.12f);
}

/// What one hand holds is no part of the body, so no joint moves: a club as long as an arm.
static void what_one_hand_holds_is_no_limb(void **state)
{
    (void)state;
    capsules *s = make_stickman();
    lmb_embedding alone, e;
    assert_int_equal(embed(s, NULL, &alone, NULL), LMB_OK);
    add_club(s, -1);
    assert_int_equal(embed(s, NULL, &e, NULL), LMB_OK);
    assert_int_equal(e.kind, LMB_SKELETON_HUMAN);
    assert_true(worst_distance(&alone, &e, same) < 0.02f);
    free(s);
}

/// The number of triangles of the main body, with or without the plane x = 0.
static uint32_t main_body_of(const capsules *s, bool with_plane, bool *out_holds)
{
    const lmbi_triangle_soup soup = {.positions = s->points,
                                     .position_count = s->point_count,
                                     .triangles = s->triangles,
                                     .triangle_count = s->triangle_count};
    const lmbi_mirror plane = {.normal = {1, 0, 0}};
    uint32_t *kept = malloc(3 * s->triangle_count * sizeof *kept), count = 0;
    assert_non_null(kept);
    assert_int_equal(
        lmbi_main_body_find(&soup, with_plane ? &plane : NULL, NULL, kept, &count, out_holds, NULL),
        LMB_OK);
    assert_memory_equal(kept, s->triangles, 3 * count * sizeof *kept); // added last, left out first
    free(kept);
    return count;
}

/// A club that one hand holds is left out where the mirror plane is known. One in each hand are twins.
static void the_main_body_has_pairs(void **state)
{
    (void)state;
    capsules *s = make_stickman();
    const uint32_t body = s->triangle_count;
    bool holds = true;
    assert_int_equal(main_body_of(s, true, &holds), body);
    assert_false(holds);
    add_club(s, -1);
    assert_int_equal(main_body_of(s, true, &holds), body);
    assert_true(holds);
    assert_int_equal(main_body_of(s, false, &holds), s->triangle_count);
    assert_false(holds);
    add_club(s, 1);
    assert_int_equal(main_body_of(s, true, &holds), s->triangle_count);
    assert_false(holds);
    free(s);
}

/// Forearms that hang from nothing, as a robot's may, are limbs, since there are two; a single one lies
/// about.
static void limbs_need_no_contact(void **state)
{
    (void)state;
    capsules *s = make_stickman();
    const uint32_t body = s->triangle_count;
    bool holds = true;
    add_capsule(s, lmb_vec3_make(-1.0f, 0.9f, 0), lmb_vec3_make(-1.3f, 0.9f, 0), 0.05f, 0.05f);
    assert_int_equal(main_body_of(s, true, &holds), body);
    assert_true(holds);
    add_capsule(s, lmb_vec3_make(1.0f, 0.9f, 0), lmb_vec3_make(1.3f, 0.9f, 0), 0.05f, 0.05f);
    assert_int_equal(main_body_of(s, true, &holds), s->triangle_count);
    assert_false(holds);
    assert_int_equal(main_body_of(s, false, &holds), body);
    free(s);
}

static void facing_can_be_told(void **state)
{
    (void)state;
    capsules *s = make_stickman();
    lmb_embedding e;
    const lmb_embed_opts opts = {.up = {0, 1, 0}, .forward = {0, 0, -1}};
    assert_int_equal(embed(s, &opts, &e, NULL), LMB_OK);
    assert_true(e.forward.z < -0.999f);
    assert_true(e.joints[LMBI_LEFT_HAND].x < 0);
    free(s);
}

/// A figure with feet to both sides is doubtful, and is told how to look the other way.
static void the_other_facing_is_named(void **state)
{
    (void)state;
    capsules *s = make_stickman();
    const uint32_t points = s->point_count, triangles = s->triangle_count;
    for (uint32_t v = 0; v < points; ++v) {
        s->points[s->point_count++] =
            lmb_vec3_make(-s->points[v].x, s->points[v].y, -s->points[v].z);
    }
    for (uint32_t k = 0; k < 3 * triangles; ++k) {
        s->triangles[3 * triangles + k] = s->triangles[k] + points;
    }
    s->triangle_count = 2 * triangles;
    for (uint32_t v = 0; v < s->point_count; ++v) { // few files face aside
        s->points[v] = turn_quarter(s->points[v]);
    }
    lmb_embedding e;
    assert_int_equal(embed(s, NULL, &e, NULL), LMB_OK);
    const char *named = strstr(e.summary, "if it looks the other way: --facing ");
    assert_true(e.overall < 0.7f);
    assert_non_null(named);
    assert_int_equal(named[strlen("if it looks the other way: --facing ")] == '-', e.forward.x > 0);
    free(s);
}

static void what_is_no_figure_is_refused_by_name(void **state)
{
    (void)state;
    capsules *s = capsules_create();
    add_capsule(s, lmb_vec3_make(0, 0, 0), lmb_vec3_make(0, 1, 0), 0.3f, 0.3f);
    lmb_embedding e;
    lmb_error error = {0};
    const lmb_embed_opts human = {.kind = LMB_SKELETON_HUMAN};
    assert_int_equal(embed(s, &human, &e, &error), LMB_ERROR_UNSUPPORTED);
    assert_true(error.found[0] && error.expected[0]);
    // A table: four legs under a slab.
    s->point_count = s->triangle_count = 0;
    for (int k = 0; k < 4; ++k) {
        const float x = k % 2 ? 0.6f : -0.6f, z = k / 2 ? 0.4f : -0.4f;
        add_capsule(s, lmb_vec3_make(x, 0, z), lmb_vec3_make(x, 0.7f, z), 0.05f, 0.05f);
        add_capsule(s, lmb_vec3_make(x, 0.7f, z), lmb_vec3_make(-x, 0.7f, -z), 0.08f, 0.08f);
    }
    assert_int_equal(embed(s, &human, &e, &error), LMB_ERROR_UNSUPPORTED);
    // Bad calls.
    s->triangles[0] = s->point_count;
    assert_int_equal(embed(s, NULL, &e, &error), LMB_ERROR_INVALID);
    s->triangle_count = 0;
    assert_int_equal(embed(s, NULL, &e, &error), LMB_ERROR_INVALID);
    free(s);
}

/// Triangles without an area are no lack of memory.
static void a_mesh_without_area_is_named(void **state)
{
    (void)state;
    const lmb_vec3 line[4] = {{0, 0, 1}, {0, 0, 1}, {0, 0, -1}, {0, 0, -1}};
    const uint32_t triangles[6] = {0, 1, 3, 0, 3, 2};
    const lmb_embed_opts human = {.kind = LMB_SKELETON_HUMAN};
    lmb_embedding e;
    lmb_error error = {0};
    assert_int_equal(lmb_embed(line, 4, triangles, 2, &human, NULL, &e, &error), LMB_ERROR_INVALID);
    assert_string_equal(error.expected, "triangles with an area");
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    capsules *s = make_stickman();
    lmb_result result = LMB_ERROR_MEMORY;
    for (int allowed = 0; result != LMB_OK; allowed += allowed < 8 ? 1 : 23) {
        failing_allocator memory = {.calls_left = allowed};
        const lmb_allocator alloc = {failing_allocator_resize, &memory};
        lmb_embedding e;
        result = lmb_embed(s->points, s->point_count, s->triangles, s->triangle_count, NULL, &alloc,
                           &e, NULL);
        assert_true(result == LMB_OK || result == LMB_ERROR_MEMORY);
        assert_int_equal(memory.held, 0);
        assert_true(allowed < 500);
    }
    free(s);
}

static void names_are_those_of_vrm(void **state)
{
    (void)state;
    assert_string_equal(lmbi_body_joint_name(LMBI_HIPS), "hips");
    assert_string_equal(lmbi_body_joint_name(LMBI_RIGHT_TOES), "rightToes");
    assert_string_equal(lmbi_body_joint_name(LMBI_BODY_JOINTS), "leftThumbMetacarpal");
    assert_int_equal(lmbi_body_joint_parent(LMBI_HIPS), LMB_NONE);
    for (uint32_t j = 1; j < LMBI_HUMANOID_JOINTS; ++j) {
        assert_true(lmbi_body_joint_parent(j) >= 0 && lmbi_body_joint_parent(j) < (int32_t)j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_are_where_the_capsules_meet),
        cmocka_unit_test(the_spine_runs_through_the_trunk),
        cmocka_unit_test(turning_and_scaling_the_mesh_turns_and_scales_the_joints),
        cmocka_unit_test(holes_and_flipped_faces_move_joints_little),
        cmocka_unit_test(floors_and_loose_props_are_no_limbs),
        cmocka_unit_test(what_one_hand_holds_is_no_limb),
        cmocka_unit_test(the_main_body_has_pairs),
        cmocka_unit_test(limbs_need_no_contact),
        cmocka_unit_test(facing_can_be_told),
        cmocka_unit_test(the_other_facing_is_named),
        cmocka_unit_test(what_is_no_figure_is_refused_by_name),
        cmocka_unit_test(a_mesh_without_area_is_named),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(names_are_those_of_vrm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
