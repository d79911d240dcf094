#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asset/asset.h"
#include "limber/asset.h"
#include "math/math.h"

static const float degree = LMB_PI / 180.0f;

static lmb_transform rotation_z(float x, float y, float angle_degrees)
{
    lmb_transform t = lmb_transform_identity();
    t.translation = lmb_vec3_make(x, y, 0);
    t.rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), angle_degrees * degree);
    return t;
}

static lmb_skeleton worked_arm(lmb_transform rest[3])
{
    static int32_t parents[3] = {LMB_NONE, 0, 1};
    static const char *names[3] = {"a", "b", "c"};
    rest[0] = rotation_z(0, 6, -45);
    rest[1] = rotation_z(5, 0, 50);
    rest[2] = rotation_z(4, 0, 30);
    return (lmb_skeleton){.joint_count = 3, .parents = parents, .rest = rest, .names = names};
}

/// The worked example: T(0,6) R(-45) T(5,0) R(50) T(4,0) R(30) applied to (2,0).
static void worked_example(void **state)
{
    (void)state;
    lmb_transform rest[3];
    const lmb_skeleton skeleton = worked_arm(rest);
    lmb_mat4 model[3];
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = &skeleton, .model_from_joint = model});
    const lmb_vec3 p = lmb_mat4_point(model[2], lmb_vec3_make(2, 0, 0));
    assert_true(fabsf(p.x - 9.158617f) < 2e-6f && fabsf(p.y - 3.960242f) < 2e-6f && p.z == 0);
}

static void long_chain_does_not_recurse(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    int32_t *parents = malloc(COUNT * sizeof *parents);
    lmb_transform *rest = malloc(COUNT * sizeof *rest);
    const char **names = malloc(COUNT * sizeof *names);
    lmb_mat4 *model = malloc(COUNT * sizeof *model);
    for (int j = 0; j < COUNT; ++j) {
        parents[j] = j - 1;
        rest[j] = rotation_z(j ? 0.001f : 0, 0, 0);
        names[j] = "link";
    }
    const lmb_skeleton skeleton = {
        .joint_count = COUNT, .parents = parents, .rest = rest, .names = names};
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = &skeleton, .model_from_joint = model});
    assert_true(fabsf(model[COUNT - 1].m[12] - 9.999f) < 1e-2f);
    free(parents);
    free(rest);
    free((void *)names);
    free(model);
}

static void bind_pose_gives_identity_skinning(void **state)
{
    (void)state;
    lmb_transform rest[3];
    const lmb_skeleton skeleton = worked_arm(rest);
    lmb_mat4 model[3], inverse[3], palette[3];
    uint32_t joints[3] = {0, 1, 2};
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = &skeleton, .model_from_joint = model});
    for (int j = 0; j < 3; ++j) {
        assert_true(lmb_mat4_inverse_affine(model[j], &inverse[j]));
    }
    const lmb_skin skin = {.joint_count = 3, .joints = joints, .joint_from_bind = inverse};
    lmb_skin_palette(&skin, model, palette);
    const lmb_mat4 identity = lmb_mat4_identity();
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 16; ++i) {
            assert_true(fabsf(palette[j].m[i] - identity.m[i]) < 1e-6f);
        }
    }
}

static void ball_limit_clamps_swing_and_twist(void **state)
{
    (void)state;
    // 60 degrees of swing and 40 of twist into a 45 degree cone and 30 degrees of twist.
    const lmb_joint_limit limit = {
        LMB_JOINT_BALL, {1, 0, 0}, 45 * degree, -30 * degree, 30 * degree};
    lmb_transform local = lmb_transform_identity();
    local.rotation = lmb_quat_mul(lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 60 * degree),
                                  lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), 40 * degree));
    const lmb_transform once = lmbi_joint_limit_apply(&limit, lmb_transform_identity(), local);
    lmb_quat swing, twist;
    lmbi_quat_swing_twist(once.rotation, limit.axis, &swing, &twist);
    assert_true(fabsf(lmb_quat_angle(swing, lmb_quat_identity()) - 45 * degree) < 1e-6f);
    assert_true(fabsf(lmb_quat_angle(twist, lmb_quat_identity()) - 30 * degree) < 1e-6f);
    const lmb_transform twice = lmbi_joint_limit_apply(&limit, lmb_transform_identity(), once);
    assert_true(lmb_quat_angle(once.rotation, twice.rotation) < 1e-6f);
}

static void hinge_keeps_an_elbow_from_bending_back(void **state)
{
    (void)state;
    const lmb_joint_limit limit = {LMB_JOINT_HINGE, {0, 0, 1}, 0, 0, 150 * degree};
    lmb_transform local = rotation_z(0, 0, -20);
    assert_true(
        lmb_quat_angle(lmbi_joint_limit_apply(&limit, lmb_transform_identity(), local).rotation,
                       lmb_quat_identity()) < 1e-6f);
    local = rotation_z(0, 0, 170);
    assert_true(fabsf(lmb_quat_angle(
                          lmbi_joint_limit_apply(&limit, lmb_transform_identity(), local).rotation,
                          lmb_quat_identity()) -
                      150 * degree) < 1e-5f);
    local = rotation_z(0, 0, 70);
    assert_true(
        lmb_quat_angle(lmbi_joint_limit_apply(&limit, lmb_transform_identity(), local).rotation,
                       local.rotation) < 1e-6f);
}

/// model_kernels and model_one_kernels: every set, alone and in company, gives the bits of matrices
/// multiplied one by one; and what double precision says.
static void many_poses_have_the_bits_of_one(void **state)
{
    (void)state;
    enum { JOINTS = 41, POSES = 37 };
    static lmb_transform local[POSES][JOINTS];
    static lmb_mat4 should[POSES][JOINTS], is[POSES][JOINTS], roots[POSES];
    int32_t parents[JOINTS];
    const char *names[JOINTS];
    lmb_random random = lmb_random_seed(4);
    for (uint32_t j = 0; j < JOINTS; ++j) {
        names[j] = "joint";
        // Chains, branches far back, and a second root.
        parents[j] = j == 0 || j == 23 ? LMB_NONE : (int32_t)(j % 5 == 0 ? j / 2 : j - 1);
    }
    for (int p = 0; p < POSES; ++p) {
        for (int j = 0; j < JOINTS; ++j) {
            float v[10];
            for (int i = 0; i < 10; ++i) {
                v[i] = lmb_random_range(&random, -1, 1);
            }
            local[p][j].translation = lmb_vec3_make(v[0], v[1], v[2]);
            local[p][j].rotation = lmb_quat_normalize(lmb_quat_make(v[3], v[4], v[5], v[6]));
            local[p][j].scale = j % 3 ? lmb_vec3_make(1, 1, 1) : lmb_vec3_make(v[7], v[8], v[9]);
        }
        roots[p] = lmb_mat4_from_transform(local[p][7]);
    }
    roots[POSES - 1].m[3] = 0.25f; // not affine: goes alone
    const lmb_skeleton skeleton = {
        .joint_count = JOINTS, .parents = parents, .rest = local[0], .names = names};
    for (int rooted = 0; rooted < 3; ++rooted) {
        for (int p = 0; p < POSES; ++p) {
            for (int j = 0; j < JOINTS; ++j) {
                const lmb_mat4 m = lmb_mat4_from_transform(local[p][j]);
                const lmb_mat4 root = roots[rooted == 1 ? p : 3];
                should[p][j] = parents[j] != LMB_NONE ? lmb_mat4_mul(should[p][parents[j]], m)
                               : rooted > 0           ? lmb_mat4_mul(root, m)
                                                      : m;
            }
        }
        for (int set = LMB_SIMD_BEST; set < LMB_SIMD_COUNT; ++set) {
            for (uint32_t count = lmb_simd_runs((lmb_simd)set) ? 1 : POSES + 1; count <= POSES;
                 count += 9) {
                memset(is, 0, sizeof(is));
                lmb_pose_to_model_job job = {.skeleton = &skeleton,
                                             .local = local[0],
                                             .model_from_joint = is[0],
                                             .pose_count = count,
                                             .roots = rooted == 1 ? roots : NULL,
                                             .simd = (lmb_simd)set};
                if (rooted == 2) {
                    job.root = roots[3];
                }
                lmb_pose_to_model(&job);
                assert_memory_equal(is, should, count * sizeof(is[0]));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_example),
        cmocka_unit_test(many_poses_have_the_bits_of_one),
        cmocka_unit_test(long_chain_does_not_recurse),
        cmocka_unit_test(bind_pose_gives_identity_skinning),
        cmocka_unit_test(ball_limit_clamps_swing_and_twist),
        cmocka_unit_test(hinge_keeps_an_elbow_from_bending_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
