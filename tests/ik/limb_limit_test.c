// Closed forms inside joint limits: limbs of human bodies drawn at random, aims with and without a
// roll, and what is degenerate.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "asset/asset.h"
#include "ik/parent_from_joint.h"
#include "limber/ik.h"

enum { HIPS, CHEST, ARM, ELBOW, HAND, LEG, KNEE, FOOT, JOINTS };

static const lmb_body_part parts[JOINTS] = {LMB_PART_HIPS,      LMB_PART_SPINE, LMB_PART_UPPER_ARM,
                                            LMB_PART_LOWER_ARM, LMB_PART_HAND,  LMB_PART_UPPER_LEG,
                                            LMB_PART_LOWER_LEG, LMB_PART_FOOT};
static int32_t parents[JOINTS] = {-1, HIPS, CHEST, ARM, ELBOW, HIPS, LEG, KNEE};
static const char *names[JOINTS];
static lmb_transform rest[JOINTS], local[JOINTS];
static lmb_joint_limit limits[JOINTS];
static lmb_mat4 model[JOINTS];
static const lmb_skeleton skeleton = {
    .joint_count = JOINTS, .parents = parents, .rest = rest, .names = names, .limits = limits};

static lmb_vec3 v3(float x, float y, float z)
{
    return lmb_vec3_make(x, y, z);
}

static lmb_quat any_rotation(lmb_random *random)
{
    float q[4];
    for (int i = 0; i < 4; ++i) {
        q[i] = lmb_random_range(random, -1, 1);
    }
    return lmb_quat_normalize(lmb_quat_make(q[0], q[1], q[2], q[3] + 0.01f));
}

/// Bones of any length, arms that rest anywhere from level to 60 degrees down, every frame rolled
/// in its own manner.
static void make_body(lmb_random *random)
{
    const float down = lmb_random_range(random, 0, 1), s = lmb_sin(down), c = lmb_cos(down);
    const float a = lmb_random_range(random, 0.2f, 0.4f), b = lmb_random_range(random, 0.2f, 0.4f);
    const lmb_vec3 positions[JOINTS] = {
        {0, 1, 0},
        {0, 1.3f, 0},
        {0.2f, 1.45f, 0},
        {0.2f + a * c, 1.45f - a * s, 0},
        {0.2f + (a + b) * c, 1.45f - (a + b) * s, 0},
        {0.1f, 0.95f, 0},
        {0.1f, 0.95f - a, 0.01f},
        {0.1f, 0.95f - a - b, 0},
    };
    lmb_transform at[JOINTS];
    for (int j = 0; j < JOINTS; ++j) {
        at[j] = (lmb_transform){positions[j], any_rotation(random), {1, 1, 1}};
        names[j] = "joint";
        rest[j] = parent_from_joint(at, parents, j);
        local[j] = rest[j];
    }
    lmb_human_limits(&skeleton, parts, lmb_vec3_make(0, 0, 1), limits);
}

static void draw_pose(lmb_random *random, bool inside)
{
    for (int j = 0; j < JOINTS; ++j) {
        local[j].rotation = any_rotation(random);
        if (inside) {
            local[j] = lmbi_joint_limit_apply(&limits[j], rest[j], local[j]);
        }
    }
}

static void update(void)
{
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = &skeleton, .local = local, .model_from_joint = model});
}

static void check_inside(uint32_t from, uint32_t to)
{
    for (uint32_t j = from; j <= to; ++j) {
        const lmb_quat q = local[j].rotation;
        assert_true(fabsf(lmb_quat_dot(q, q) - 1.0f) < 1e-5f);
        const float excess = lmbi_joint_limit_excess(&limits[j], rest[j], local[j], NULL);
        if (!(excess <= 1e-5f)) {
            fail_msg("joint %u is %g radians out", j, (double)excess);
        }
    }
}

static lmb_ik_two_bone_job job_for(uint32_t start)
{
    return (lmb_ik_two_bone_job){.skeleton = &skeleton,
                                 .local = local,
                                 .model_from_joint = model,
                                 .chain = {start, start + 1, start + 2},
                                 .weight = 1};
}

static void limbs_reach_what_their_limits_allow(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(5);
    int reached = 0;
    for (int i = 0; i < 1000; ++i) {
        const uint32_t start = i % 2 ? ARM : LEG;
        make_body(&random);
        draw_pose(&random, true);
        update();
        lmb_ik_two_bone_job job = job_for(start);
        job.target = lmb_mat4_translation(model[start + 2]);
        local[start].rotation = any_rotation(&random); // from anywhere, out of the limits too
        local[start + 1].rotation = any_rotation(&random);
        update();
        lmb_ik_two_bone(&job);
        check_inside(start, start + 1);
        update();
        reached += lmb_vec3_distance(lmb_mat4_translation(model[start + 2]), job.target) < 1e-4f;
    }
    if (reached < 950) {
        fail_msg("%d of 1000 reached", reached);
    }
}

/// Nearest of many poses that the limits allow, an upper bound of what an answer may miss.
static float best_of_many(lmb_random *random, uint32_t start, lmb_vec3 target)
{
    float least = INFINITY;
    for (int k = 0; k < 400; ++k) {
        for (uint32_t j = start; j < start + 2; ++j) {
            local[j].rotation = any_rotation(random);
            local[j] = lmbi_joint_limit_apply(&limits[j], rest[j], local[j]);
        }
        update();
        least = fminf(least, lmb_vec3_distance(lmb_mat4_translation(model[start + 2]), target));
    }
    return least;
}

static void out_of_reach_ends_near(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(6);
    int beaten = 0;
    for (int i = 0; i < 100; ++i) {
        const uint32_t start = i % 2 ? ARM : LEG;
        make_body(&random);
        update();
        lmb_ik_two_bone_job job = job_for(start);
        const lmb_vec3 reach = lmb_quat_rotate(any_rotation(&random), v3(0.6f, 0, 0));
        job.target = lmb_vec3_add(lmb_mat4_translation(model[start]), reach);
        job.keep_end = true;
        lmb_ik_two_bone(&job);
        check_inside(start, start + 2);
        update();
        const float left = lmb_vec3_distance(lmb_mat4_translation(model[start + 2]), job.target);
        beaten += best_of_many(&random, start, job.target) < left - 0.05f;
    }
    assert_true(beaten <= 10);
}

static void degenerate_goals_stay_inside(void **state)
{
    (void)state;
    const float values[] = {0, 1, -1, 1e-20f, 1e20f, INFINITY, NAN};
    lmb_random random = lmb_random_seed(7);
    for (int i = 0; i < 7 * 7 * 7; ++i) {
        make_body(&random);
        if (i % 3 == 0) {
            rest[ELBOW].translation = local[ELBOW].translation = v3(0, 0, 0);
        }
        if (i % 5 == 0) {
            rest[HAND].translation = local[HAND].translation = v3(0, 0, 0);
        }
        draw_pose(&random, i % 2);
        update();
        lmb_ik_two_bone_job job = job_for(ARM);
        job.target = i % 7 == 6 ? lmb_mat4_translation(model[ARM])
                                : v3(values[i % 7], values[i / 7 % 7], values[i / 49]);
        job.twist_rad = values[i / 7 % 7];
        job.weight = i % 4 ? 1 : 0.5f;
        lmb_ik_two_bone(&job);
        check_inside(ARM, ELBOW);
        lmb_ik_aim_job aim = {.skeleton = &skeleton,
                              .local = local,
                              .model_from_joint = model,
                              .joint = HAND,
                              .target = job.target,
                              .forward = job.target,
                              .weight = job.weight};
        (void)lmb_ik_aim(&aim);
        check_inside(HAND, HAND);
    }
}

static void twist_rotates_the_elbow_about_the_line(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(8);
    for (int i = 0; i < 50; ++i) {
        lmb_vec3 elbow[2];
        make_body(&random);
        local[ELBOW].rotation =
            lmb_quat_mul(local[ELBOW].rotation, lmb_quat_axis_angle(limits[ELBOW].axis, 0.8f));
        update();
        const lmb_vec3 from = lmb_mat4_translation(model[ARM]),
                       target = lmb_mat4_translation(model[HAND]);
        const float twist = lmb_random_range(&random, -3, 3);
        const lmb_quat start = local[ARM].rotation, mid = local[ELBOW].rotation;
        for (int k = 0; k < 2; ++k) {
            local[ARM].rotation = start;
            local[ELBOW].rotation = mid;
            update();
            lmb_ik_two_bone_job job = job_for(ARM);
            job.target = target;
            job.free = true;
            job.twist_rad = k ? twist : 0;
            lmb_ik_two_bone(&job);
            update();
            assert_true(lmb_vec3_distance(lmb_mat4_translation(model[HAND]), target) < 1e-4f);
            elbow[k] = lmb_vec3_sub(lmb_mat4_translation(model[ELBOW]), from);
        }
        const lmb_vec3 axis = lmb_vec3_normalize_or(lmb_vec3_sub(target, from), v3(1, 0, 0));
        const lmb_vec3 want = lmb_quat_rotate(lmb_quat_axis_angle(axis, twist), elbow[0]);
        assert_true(lmb_vec3_distance(elbow[1], want) < 1e-4f);
    }
}

static void aims_inside_limits(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(9);
    int met = 0;
    for (int i = 0; i < 1000; ++i) {
        make_body(&random);
        draw_pose(&random, true);
        update();
        lmb_ik_aim_job job = {.skeleton = &skeleton,
                              .local = local,
                              .model_from_joint = model,
                              .joint = ARM,
                              .forward = lmb_quat_rotate(any_rotation(&random), v3(1, 0, 0)),
                              .offset = {0.02f, 0.01f, 0.03f},
                              .up = {0, 1, 0},
                              .weight = 1};
        job.pole = i % 2 ? v3(0, 1, 0) : v3(0, 0, 0);
        job.target = lmb_mat4_point(model[ARM], lmb_vec3_mad(job.offset, job.forward, 2));
        local[ARM].rotation = any_rotation(&random);
        update();
        const bool says = lmb_ik_aim(&job);
        check_inside(ARM, ARM);
        update();
        const lmb_vec3 eye = lmb_mat4_point(model[ARM], job.offset),
                       end = lmb_mat4_point(model[ARM], lmb_vec3_mad(job.offset, job.forward, 2));
        const bool is_met = lmb_vec3_distance(end, job.target) < 1e-3f;
        assert_true(says == is_met || lmb_vec3_distance(eye, job.target) < 0.1f);
        met += is_met;
    }
    if (met < 950) {
        fail_msg("%d of 1000 met", met);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limbs_reach_what_their_limits_allow),
        cmocka_unit_test(out_of_reach_ends_near),
        cmocka_unit_test(degenerate_goals_stay_inside),
        cmocka_unit_test(twist_rotates_the_elbow_about_the_line),
        cmocka_unit_test(aims_inside_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
