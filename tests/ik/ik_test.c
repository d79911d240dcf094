// Two-bone limbs and aiming: hand-worked angles, a sweep of goals, and nothing that is not a
// number.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "limber/ik.h"
#include "math/math.h"
#include "near.h"

#define DEG (180.0f / LMB_PI)

static lmb_vec3 v3(float x, float y, float z)
{
    return lmb_vec3_make(x, y, z);
}

/// Where mid and end are after the rotations.
static lmb_two_bone_points rotated(lmb_two_bone_points p, lmb_two_bone_rotation t)
{
    const lmb_vec3 upper = lmb_vec3_sub(p.mid, p.start), lower = lmb_vec3_sub(p.end, p.mid);
    lmb_two_bone_points q = {.start = p.start};
    q.mid = lmb_vec3_add(p.start, lmb_quat_rotate(t.start, upper));
    q.end = lmb_vec3_add(q.mid, lmb_quat_rotate(t.start, lmb_quat_rotate(t.mid, lower)));
    return q;
}

static float angle_at(lmb_vec3 a, lmb_vec3 corner, lmb_vec3 b)
{
    const lmb_vec3 u = lmb_vec3_normalize_or(lmb_vec3_sub(a, corner), v3(0, 0, 0));
    const lmb_vec3 w = lmb_vec3_normalize_or(lmb_vec3_sub(b, corner), v3(0, 0, 0));
    return lmbi_acos(lmb_vec3_dot(u, w)) * DEG;
}

static void law_of_cosines(void **state)
{
    (void)state;
    // a = b = 1: at a distance of 1.2 the knee is open by 73.7398 degrees, at sqrt 2 by 90.
    const lmb_two_bone_points leg = {v3(0, 2, 0), v3(0, 1, 0.01f), v3(0, 0, 0)};
    const float distance[2] = {1.2f, 1.41421356f}, knee[2] = {73.7398f, 90.0f},
                hip[2] = {53.1301f, 45.0f};
    for (int i = 0; i < 2; ++i) {
        const lmb_vec3 goal = v3(0, 2 - distance[i], 0);
        const lmb_two_bone_points q =
            rotated(leg, lmb_two_bone_solve(leg, goal, v3(1, 0, 0), v3(0, 0, 0), 0));
        nearf(angle_at(q.start, q.mid, q.end), knee[i], 0.02f);
        nearf(angle_at(q.mid, q.start, goal), hip[i], 0.02f);
        nearf(lmb_vec3_distance(q.end, goal), 0, 2e-6f);
        assert_true(q.mid.z > 0.1f); // it was bent forward and stays so
    }
}

/// A leg bends to a goal about its hinge +X, or towards a pole.
static lmb_two_bone_points bend_to(lmb_two_bone_points leg, lmb_vec3 goal, lmb_vec3 pole)
{
    const lmb_two_bone_points q = rotated(leg, lmb_two_bone_solve(leg, goal, v3(1, 0, 0), pole, 0));
    nearf(lmb_vec3_distance(q.end, goal), 0, 3e-6f);
    return q;
}

static void straight_limb_bends_about_its_hinge(void **state)
{
    (void)state;
    const lmb_two_bone_points leg = {v3(0, 2, 0), v3(0, 1, 0), v3(0, 0, 0)};
    // A positive rotation about +x takes a shin that hangs down backwards: the knee goes forward.
    const lmb_vec3 knee = bend_to(leg, v3(0, 0.5f, 0), v3(0, 0, 0)).mid;
    assert_true(knee.z > 0.3f);
    nearf(knee.x, 0, 1e-6f);
}

static void pole_rotates_the_knee(void **state)
{
    (void)state;
    const lmb_two_bone_points leg = {v3(0, 2, 0), v3(0, 1, 0.1f), v3(0, 0, 0)};
    assert_true(bend_to(leg, v3(0.2f, 0.7f, 0.1f), v3(1, 0, 0)).mid.x > 0.5f);
}

static void every_goal_in_reach_is_met(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(11);
    for (int i = 0; i < 20000; ++i) {
        const float a = lmb_random_range(&random, 0.1f, 2), b = lmb_random_range(&random, 0.1f, 2);
        lmb_two_bone_points p = {.start = v3(lmb_random_range(&random, -1, 1), 0, 0)};
        const lmb_vec3 u = lmb_vec3_normalize_or(
            v3(lmb_random_range(&random, -1, 1), lmb_random_range(&random, -1, 1), 0.1f),
            v3(1, 0, 0));
        const lmb_vec3 w = lmb_vec3_normalize_or(
            v3(lmb_random_range(&random, -1, 1), -0.3f, lmb_random_range(&random, -1, 1)),
            v3(1, 0, 0));
        p.mid = lmb_vec3_mad(p.start, u, a);
        p.end = lmb_vec3_mad(p.mid, w, b);
        const float d =
            fabsf(a - b) + (a + b - fabsf(a - b)) * lmb_random_range(&random, 0.02f, 0.999f);
        const lmb_vec3 towards = lmb_vec3_normalize_or(v3(lmb_random_range(&random, -1, 1),
                                                          lmb_random_range(&random, -1, 1),
                                                          lmb_random_range(&random, -1, 1)),
                                                       v3(1, 0, 0));
        const lmb_vec3 goal = lmb_vec3_mad(p.start, towards, d);
        const lmb_two_bone_rotation t = lmb_two_bone_solve(p, goal, v3(1, 0, 0), v3(0, 0, 0), 0);
        const lmb_two_bone_points q = rotated(p, t);
        nearf(lmb_vec3_distance(q.end, goal), 0, 5e-5f * (a + b));
        nearf(lmb_vec3_distance(q.mid, p.start), a, 1e-5f * (a + b));
        assert_true(t.reach < 1.0f);
    }
}

static bool quat_is_unit(lmb_quat q)
{
    return fabsf(lmb_quat_dot(q, q) - 1.0f) < 1e-4f;
}

static void never_not_a_number(void **state)
{
    (void)state;
    const float values[] = {0, 1, -1, 1e-20f, 1e20f, INFINITY, NAN};
    const int n = sizeof(values) / sizeof(values[0]);
    for (int i = 0; i < n * n * n * n; ++i) {
        const float a = values[i % n], b = values[i / n % n], c = values[i / n / n % n],
                    d = values[i / n / n / n];
        const lmb_two_bone_points p = {v3(0, 0, 0), v3(0, isfinite(d) ? d : 0, 0),
                                       v3(isfinite(c) ? c : 0, 0, isfinite(d) ? -d : 1)};
        const lmb_two_bone_rotation t =
            lmb_two_bone_solve(p, v3(a, b, 0), v3(c, 0, 0), v3(0, isfinite(a) ? a : 0, 0), 0.1f);
        if (!quat_is_unit(t.start) || !quat_is_unit(t.mid)) {
            fail_msg("not a rotation for %g %g %g %g", (double)a, (double)b, (double)c, (double)d);
        }
    }
}

static void soft_reach_never_locks_and_never_jumps(void **state)
{
    (void)state;
    const lmb_two_bone_points leg = {v3(0, 2, 0), v3(0, 1, 0.1f), v3(0, 0, 0)};
    const float length = 2.0f * lmb_vec3_distance(leg.start, leg.mid);
    float before = -1;
    for (int i = 0; i <= 400; ++i) {
        const float d = 1.5f + (float)i * 0.0025f;
        const lmb_two_bone_points q =
            rotated(leg, lmb_two_bone_solve(leg, v3(0, 2 - d, 0), v3(1, 0, 0), v3(0, 0, 0), 0.1f));
        const float reached = lmb_vec3_distance(q.end, q.start);
        assert_true(reached < length && reached > before - 1e-6f);
        assert_true(before < 0 || reached - before < 0.0026f); // never faster than the goal
        if (d < 0.9f * length) {
            nearf(reached, d, 1e-5f);
        }
        before = reached;
    }
}

// ------------------------------------------------------------------------------------------- jobs

enum { JOINTS = 5 };

/// A body that is rotated and scaled, a thigh, a twist bone, a shin and a foot under it, all with
/// rolled axes.
static void rolled_leg(lmb_transform local[JOINTS])
{
    const lmb_quat roll =
        lmb_quat_axis_angle(lmb_vec3_normalize_or(v3(1, 2, 3), v3(1, 0, 0)), 1.1f);
    for (int j = 0; j < JOINTS; ++j) {
        local[j] = lmb_transform_identity();
        local[j].rotation = j % 2 ? roll : lmb_quat_conjugate(roll);
    }
    local[0].scale = v3(2, 2, 2);
    local[1].translation = v3(0.1f, 0.9f, 0);
    local[2].translation = v3(0, -0.2f, 0.03f);
    local[3].translation = v3(0, -0.2f, -0.05f);
    local[4].translation = v3(0.02f, -0.4f, 0.02f);
}

static void job_moves_a_chain_with_a_joint_between(void **state)
{
    (void)state;
    int32_t parents[JOINTS] = {-1, 0, 1, 2, 3};
    lmb_transform rest[JOINTS], local[JOINTS];
    const char *names[JOINTS] = {"body", "thigh", "twist", "shin", "foot"};
    rolled_leg(rest);
    rolled_leg(local);
    const lmb_skeleton skeleton = {
        .joint_count = JOINTS, .parents = parents, .rest = rest, .names = names};
    lmb_mat4 model[JOINTS], after[JOINTS];
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = &skeleton, .local = local, .model_from_joint = model});
    const lmb_vec3 hip = lmb_mat4_translation(model[1]), foot = lmb_mat4_translation(model[4]);
    const lmb_vec3 goal = lmb_vec3_add(lmb_vec3_lerp(hip, foot, 0.8f), v3(0.1f, 0, 0.2f));
    lmb_ik_two_bone_job job = {&skeleton,   local,       model, {1, 3, 4}, goal,
                               v3(0, 0, 0), v3(1, 0, 0), 0,     1,         true};
    assert_true(lmb_ik_two_bone(&job) < 1);
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = &skeleton, .local = local, .model_from_joint = after});
    nearf(lmb_vec3_distance(lmb_mat4_translation(after[4]), goal), 0, 1e-5f);
    for (int k = 0; k < 3; ++k) {
        nearf(after[4].m[k], model[4].m[k], 1e-5f); // the foot keeps its orientation
    }
    rolled_leg(local);
    job.weight = 0;
    lmb_ik_two_bone(&job);
    nearf(local[1].rotation.x, rest[1].rotation.x, 0);
}

static void aim_known_answer(void **state)
{
    (void)state;
    // f = x, target (1, 1, 0): 45 degrees about z. An eye off the axis: the ray, not the joint,
    // meets the target.
    int32_t parents[1] = {-1};
    lmb_transform local[1] = {lmb_transform_identity()};
    const char *names[1] = {"head"};
    const lmb_skeleton skeleton = {
        .joint_count = 1, .parents = parents, .rest = local, .names = names};
    const lmb_mat4 model = lmb_mat4_identity();
    lmb_ik_aim_job job = {.skeleton = &skeleton,
                          .local = local,
                          .model_from_joint = &model,
                          .target = v3(1, 1, 0),
                          .forward = v3(1, 0, 0),
                          .weight = 1};
    assert_true(lmb_ik_aim(&job));
    nearf(local[0].rotation.z, 0.38268343f, 1e-6f);
    job.offset = v3(0, 0.2f, 0.1f);
    assert_true(lmb_ik_aim(&job));
    const lmb_vec3 eye = lmb_quat_rotate(local[0].rotation, job.offset),
                   ray = lmb_quat_rotate(local[0].rotation, job.forward);
    const lmb_vec3 to = lmb_vec3_sub(job.target, eye);
    nearf(lmb_vec3_length(lmb_vec3_cross(ray, to)), 0, 1e-5f);
    job.offset = v3(0, 3, 0);
    assert_false(lmb_ik_aim(&job));
    assert_true(quat_is_unit(local[0].rotation));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_of_cosines),
        cmocka_unit_test(straight_limb_bends_about_its_hinge),
        cmocka_unit_test(pole_rotates_the_knee),
        cmocka_unit_test(every_goal_in_reach_is_met),
        cmocka_unit_test(never_not_a_number),
        cmocka_unit_test(soft_reach_never_locks_and_never_jumps),
        cmocka_unit_test(job_moves_a_chain_with_a_joint_between),
        cmocka_unit_test(aim_known_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
