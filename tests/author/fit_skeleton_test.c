#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mapping/body_joint.h"
#include "failing_allocator.h"
#include "limber/author.h"
#include "embed/stickman.h"

// ---- a skeleton of somebody's: half as large, in a T-pose, looking along -X, with joints of its
// own

typedef struct made_joint {
    const char *name;
    int32_t parent;
    int32_t is; ///< a joint of a humanoid, or LMB_NONE
    lmb_vec3 at;
} made_joint;

enum { MINE_ROOT = 0, MINE_HIPS = 1, MINE_TWIST = 11, MINE_JOINTS = 27 };

/// Before rotation and scaling.
static const made_joint mine[MINE_JOINTS] = {
    {"root", LMB_NONE, LMB_NONE, {0, 0, 0}},
    {"a:pelvis", 0, LMBI_HIPS, {0, 1, 0}},
    {"a:b1", 1, LMB_NONE, {0, 1.1f, 0}},
    {"a:b2", 2, LMBI_SPINE, {0, 1.2f, 0}},
    {"a:b3", 3, LMB_NONE, {0, 1.3f, 0}},
    {"a:b4", 4, LMBI_CHEST, {0, 1.4f, 0}},
    {"a:neck", 5, LMBI_NECK, {0, 1.5f, 0}},
    {"a:head", 6, LMBI_HEAD, {0, 1.6f, 0}},
    {"a:top", 7, LMB_NONE, {0, 1.8f, 0}},
    {"a:clav_l", 5, LMBI_LEFT_SHOULDER, {0.05f, 1.45f, 0}},
    {"a:arm_l", 9, LMBI_LEFT_UPPER_ARM, {0.2f, 1.45f, 0}},
    {"a:twist_l", 10, LMB_NONE, {0.35f, 1.45f, 0}},
    {"a:elbow_l", 10, LMBI_LEFT_LOWER_ARM, {0.5f, 1.45f, 0}},
    {"a:hand_l", 12, LMBI_LEFT_HAND, {0.75f, 1.45f, 0}},
    {"a:tip_l", 13, LMB_NONE, {0.95f, 1.45f, 0}},
    {"a:clav_r", 5, LMBI_RIGHT_SHOULDER, {-0.05f, 1.45f, 0}},
    {"a:arm_r", 15, LMBI_RIGHT_UPPER_ARM, {-0.2f, 1.45f, 0}},
    {"a:elbow_r", 16, LMBI_RIGHT_LOWER_ARM, {-0.5f, 1.45f, 0}},
    {"a:hand_r", 17, LMBI_RIGHT_HAND, {-0.75f, 1.45f, 0}},
    {"a:hip_l", 1, LMBI_LEFT_UPPER_LEG, {0.1f, 0.95f, 0}},
    {"a:knee_l", 19, LMBI_LEFT_LOWER_LEG, {0.1f, 0.5f, 0}},
    {"a:ankle_l", 20, LMBI_LEFT_FOOT, {0.1f, 0.1f, 0}},
    {"a:toes_l", 21, LMBI_LEFT_TOES, {0.1f, 0.02f, 0.1f}},
    {"a:hip_r", 1, LMBI_RIGHT_UPPER_LEG, {-0.1f, 0.95f, 0}},
    {"a:knee_r", 23, LMBI_RIGHT_LOWER_LEG, {-0.1f, 0.5f, 0}},
    {"a:ankle_r", 24, LMBI_RIGHT_FOOT, {-0.1f, 0.1f, 0}},
    {"a:toes_r", 25, LMBI_RIGHT_TOES, {-0.1f, 0.02f, 0.1f}},
};

static lmb_vec3 placed_elsewhere(lmb_vec3 p)
{
    return lmb_vec3_make(-0.5f * p.z, 0.5f * p.y, 0.5f * p.x);
}

/// Every joint's X runs along the bone to its first child.
static lmb_quat along_bone(uint32_t joint)
{
    for (uint32_t k = joint + 1; k < MINE_JOINTS; ++k) {
        if (mine[k].parent == (int32_t)joint && joint != MINE_ROOT) {
            const lmb_vec3 d =
                lmb_vec3_sub(placed_elsewhere(mine[k].at), placed_elsewhere(mine[joint].at));
            return lmb_quat_between(lmb_vec3_make(1, 0, 0), lmb_vec3_normalize_or(d, d));
        }
    }
    return lmb_quat_identity();
}

static lmb_skeleton *make_mine(lmb_joint_map *map)
{
    int32_t parents[MINE_JOINTS];
    lmb_transform rest[MINE_JOINTS];
    const char *names[MINE_JOINTS];
    for (int k = 0; k < LMB_HUMAN_BONE_COUNT; ++k) {
        map->bones[k].joint = LMB_NONE;
    }
    for (uint32_t j = 0; j < MINE_JOINTS; ++j) {
        const int32_t p = parents[j] = mine[j].parent;
        const lmb_vec3 at = placed_elsewhere(mine[j].at);
        const lmb_quat turn = along_bone(j),
                       back = lmb_quat_conjugate(p < 0 ? lmb_quat_identity()
                                                       : along_bone((uint32_t)p));
        names[j] = mine[j].name;
        rest[j] = lmb_transform_identity();
        rest[j].rotation = lmb_quat_mul(back, turn);
        rest[j].translation =
            p < 0 ? at : lmb_quat_rotate(back, lmb_vec3_sub(at, placed_elsewhere(mine[p].at)));
        if (mine[j].is != LMB_NONE) {
            map->bones[lmb_human_bone_find(lmbi_body_joint_name((uint32_t)mine[j].is))].joint =
                (int32_t)j;
        }
    }
    const lmb_skeleton def = {
        .joint_count = MINE_JOINTS, .parents = parents, .rest = rest, .names = names};
    lmb_skeleton *skeleton = NULL;
    assert_int_equal(lmb_skeleton_create(&def, NULL, &skeleton, NULL), LMB_OK);
    return skeleton;
}

static void stand(const lmb_skeleton *s, lmb_mat4 *model)
{
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = s, .model_from_joint = model});
}

static lmb_embedding embedding_of_stickman(void)
{
    capsules *s = make_stickman();
    lmb_embedding e;
    assert_int_equal(embed(s, NULL, &e, NULL), LMB_OK);
    free(s);
    return e;
}

static void joints_of_a_human_go_where_the_embedding_has_them(void **state)
{
    (void)state;
    const lmb_embedding e = embedding_of_stickman();
    lmb_joint_map map;
    lmb_skeleton *from = make_mine(&map), *to = NULL;
    lmb_skeleton_fit_report report;
    const lmb_skeleton_fit_opts opts = {.map = &map};
    assert_int_equal(lmb_skeleton_fit(from, &opts, &e, NULL, &to, &report, NULL), LMB_OK);
    assert_int_equal(to->joint_count, MINE_JOINTS);
    assert_int_equal(report.placed_count + report.carried_count, MINE_JOINTS);
    lmb_mat4 model[MINE_JOINTS];
    stand(to, model);
    for (uint32_t j = 0; j < MINE_JOINTS; ++j) {
        assert_string_equal(to->names[j], from->names[j]);
        assert_int_equal(to->parents[j], from->parents[j]);
        const lmb_vec3 at = lmb_mat4_translation(model[j]);
        const bool spine = j >= 2 && j <= 5;
        if (mine[j].is != LMB_NONE && !spine) {
            assert_true(lmb_vec3_distance(at, e.joints[mine[j].is]) < 1e-4f);
        }
        if (spine) { // four joints where the embedding has three: placed at their fractions of the length
            const float share =
                (at.y - e.joints[LMBI_HIPS].y) / (e.joints[LMBI_NECK].y - e.joints[LMBI_HIPS].y);
            assert_true(fabsf(share - 0.2f * (float)(j - 1)) < 0.03f && fabsf(at.x) < 0.01f);
        }
    }
    lmb_skeleton_destroy(from);
    lmb_skeleton_destroy(to);
}

static void what_hangs_between_and_beside_goes_along(void **state)
{
    (void)state;
    const lmb_embedding e = embedding_of_stickman();
    lmb_joint_map map;
    lmb_skeleton *from = make_mine(&map), *to = NULL;
    const lmb_skeleton_fit_opts opts = {.map = &map};
    assert_int_equal(lmb_skeleton_fit(from, &opts, &e, NULL, &to, NULL, NULL), LMB_OK);
    lmb_mat4 model[MINE_JOINTS];
    stand(to, model);
    const lmb_vec3 shoulder = e.joints[LMBI_LEFT_UPPER_ARM], elbow = e.joints[LMBI_LEFT_LOWER_ARM];
    assert_true(lmb_vec3_distance(lmb_mat4_translation(model[MINE_TWIST]),
                                  lmb_vec3_lerp(shoulder, elbow, 0.5f)) < 1e-3f);
    assert_true(fabsf(lmb_mat4_translation(model[MINE_ROOT]).y - e.ground.y) < 0.01f);
    const lmb_vec3 top = lmb_mat4_translation(model[8]), hand = lmb_mat4_translation(model[14]);
    assert_true(lmb_vec3_distance(top, e.tips[LMBI_HEAD]) < 1e-3f);
    assert_true(lmb_vec3_distance(hand, e.tips[LMBI_LEFT_HAND]) < 1e-3f);
    // Axes along bones still are.
    static const uint32_t bones[][2] = {{10, 11}, {12, 13}, {19, 20}, {23, 24}};
    for (int k = 0; k < 4; ++k) {
        const lmb_vec3 d = lmb_vec3_sub(lmb_mat4_translation(model[bones[k][1]]),
                                        lmb_mat4_translation(model[bones[k][0]]));
        const lmb_vec3 x = lmb_mat4_vector(model[bones[k][0]], lmb_vec3_make(1, 0, 0));
        assert_true(lmb_vec3_dot(x, lmb_vec3_normalize_or(d, d)) > 0.9999f);
    }
    lmb_skeleton_destroy(from);
    lmb_skeleton_destroy(to);
}

// ---- other bodies

static capsules *make_beast(void)
{
    capsules *s = capsules_create();
    add_capsule(s, lmb_vec3_make(0, 0.8f, -0.5f), lmb_vec3_make(0, 0.8f, 0.4f), 0.18f, 0.2f);
    add_capsule(s, lmb_vec3_make(0, 0.85f, 0.45f), lmb_vec3_make(0, 1.2f, 0.8f), 0.13f, 0.09f);
    add_capsule(s, lmb_vec3_make(0, 1.22f, 0.82f), lmb_vec3_make(0, 1.12f, 1.1f), 0.12f, 0.06f);
    add_capsule(s, lmb_vec3_make(0, 0.9f, -0.6f), lmb_vec3_make(0, 0.7f, -1.1f), 0.04f, 0.03f);
    for (int k = 0; k < 4; ++k) {
        const float x = k & 1 ? 0.14f : -0.14f, z = k & 2 ? 0.44f : -0.55f;
        add_capsule(s, lmb_vec3_make(x, 0.7f, z), lmb_vec3_make(x, 0.06f, z), 0.07f, 0.05f);
        add_capsule(s, lmb_vec3_make(x, 0.05f, z), lmb_vec3_make(x, 0.04f, z + 0.08f), 0.05f,
                    0.04f);
    }
    return s;
}

/// A skeleton with meaningless names, rotated and three times as large.
static lmb_skeleton *skeleton_like(const lmb_embedding *e)
{
    lmb_transform rest[LMB_EMBEDDING_JOINTS];
    int32_t parents[LMB_EMBEDDING_JOINTS];
    const char *names[LMB_EMBEDDING_JOINTS];
    lmb_vec3 tips[LMB_EMBEDDING_JOINTS];
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        const int32_t p = parents[j] = e->parents[j];
        const lmb_vec3 d = p < 0 ? e->joints[j] : lmb_vec3_sub(e->joints[j], e->joints[p]);
        const lmb_vec3 t = lmb_vec3_sub(e->tips[j], e->joints[j]);
        rest[j] = lmb_transform_identity();
        rest[j].translation = lmb_vec3_make(-3 * d.x, 3 * d.y, -3 * d.z);
        tips[j] = lmb_vec3_make(-3 * t.x, 3 * t.y, -3 * t.z);
        names[j] = "joint";
    }
    const lmb_skeleton def = {.joint_count = e->joint_count,
                              .parents = parents,
                              .rest = rest,
                              .names = names,
                              .tips = tips};
    lmb_skeleton *skeleton = NULL;
    assert_int_equal(lmb_skeleton_create(&def, NULL, &skeleton, NULL), LMB_OK);
    return skeleton;
}

static void limbs_of_a_beast_are_matched_by_their_chains(void **state)
{
    (void)state;
    capsules *s = make_beast();
    lmb_embedding e;
    assert_int_equal(embed(s, NULL, &e, NULL), LMB_OK);
    assert_int_equal(e.kind, LMB_SKELETON_QUADRUPED);
    lmb_skeleton *from = skeleton_like(&e), *to = NULL;
    assert_int_equal(lmb_skeleton_fit(from, NULL, &e, NULL, &to, NULL, NULL), LMB_OK);
    lmb_mat4 model[LMB_EMBEDDING_JOINTS];
    stand(to, model);
    for (uint32_t j = 0; j < e.joint_count; ++j) {
        assert_true(lmb_vec3_distance(lmb_mat4_translation(model[j]), e.joints[j]) < 0.01f);
    }
    // A human's skeleton does not fit.
    lmb_joint_map map;
    lmb_error error = {0};
    lmb_skeleton *human = make_mine(&map), *none = NULL;
    const lmb_skeleton_fit_opts opts = {.map = &map};
    assert_int_equal(lmb_skeleton_fit(human, NULL, &e, NULL, &none, NULL, NULL),
                     LMB_ERROR_UNSUPPORTED);
    assert_int_equal(lmb_skeleton_fit(human, &opts, &e, NULL, &none, NULL, &error),
                     LMB_ERROR_UNSUPPORTED);
    assert_true(error.found[0] && none == NULL);
    lmb_skeleton_destroy(human);
    lmb_skeleton_destroy(from);
    lmb_skeleton_destroy(to);
    free(s);
}

static void a_skeleton_that_stands_in_its_mesh_is_told_from_others(void **state)
{
    (void)state;
    capsules *s = make_beast();
    const lmb_surface_part part = {.positions = s->points,
                                   .vertex_count = s->point_count,
                                   .indices = s->triangles,
                                   .index_count = 3 * s->triangle_count};
    lmb_surface *surface = NULL;
    lmb_embedding e;
    assert_int_equal(lmb_surface_create(&part, 1, NULL, NULL, &surface, NULL), LMB_OK);
    assert_int_equal(embed(s, NULL, &e, NULL), LMB_OK);
    lmb_skeleton *large = skeleton_like(&e), *own = NULL;
    assert_int_equal(lmb_skeleton_fit(large, NULL, &e, NULL, &own, NULL, NULL), LMB_OK);
    bool stands = true;
    assert_int_equal(lmb_skeleton_fits_mesh(large, NULL, surface, NULL, &stands, NULL), LMB_OK);
    assert_false(stands);
    assert_int_equal(lmb_skeleton_fits_mesh(own, NULL, surface, NULL, &stands, NULL), LMB_OK);
    assert_true(stands);
    for (uint32_t j = 0; j < own->joint_count; ++j) { // small enough to hide in the trunk
        own->rest[j].translation =
            lmb_vec3_scale(own->rest[j].translation, own->parents[j] == LMB_NONE ? 1 : 0.2f);
    }
    assert_int_equal(lmb_skeleton_fits_mesh(own, NULL, surface, NULL, &stands, NULL), LMB_OK);
    assert_false(stands);
    lmb_skeleton_destroy(large);
    lmb_skeleton_destroy(own);
    lmb_surface_destroy(surface);
    free(s);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    const lmb_embedding e = embedding_of_stickman();
    lmb_joint_map map;
    lmb_skeleton *from = make_mine(&map);
    for (int by_name = 0; by_name < 2; ++by_name) {
        lmb_result result = LMB_ERROR_MEMORY;
        for (int allowed = 0; result == LMB_ERROR_MEMORY; ++allowed) {
            failing_allocator memory = {.calls_left = allowed};
            const lmb_allocator alloc = {failing_allocator_resize, &memory};
            const lmb_skeleton_fit_opts opts = {.map = by_name ? &map : NULL};
            lmb_skeleton *to = NULL;
            result = lmb_skeleton_fit(from, &opts, &e, &alloc, &to, NULL, NULL);
            lmb_skeleton_destroy(to);
            assert_int_equal(memory.held, 0);
            assert_true(allowed < 100);
        }
        assert_int_equal(result, LMB_OK);
    }
    lmb_skeleton_destroy(from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_of_a_human_go_where_the_embedding_has_them),
        cmocka_unit_test(what_hangs_between_and_beside_goes_along),
        cmocka_unit_test(limbs_of_a_beast_are_matched_by_their_chains),
        cmocka_unit_test(a_skeleton_that_stands_in_its_mesh_is_told_from_others),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
