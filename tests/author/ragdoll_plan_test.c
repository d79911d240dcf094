/// What lmb_ragdoll_plan_make decides for a human, an animal and a mesh without a skeleton.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "failing_allocator.h"
#include "limber/author.h"

static lmb_made_body *make_body(lmb_made_body_kind kind, float scale, bool rigged)
{
    const lmb_made_body_opts opts = {
        .kind = kind, .triangle_count = 2000, .whole = true, .rigged = rigged, .scale = scale};
    lmb_made_body *body = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    return body;
}

static float mass_of(const lmb_ragdoll_set *set)
{
    float mass = 0;
    for (uint32_t i = 0; i < set->bone_count; ++i) {
        mass += set->bones[i].mass;
    }
    return mass;
}

static void a_human_has_sixteen_bodies_and_the_mass_of_its_height(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        lmb_made_body *body = make_body(LMB_MADE_HUMANOID, k == 0 ? 1 : 0.5f, true);
        lmb_ragdoll_plan plan;
        assert_int_equal(lmb_ragdoll_plan_make(body->character, 0, NULL, &plan, NULL), LMB_OK);
        assert_true(plan.is_human);
        assert_int_equal(plan.set->bone_count, 16);
        const float height = plan.set->box.high.y - plan.set->box.low.y;
        const float expected = 70 * powf(height / 1.75f, 3);
        assert_true(fabsf(mass_of(plan.set) / expected - 1) < 1e-3f);
        assert_true(plan.scene.gravity.y < -9 && plan.scene.shape_count == 0);
        // An elbow bends one way: a human's limit, not the cone of a joint of unknown kind.
        const int32_t elbow = plan.map.bones[LMB_HUMAN_LEFT_LOWER_ARM].joint;
        const int32_t bone =
            lmb_ragdoll_set_find(plan.set, body->character->skeleton, (uint32_t)elbow);
        assert_int_equal(plan.set->bones[bone].limit.kind, LMB_JOINT_HINGE);
        lmb_ragdoll_set_destroy(plan.set);
        lmb_made_body_destroy(body);
    }
}

static void a_mass_that_is_asked_for_is_kept(void **state)
{
    (void)state;
    lmb_made_body *body = make_body(LMB_MADE_HUMANOID, 1, true);
    lmb_ragdoll_plan plan;
    assert_int_equal(lmb_ragdoll_plan_make(body->character, 30, NULL, &plan, NULL), LMB_OK);
    assert_true(fabsf(mass_of(plan.set) - 30) < 0.01f);
    lmb_ragdoll_set_destroy(plan.set);
    lmb_made_body_destroy(body);
}

static void a_joint_without_a_body_moves_with_the_one_above(void **state)
{
    (void)state;
    lmb_made_body *body = make_body(LMB_MADE_HUMANOID, 1, true);
    const lmb_skeleton *skeleton = body->character->skeleton;
    lmb_ragdoll_plan plan;
    assert_int_equal(lmb_ragdoll_plan_make(body->character, 0, NULL, &plan, NULL), LMB_OK);
    const int32_t finger = lmb_skeleton_find(skeleton, "leftIndexProximal");
    const int32_t hand = plan.map.bones[LMB_HUMAN_LEFT_HAND].joint;
    assert_true(finger != LMB_NONE && hand != LMB_NONE);
    const int32_t bone = lmb_ragdoll_set_find(plan.set, skeleton, (uint32_t)finger);
    assert_int_equal(plan.set->bones[bone].joint, hand);
    lmb_ragdoll_set_destroy(plan.set);
    lmb_made_body_destroy(body);
}

/// Hangs a joint from the root, where it is.
static void hang_from_root(lmb_skeleton *skeleton, int32_t joint)
{
    while (skeleton->parents[joint] > 0) {
        const int32_t above = skeleton->parents[joint];
        skeleton->rest[joint] = lmb_transform_mul(skeleton->rest[above], skeleton->rest[joint]);
        skeleton->parents[joint] = skeleton->parents[above];
    }
}

/// A second of falling onto a floor; model matrices after it.
static void fall(const lmb_ragdoll_plan *plan, const lmb_skeleton *skeleton, lmb_mat4 *model)
{
    const lmb_rigid_shape floor = {.kind = LMB_RIGID_PLANE,
                                   .body = LMB_NONE,
                                   .offset = {0, plan->set->box.low.y, 0},
                                   .static_friction = 0.8f,
                                   .dynamic_friction = 0.6f};
    lmb_ragdoll_scene scene = plan->scene;
    scene.shapes = &floor;
    scene.shape_count = 1;
    lmb_ragdoll *ragdoll = NULL;
    lmb_transform *pose = calloc(skeleton->joint_count, sizeof *pose);
    assert_int_equal(lmb_ragdoll_create(plan->set, skeleton, &scene, NULL, &ragdoll, NULL), LMB_OK);
    memcpy(pose, skeleton->rest, skeleton->joint_count * sizeof *pose);
    for (int f = 0; f < 60; ++f) {
        lmb_ragdoll_step(&(lmb_ragdoll_step_job){.ragdoll = ragdoll,
                                                 .local = pose,
                                                 .model_from_joint = model,
                                                 .dt_s = 1.0f / 60,
                                                 .weight = 1});
    }
    lmb_ragdoll_destroy(ragdoll);
    free(pose);
}

/// After the fall two joints are as far from each other as at rest, and the first is lower.
static void assert_fell_together(const lmb_ragdoll_plan *plan, const lmb_skeleton *skeleton,
                                 int32_t above, int32_t joint)
{
    lmb_mat4 *rest = calloc(skeleton->joint_count, sizeof *rest),
             *model = calloc(skeleton->joint_count, sizeof *model);
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = rest});
    fall(plan, skeleton, model);
    const float was = lmb_vec3_distance(lmb_mat4_translation(rest[above]),
                                        lmb_mat4_translation(rest[joint])),
                is = lmb_vec3_distance(lmb_mat4_translation(model[above]),
                                       lmb_mat4_translation(model[joint]));
    assert_true(fabsf(is - was) < 0.02f * was);
    assert_true(model[above].m[13] < rest[above].m[13] - 0.5f * was);
    free(rest);
    free(model);
}

/// Feet that are controls hang from the root; their bodies hang from the shins all the same.
static void feet_hang_from_shins_whatever_their_joints_do(void **state)
{
    (void)state;
    lmb_made_body *body = make_body(LMB_MADE_HUMANOID, 1, true);
    lmb_skeleton *skeleton = body->character->skeleton;
    hang_from_root(skeleton, lmb_skeleton_find(skeleton, "leftFoot"));
    hang_from_root(skeleton, lmb_skeleton_find(skeleton, "rightFoot"));
    lmb_ragdoll_plan plan;
    assert_int_equal(lmb_ragdoll_plan_make(body->character, 0, NULL, &plan, NULL), LMB_OK);
    for (int bone = LMB_HUMAN_LEFT_LOWER_LEG; bone <= LMB_HUMAN_RIGHT_LOWER_LEG;
         bone += LMB_HUMAN_RIGHT_LOWER_LEG - LMB_HUMAN_LEFT_LOWER_LEG) {
        const int32_t foot = plan.map.bones[bone + 1].joint;
        const int32_t at = lmb_ragdoll_set_find(plan.set, skeleton, (uint32_t)foot);
        const int32_t above = plan.set->bones[at].parent;
        assert_int_equal(plan.set->bones[at].joint, foot);
        assert_int_equal(plan.set->bones[above].joint, plan.map.bones[bone].joint);
    }
    assert_fell_together(&plan, skeleton, plan.map.bones[LMB_HUMAN_LEFT_LOWER_LEG].joint,
                         plan.map.bones[LMB_HUMAN_LEFT_FOOT].joint);
    lmb_ragdoll_set_destroy(plan.set);
    lmb_made_body_destroy(body);
}

static void an_animal_has_bodies_by_its_skin(void **state)
{
    (void)state;
    lmb_made_body *body = make_body(LMB_MADE_QUADRUPED, 1, true);
    lmb_ragdoll_plan plan;
    assert_int_equal(lmb_ragdoll_plan_make(body->character, 0, NULL, &plan, NULL), LMB_OK);
    assert_false(plan.is_human);
    assert_true(plan.set->bone_count > 6);
    lmb_ragdoll_set_destroy(plan.set);
    lmb_made_body_destroy(body);
}

/// A head with a root of its own, as eyes with their armature, falls with the neck that it is on.
static void a_tree_of_its_own_hangs_where_its_skin_is(void **state)
{
    (void)state;
    lmb_made_body *body = make_body(LMB_MADE_QUADRUPED, 1, true);
    lmb_skeleton *skeleton = body->character->skeleton;
    const int32_t head = lmb_skeleton_find(skeleton, "head"), neck = skeleton->parents[head];
    hang_from_root(skeleton, head);
    skeleton->rest[head] = lmb_transform_mul(skeleton->rest[0], skeleton->rest[head]);
    skeleton->parents[head] = LMB_NONE;
    lmb_ragdoll_plan plan;
    assert_int_equal(lmb_ragdoll_plan_make(body->character, 0, NULL, &plan, NULL), LMB_OK);
    assert_fell_together(&plan, skeleton, neck, head);
    lmb_ragdoll_set_destroy(plan.set);
    lmb_made_body_destroy(body);
}

static void a_mesh_without_a_skeleton_is_one_body(void **state)
{
    (void)state;
    lmb_made_body *body = make_body(LMB_MADE_HUMANOID, 1, false);
    lmb_ragdoll_plan plan;
    assert_int_equal(lmb_ragdoll_plan_make(body->character, 0, NULL, &plan, NULL), LMB_OK);
    assert_false(plan.is_human);
    assert_int_equal(plan.set->bone_count, 1);
    lmb_ragdoll_set_destroy(plan.set);
    lmb_made_body_destroy(body);
}

static void every_allocation_can_fail(void **state)
{
    (void)state;
    lmb_made_body *body = make_body(LMB_MADE_HUMANOID, 1, true);
    for (failing_run f = {0}; failing_next(&f);) {
        lmb_ragdoll_plan plan;
        f.result = lmb_ragdoll_plan_make(body->character, 0, &f.alloc, &plan, NULL);
        assert_true(f.result == LMB_OK || (f.result == LMB_ERROR_MEMORY && plan.set == NULL));
        lmb_ragdoll_set_destroy(plan.set);
    }
    lmb_made_body_destroy(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_human_has_sixteen_bodies_and_the_mass_of_its_height),
        cmocka_unit_test(a_mass_that_is_asked_for_is_kept),
        cmocka_unit_test(a_joint_without_a_body_moves_with_the_one_above),
        cmocka_unit_test(feet_hang_from_shins_whatever_their_joints_do),
        cmocka_unit_test(an_animal_has_bodies_by_its_skin),
        cmocka_unit_test(a_tree_of_its_own_hangs_where_its_skin_is),
        cmocka_unit_test(a_mesh_without_a_skeleton_is_one_body),
        cmocka_unit_test(every_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
