#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "embed/turns.h"
#include "failing_allocator.h"
#include "limber/author.h"

typedef struct place {
    const char *name;
    lmb_vec3 at;
} place;

/// An animal 1 m tall at the withers that faces +Z: hocks behind, knees in front.
static const place quadruped[] = {
    {"leftBackUpperLeg", {0.14f, 0.76f, -0.55f}}, {"leftBackLowerLeg", {0.14f, 0.47f, -0.47f}},
    {"leftBackFoot", {0.14f, 0.25f, -0.68f}},     {"leftBackToes", {0.14f, 0.07f, -0.62f}},
    {"leftFrontUpperLeg", {0.14f, 0.76f, 0.45f}}, {"leftFrontLowerLeg", {0.14f, 0.40f, 0.42f}},
    {"leftFrontFoot", {0.14f, 0.10f, 0.44f}},
};
enum { LEG_PLACES = sizeof quadruped / sizeof quadruped[0] };

static void add_leg(capsules *s, const place *at, int count, int side)
{
    lmb_vec3 p[8];
    for (int k = 0; k < count; ++k) {
        p[k] = side == 0 ? at[k].at : other_side(at[k].at);
    }
    for (int k = 0; k + 1 < count; ++k) {
        add_capsule(s, p[k], p[k + 1], 0.09f - 0.02f * (float)k, 0.07f - 0.015f * (float)k);
    }
    const lmb_vec3 paw = lmb_vec3_make(p[count - 1].x, 0.04f, p[count - 1].z + 0.05f);
    add_capsule(s, p[count - 1], paw, 0.035f, 0.035f);
}

static capsules *make_quadruped(void)
{
    capsules *s = capsules_create();
    add_capsule(s, lmb_vec3_make(0, 0.8f, -0.5f), lmb_vec3_make(0, 0.8f, 0.4f), 0.18f, 0.2f);
    add_capsule(s, lmb_vec3_make(0, 0.85f, 0.45f), lmb_vec3_make(0, 1.2f, 0.8f), 0.13f, 0.09f);
    add_capsule(s, lmb_vec3_make(0, 1.22f, 0.82f), lmb_vec3_make(0, 1.12f, 1.1f), 0.12f, 0.06f);
    add_capsule(s, lmb_vec3_make(0, 0.9f, -0.6f), lmb_vec3_make(0, 0.7f, -1.1f), 0.04f, 0.03f);
    for (int side = 0; side < 2; ++side) {
        add_leg(s, quadruped, 4, side);
        add_leg(s, quadruped + 4, 3, side);
    }
    return s;
}

static int32_t joint_named(const lmb_embedding *e, const char *name)
{
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        if (strcmp(e->names[j], name) == 0) {
            return (int32_t)j;
        }
    }
    return LMB_NONE;
}

/// Invariants of every embedding.
static void is_sound(const lmb_embedding *e)
{
    assert_true(e->joint_count > 0 && e->joint_count <= LMB_EMBEDDING_JOINTS);
    assert_true(e->overall > 0 && e->overall <= 1);
    assert_true(e->kind != LMB_SKELETON_AUTO && e->summary[0]);
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        assert_true(e->parents[j] < (int32_t)j && (j == 0) == (e->parents[j] == LMB_NONE));
        assert_int_equal(joint_named(e, e->names[j]), (int32_t)j);
        assert_true(lmb_vec3_is_finite(e->joints[j]) && lmb_vec3_is_finite(e->tips[j]));
        assert_true(e->confidence[j] > 0 && e->confidence[j] <= 1);
        assert_non_null(e->reason[j]);
    }
}

static float worst_miss(const lmb_embedding *e, const place *truth, int count, float size)
{
    float worst = 0;
    for (int k = 0; k < count; ++k) {
        const int32_t j = joint_named(e, truth[k].name);
        assert_true(j >= 0);
        worst = fmaxf(worst, lmb_vec3_distance(e->joints[j], truth[k].at) / size);
    }
    return worst;
}

static void a_quadruped_has_its_joints_where_the_legs_bend(void **state)
{
    (void)state;
    capsules *s = make_quadruped();
    lmb_embedding e;
    assert_int_equal(embed(s, NULL, &e, NULL), LMB_OK);
    assert_int_equal(e.kind, LMB_SKELETON_QUADRUPED);
    is_sound(&e);
    assert_true(e.forward.z > 0.999f && e.up.y > 0.999f && e.left.x > 0.999f);
    assert_true(worst_miss(&e, quadruped, LEG_PLACES, 2.3f) < 0.05f);
    const lmb_vec3 left = e.joints[joint_named(&e, "leftBackFoot")],
                   right = e.joints[joint_named(&e, "rightBackFoot")];
    assert_true(lmb_vec3_distance(left, other_side(right)) < 0.01f);
    assert_true(lmb_vec3_distance(e.joints[joint_named(&e, "head")], lmb_vec3_make(0, 1.2f, 0.8f)) <
                0.12f);
    assert_true(lmb_vec3_distance(e.tips[joint_named(&e, "tail3")], lmb_vec3_make(0, 0.7f, -1.1f)) <
                0.08f);
    free(s);
}

static void a_quadruped_turns_and_scales_with_its_mesh(void **state)
{
    (void)state;
    lmb_vec3 (*const pairs[][2])(lmb_vec3) = {
        {turn_quarter, unturn_quarter}, {lay_down, stand_up}, {grow, shrink}};
    capsules *s = make_quadruped(), *turned = malloc(sizeof *turned);
    assert_non_null(turned);
    lmb_embedding base, other;
    assert_int_equal(embed(s, NULL, &base, NULL), LMB_OK);
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; ++k) {
        memcpy(turned, s, sizeof *s);
        for (uint32_t p = 0; p < s->point_count; ++p) {
            turned->points[p] = pairs[k][0](s->points[p]);
        }
        const lmb_embed_opts opts = {.kind = LMB_SKELETON_QUADRUPED};
        assert_int_equal(embed(turned, &opts, &other, NULL), LMB_OK);
        assert_int_equal(other.joint_count, base.joint_count);
        for (uint32_t j = 0; j < base.joint_count; ++j) {
            const float off = lmb_vec3_distance(base.joints[j], pairs[k][1](other.joints[j]));
            assert_true(off < 0.03f);
        }
    }
    free(s);
    free(turned);
}

static void where_it_looks_can_be_told(void **state)
{
    (void)state;
    capsules *s = make_quadruped();
    lmb_embedding e;
    const lmb_embed_opts opts = {
        .kind = LMB_SKELETON_QUADRUPED, .up = {0, 1, 0}, .forward = {0, 0, -1}};
    assert_int_equal(embed(s, &opts, &e, NULL), LMB_OK);
    assert_true(e.forward.z < -0.999f && e.joints[joint_named(&e, "leftFrontFoot")].x < 0);
    free(s);
}

static void a_floor_under_the_feet_is_no_part_of_it(void **state)
{
    (void)state;
    capsules *s = make_quadruped();
    lmb_embedding alone, e;
    assert_int_equal(embed(s, NULL, &alone, NULL), LMB_OK);
    add_floor(s, 1.5f, 0.003f);
    assert_int_equal(embed(s, NULL, &e, NULL), LMB_OK);
    assert_int_equal(e.kind, LMB_SKELETON_QUADRUPED);
    assert_true(worst_miss(&e, quadruped, LEG_PLACES, 2.3f) < 0.06f);
    free(s);
}

/// A snake: a wavy line, thicker at its head.
static void a_snake_has_its_joints_on_its_line(void **state)
{
    (void)state;
    capsules *s = capsules_create();
    enum { PARTS = 40 };
    lmb_vec3 line[PARTS + 1];
    for (int k = 0; k <= PARTS; ++k) {
        const float t = (float)k / PARTS;
        line[k] = lmb_vec3_make(0.25f * lmb_sin(9 * t), 0.04f, 1 - 2 * t);
    }
    for (int k = 0; k < PARTS; ++k) {
        const float r = 0.045f - 0.03f * (float)k / PARTS;
        add_capsule(s, line[k], line[k + 1], r, r);
    }
    lmb_embedding e;
    assert_int_equal(embed(s, NULL, &e, NULL), LMB_OK);
    assert_int_equal(e.kind, LMB_SKELETON_SNAKE);
    is_sound(&e);
    for (uint32_t j = 0; j < e.joint_count; ++j) {
        float nearest = 1e9f;
        for (int k = 0; k <= PARTS; ++k) {
            nearest = fminf(nearest, lmb_vec3_distance(line[k], e.joints[j]));
        }
        assert_true(nearest < 0.05f);
    }
    assert_true(lmb_vec3_distance(e.tips[joint_named(&e, "head")], line[0]) < 0.08f);
    free(s);
}

/// Four straight arms from a ball: a limb each, and the two sides in pairs.
/// Eight legs, the feet of the last two pairs an eighth of the body's length apart.
static void neighbouring_feet_are_of_two_legs(void **state)
{
    static const float foot_z[4] = {0.75f, 0.25f, -0.45f, -0.62f};
    (void)state;
    capsules *s = capsules_create();
    add_capsule(s, lmb_vec3_make(0, 0.35f, -0.15f), lmb_vec3_make(0, 0.35f, 0.2f), 0.13f, 0.11f);
    add_capsule(s, lmb_vec3_make(0, 0.45f, -0.5f), lmb_vec3_make(0, 0.5f, -0.6f), 0.2f, 0.15f);
    for (int k = 0; k < 8; ++k) {
        const float side = k < 4 ? 1.0f : -1.0f, z = foot_z[k % 4];
        const lmb_vec3 root = {0.08f * side, 0.35f, 0.2f - 0.1f * (float)(k % 4)},
                       knee = {0.4f * side, 0.6f, 0.5f * z + 0.5f * root.z},
                       foot = {0.72f * side, 0.02f, z};
        add_capsule(s, root, knee, 0.03f, 0.025f);
        add_capsule(s, knee, foot, 0.025f, 0.015f);
    }
    lmb_embedding e;
    assert_int_equal(embed(s, NULL, &e, NULL), LMB_OK);
    is_sound(&e);
    assert_int_equal(e.kind, LMB_SKELETON_SPIDER);
    float before = 0;
    for (int k = 0; k < 4; ++k) {
        char name[LMB_EMBEDDING_NAME];
        snprintf(name, sizeof name, "leftLeg%dLower", k + 1);
        const int32_t j = joint_named(&e, name);
        assert_true(j >= 0);
        assert_true(fabsf(e.tips[j].x - 0.72f) < 0.08f && fabsf(e.tips[j].z - foot_z[k]) < 0.12f);
        assert_true(k == 0 || e.tips[j].z < before - 0.1f);
        before = e.tips[j].z;
    }
    free(s);
}

static void other_shapes_get_a_limb_for_each_end(void **state)
{
    (void)state;
    capsules *s = capsules_create();
    const lmb_vec3 middle = {0, 0, 0};
    const lmb_vec3 ends[5] = {
        {0.9f, 0.5f, 0}, {-0.9f, 0.5f, 0}, {0.6f, -0.9f, 0.2f}, {-0.6f, -0.9f, 0.2f}, {0, 0.2f, 1}};
    add_capsule(s, middle, lmb_vec3_make(0, 0.01f, 0), 0.25f, 0.25f);
    for (int k = 0; k < 5; ++k) {
        add_capsule(s, middle, ends[k], 0.07f, 0.06f);
    }
    lmb_embedding e;
    const lmb_embed_opts opts = {.kind = LMB_SKELETON_GENERIC};
    assert_int_equal(embed(s, &opts, &e, NULL), LMB_OK);
    is_sound(&e);
    for (int k = 0; k < 5; ++k) {
        float nearest = 1e9f;
        for (uint32_t j = 0; j < e.joint_count; ++j) {
            nearest = fminf(nearest, lmb_vec3_distance(e.tips[j], ends[k]));
        }
        assert_true(nearest < 0.1f);
    }
    assert_true(joint_named(&e, "leftLimb1_1") >= 0 && joint_named(&e, "rightLimb1_1") >= 0);
    free(s);
}

static void a_ball_is_refused_by_name(void **state)
{
    (void)state;
    capsules *s = capsules_create();
    add_capsule(s, lmb_vec3_make(0, 0, 0), lmb_vec3_make(0, 0.01f, 0), 0.5f, 0.5f);
    lmb_embedding e;
    lmb_error error = {0};
    for (int kind = LMB_SKELETON_QUADRUPED; kind < LMB_SKELETON_KINDS; kind += 3) {
        const lmb_embed_opts told = {.kind = (lmb_skeleton_kind)kind};
        assert_int_equal(embed(s, &told, &e, &error), LMB_ERROR_UNSUPPORTED);
        assert_true(error.found[0] && error.expected[0]);
    }
    assert_int_equal(embed(s, NULL, &e, &error), LMB_ERROR_UNSUPPORTED);
    assert_true(error.found[0] && error.expected[0]);
    free(s);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    capsules *s = make_quadruped();
    lmb_result result = LMB_ERROR_MEMORY;
    for (int allowed = 0; result != LMB_OK; allowed += allowed < 4 ? 1 : 83) {
        failing_allocator memory = {.calls_left = allowed};
        const lmb_allocator alloc = {failing_allocator_resize, &memory};
        const lmb_embed_opts opts = {.kind = LMB_SKELETON_QUADRUPED};
        lmb_embedding e;
        result = lmb_embed(s->points, s->point_count, s->triangles, s->triangle_count, &opts,
                           &alloc, &e, NULL);
        assert_true(result == LMB_OK || result == LMB_ERROR_MEMORY);
        assert_int_equal(memory.held, 0);
        assert_true(allowed < 500);
    }
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quadruped_has_its_joints_where_the_legs_bend),
        cmocka_unit_test(a_quadruped_turns_and_scales_with_its_mesh),
        cmocka_unit_test(where_it_looks_can_be_told),
        cmocka_unit_test(a_floor_under_the_feet_is_no_part_of_it),
        cmocka_unit_test(a_snake_has_its_joints_on_its_line),
        cmocka_unit_test(neighbouring_feet_are_of_two_legs),
        cmocka_unit_test(other_shapes_get_a_limb_for_each_end),
        cmocka_unit_test(a_ball_is_refused_by_name),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
