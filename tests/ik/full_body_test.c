// Full-body IK: poses recovered, every kind of goal met, limits kept, nothing that is not a number,
// the same bits every time.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "asset/asset.h"
#include "ik/body_fixture.h"

static lmb_transform pose[TEST_JOINTS];
static lmb_mat4 model[TEST_JOINTS];
static float left[TEST_JOINTS];

static lmb_ik_full_body_job job_of(const lmb_goal *goals, uint32_t count)
{
    return (lmb_ik_full_body_job){.skeleton = body.skeleton,
                                  .local = pose,
                                  .limits = body.limits,
                                  .goal_count = count,
                                  .goals = goals,
                                  .scratch = body.scratch,
                                  .scratch_size = body.scratch_size,
                                  .residuals = left};
}

/// Solves, and looks at what every solve must keep: rotations, bones, limits.
static lmb_ik_full_body_report solve(const lmb_ik_full_body_job *job)
{
    const lmb_ik_full_body_report report = lmb_ik_full_body(job);
    for (uint32_t j = 0; j < body.joint_count; ++j) {
        const lmb_quat q = pose[j].rotation;
        if (!(fabsf(lmb_quat_dot(q, q) - 1.0f) < 1e-4f) ||
            !lmb_vec3_is_finite(pose[j].translation)) {
            fail_msg("%s is no transform", body.skeleton->names[j]);
        }
        const lmb_vec3 bone = lmb_vec3_sub(pose[j].translation, body.skeleton->rest[j].translation);
        assert_true(j == 0 || lmb_vec3_length(bone) < 1e-7f);
        if (!job->free) {
            const float excess =
                lmbi_joint_limit_excess(&body.limits[j], body.skeleton->rest[j], pose[j], NULL);
            if (excess > 1e-5f) {
                fail_msg("%s is out of its limit by %g rad", body.skeleton->names[j],
                         (double)excess);
            }
        }
    }
    test_model(&body, pose, model);
    return report;
}

static void rest(void)
{
    memcpy(pose, body.skeleton->rest, body.joint_count * sizeof(*pose));
}

static float missed(const lmb_goal *goal)
{
    return lmb_vec3_distance(lmb_mat4_point(model[goal->joint], goal->offset), goal->target);
}

static lmb_goal goal_at(const char *joint, float x, float y, float z)
{
    return (lmb_goal){.joint = test_joint(&body, joint), .target = {x, y, z}};
}

// ------------------------------------------------------------------------------------- recovering

static void poses_come_back_from_all_joints(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(5);
    int lost = 0;
    for (int k = 0; k < 1000; ++k) {
        lmb_goal goals[TEST_JOINTS];
        test_pose_random(&body, &random, pose);
        test_model(&body, pose, model);
        for (uint32_t j = 0; j < body.joint_count; ++j) {
            goals[j] = test_goal_at(j, model);
        }
        rest();
        lmb_ik_full_body_job job = job_of(goals, body.joint_count);
        job.tolerance = 5e-5f;
        const lmb_ik_full_body_report report = solve(&job);
        float sum = 0.0f;
        for (uint32_t j = 0; j < body.joint_count; ++j) {
            const float off = missed(&goals[j]);
            assert_true(fabsf(off - left[j]) <
                        2e-5f); // the report says what forward kinematics says
            sum += off * off;
        }
        assert_true(report.iterations <= 15);
        lost += sqrtf(sum / (float)body.joint_count) > 1e-4f * body.height ? 1 : 0;
    }
    if (lost > 0) {
        fail_msg("%d of 1000 not recovered to 1e-4 of the height", lost);
    }
}

static void ends_come_back_from_ends(void **state)
{
    (void)state;
    static const char *const ends[6] = {"leftHand",  "rightHand", "leftFoot",
                                        "rightFoot", "head",      "hips"};
    lmb_random random = lmb_random_seed(6);
    int lost = 0;
    for (int k = 0; k < 1000; ++k) {
        lmb_goal goals[6];
        test_pose_random(&body, &random, pose);
        test_model(&body, pose, model);
        for (int e = 0; e < 6; ++e) {
            goals[e] = test_goal_at(test_joint(&body, ends[e]), model);
        }
        rest();
        lmb_ik_full_body_job job = job_of(goals, 6);
        job.max_iterations = 1000;
        solve(&job);
        for (int e = 0; e < 6; ++e) {
            if (missed(&goals[e]) > 1e-3f) {
                ++lost;
                break;
            }
        }
    }
    // Poses with half of the joints at their limits can be caught in a corner of them: a few take
    // several starts.
    if (lost > 0) {
        fail_msg("%d of 1000 have an end more than 1 mm off", lost);
    }
}

// -------------------------------------------------------------------------------------- the goals

static void an_orientation_is_taken(void **state)
{
    (void)state;
    rest();
    lmb_goal goal = {.kind = LMB_GOAL_ORIENTATION, .joint = test_joint(&body, "leftHand")};
    goal.rotation = lmb_quat_axis_angle(
        lmb_vec3_normalize_or(lmb_vec3_make(1, 1, 0), lmb_vec3_make(1, 0, 0)), 1.2f);
    const lmb_ik_full_body_job job = job_of(&goal, 1);
    assert_true(solve(&job).met);
    lmb_transform t;
    lmb_mat4_decompose(model[goal.joint], &t);
    assert_true(lmb_quat_angle(t.rotation, goal.rotation) < 2e-4f);
}

static void a_gaze_meets_its_target(void **state)
{
    (void)state;
    rest();
    lmb_goal goals[2] = {goal_at("hips", 0, 0.95f, 0), goal_at("head", 1, 2, 1)};
    goals[1].kind = LMB_GOAL_LOOK_AT;
    goals[1].offset = lmb_vec3_make(0, 0.08f, 0.1f);
    const lmb_ik_full_body_job job = job_of(goals, 2);
    solve(&job);
    const lmb_vec3 eye = lmb_mat4_point(model[goals[1].joint], goals[1].offset),
                   gaze = lmb_mat4_vector(model[goals[1].joint], lmb_vec3_make(0, 0, 1));
    const lmb_vec3 towards = lmb_vec3_normalize_or(lmb_vec3_sub(goals[1].target, eye), gaze);
    assert_true(lmb_vec3_distance(gaze, towards) < 1e-3f);
    assert_true(fabsf(left[1] - lmb_vec3_distance(gaze, towards)) < 1e-4f);
}

static void a_pole_pulls_the_elbow_round(void **state)
{
    (void)state;
    for (int side = 0; side < 2; ++side) {
        rest();
        lmb_goal goals[2] = {
            goal_at("leftHand", 0.4f, 1.3f, 0.25f),
            goal_at("leftLowerArm", 0, side == 0 ? -1 : 0, side == 0 ? 0.0f : -1.0f)};
        goals[1].kind = LMB_GOAL_POLE;
        goals[1].base = test_joint(&body, "leftUpperArm");
        goals[1].tip = test_joint(&body, "leftHand");
        lmb_ik_full_body_job job = job_of(goals, 2);
        job.root = goals[1].base;
        job.pinned = true;
        job.max_iterations = 30;
        solve(&job);
        assert_true(missed(&goals[0]) < 2e-3f);
        const lmb_vec3 base = lmb_mat4_translation(model[goals[1].base]),
                       tip = lmb_mat4_translation(model[goals[1].tip]);
        const lmb_vec3 along =
                           lmb_vec3_normalize_or(lmb_vec3_sub(tip, base), lmb_vec3_make(1, 0, 0)),
                       elbow = lmb_vec3_sub(lmb_mat4_translation(model[goals[1].joint]), base);
        const lmb_vec3 off = lmb_vec3_mad(elbow, along, -lmb_vec3_dot(elbow, along)),
                       pole = lmb_vec3_mad(goals[1].target, along,
                                           -lmb_vec3_dot(goals[1].target, along));
        assert_true(lmb_vec3_dot(lmb_vec3_normalize_or(off, along),
                                 lmb_vec3_normalize_or(pole, along)) > 0.999f);
    }
}

static void hands_touch_and_keep_their_distance(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        rest();
        lmb_goal goals[2] = {goal_at("hips", 0, 0.95f, 0),
                             {.kind = LMB_GOAL_DISTANCE,
                              .joint = test_joint(&body, "leftHand"),
                              .base = test_joint(&body, "rightHand")}};
        goals[1].distance = k == 0 ? 0.0f : 0.4f;
        lmb_ik_full_body_job job = job_of(goals, 2);
        job.max_iterations = 40;
        solve(&job);
        const float apart = lmb_vec3_distance(lmb_mat4_translation(model[goals[1].joint]),
                                              lmb_mat4_translation(model[goals[1].base]));
        assert_true(fabsf(apart - goals[1].distance) < 1e-3f);
    }
}

static void nothing_goes_under_the_ground(void **state)
{
    (void)state;
    rest();
    lmb_goal goals[3] = {goal_at("hips", 0, 0.6f, 0),
                         {.kind = LMB_GOAL_GROUND,
                          .joint = test_joint(&body, "leftFoot"),
                          .target = {0, 0.08f, 0},
                          .weight = 100},
                         {.kind = LMB_GOAL_GROUND,
                          .joint = test_joint(&body, "rightFoot"),
                          .target = {0, 0.08f, 0},
                          .weight = 100}};
    lmb_ik_full_body_job job = job_of(goals, 3);
    job.max_iterations = 40;
    solve(&job);
    assert_true(missed(&goals[0]) < 2e-3f);
    for (int k = 1; k < 3; ++k) {
        assert_true(lmb_mat4_translation(model[goals[k].joint]).y > 0.079f);
    }
}

/// Two links of one metre and equal masses at their ends: bent by an angle about z at the second
/// joint, their centre is at (1 + (1 + cos)) / 2 .. so that a centre at x = 1.25, of masses at both
/// ends, needs cos = 1/2.
static void the_centre_of_mass_is_where_the_cosine_says(void **state)
{
    (void)state;
    int32_t parents[3] = {LMB_NONE, 0, 1};
    lmb_transform at[3] = {lmb_transform_identity(), lmb_transform_identity(),
                           lmb_transform_identity()},
                  local[3];
    const char *names[3] = {"a", "b", "c"};
    at[1].translation.x = at[2].translation.x = 1.0f;
    const lmb_skeleton arm = {.joint_count = 3, .parents = parents, .rest = at, .names = names};
    const lmb_joint_limit limits[3] = {
        {.kind = LMB_JOINT_FIXED},
        {.kind = LMB_JOINT_HINGE, .axis = {0, 0, 1}, .twist_min_rad = -3, .twist_max_rad = 3},
        {.kind = LMB_JOINT_FIXED}};
    const float masses[3] = {0, 1, 1};
    const lmb_goal goal = {.kind = LMB_GOAL_CENTER_OF_MASS, .target = {1.25f, 9, 9}, .mask = 1};
    memcpy(local, at, sizeof(at));
    local[1].rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 0.3f);
    const lmb_ik_full_body_job job = {.skeleton = &arm,
                                      .local = local,
                                      .pinned = true,
                                      .limits = limits,
                                      .goal_count = 1,
                                      .goals = &goal,
                                      .masses = masses,
                                      .scratch = body.scratch,
                                      .scratch_size = body.scratch_size,
                                      .residuals = left};
    const lmb_ik_full_body_report report = lmb_ik_full_body(&job);
    assert_int_equal(report.freedoms, 1);
    assert_true(report.met && left[0] < 2e-4f);
    assert_true(fabsf(lmb_quat_angle(local[1].rotation, lmb_quat_identity()) - LMB_PI / 3) < 1e-3f);
}

static void what_comes_first_is_met_first(void **state)
{
    (void)state;
    rest();
    lmb_goal goals[3] = {goal_at("leftHand", 0.3f, 1.3f, 0.4f),
                         goal_at("leftHand", 0.3f, 0.9f, 0.4f), goal_at("hips", 0, 0.95f, 0)};
    goals[1].priority = 2;
    const lmb_ik_full_body_job job = job_of(goals, 3);
    solve(&job);
    assert_true(missed(&goals[0]) < 1e-3f && fabsf(missed(&goals[1]) - 0.4f) < 1e-3f);
}

// --------------------------------------------------------------------------------- hard questions

static void a_straight_arm_bends_to_a_target_on_itself(void **state)
{
    (void)state;
    for (int limited = 0; limited < 2; ++limited) {
        rest();
        test_model(&body, pose, model);
        const uint32_t root = test_joint(&body, "leftUpperArm"),
                       hand = test_joint(&body, "leftHand");
        const lmb_vec3 from = lmb_mat4_translation(model[root]),
                       to = lmb_mat4_translation(model[hand]);
        const lmb_goal goal = {.joint = hand, .target = lmb_vec3_lerp(from, to, 0.7f)};
        lmb_ik_full_body_job job = job_of(&goal, 1);
        job.root = root;
        job.pinned = true;
        job.free = limited == 0;
        solve(&job);
        assert_true(missed(&goal) < 1e-3f);
    }
}

/// A target that wanders out of reach and back: the arm stretches towards it, and no joint rotates
/// faster than the target makes it.
static void out_of_reach_is_no_flail(void **state)
{
    (void)state;
    rest();
    lmb_transform before[TEST_JOINTS];
    float fastest = 0.0f;
    for (int f = 0; f < 240; ++f) {
        const float t = (float)f / 60.0f;
        const lmb_goal goals[2] = {goal_at("rightHand", -1.2f + 0.7f * lmb_cos(1.5f * t),
                                           1.3f + 0.6f * lmb_sin(1.1f * t), 0.3f),
                                   goal_at("hips", 0, 0.95f, 0)};
        memcpy(before, pose, sizeof(before));
        lmb_ik_full_body_job job = job_of(goals, 2);
        job.previous = before;
        job.smooth_weight = 1e-4f;
        solve(&job);
        for (uint32_t j = 0; f > 0 && j < body.joint_count; ++j) {
            fastest = fmaxf(fastest, lmb_quat_angle(before[j].rotation, pose[j].rotation));
        }
    }
    if (fastest > 0.25f) {
        fail_msg("a joint rotates by %g rad in a frame", (double)fastest);
    }
}

static void bad_numbers_are_passed_over(void **state)
{
    (void)state;
    const float values[6] = {NAN, INFINITY, -INFINITY, 1e30f, 0.0f, 1e-30f};
    for (int kind = 0; kind <= LMB_GOAL_CENTER_OF_MASS; ++kind) {
        for (int v = 0; v < 6 * 4; ++v) {
            rest();
            lmb_goal goals[2] = {{.kind = (lmb_goal_kind)kind,
                                  .joint = test_joint(&body, "leftLowerArm"),
                                  .base = test_joint(&body, "leftUpperArm"),
                                  .tip = test_joint(&body, "leftHand"),
                                  .rotation = lmb_quat_identity()},
                                 goal_at("hips", 0, 0.95f, 0)};
            const float x = values[v % 6];
            *(v / 6 == 0   ? &goals[0].target.x
              : v / 6 == 1 ? &goals[0].offset.y
              : v / 6 == 2 ? &goals[0].rotation.z
                           : &goals[0].distance) = x;
            const lmb_ik_full_body_job job = job_of(goals, 2);
            solve(&job);
        }
    }
}

static void contradictions_end_in_between(void **state)
{
    (void)state;
    rest();
    const lmb_goal goals[3] = {goal_at("leftHand", 0.4f, 1.4f, 0.3f),
                               goal_at("leftHand", 0.4f, 1.2f, 0.3f), goal_at("hips", 0, 0.95f, 0)};
    const lmb_ik_full_body_job job = job_of(goals, 3);
    const lmb_ik_full_body_report report = solve(&job);
    assert_false(report.met);
    assert_true(fabsf(missed(&goals[0]) - 0.1f) < 2e-3f && fabsf(missed(&goals[1]) - 0.1f) < 2e-3f);
}

// --------------------------------------------------------------------------- what must not matter

static void solve_arm_swing(float scale, lmb_vec3 origin, lmb_transform *out)
{
    for (uint32_t j = 0; j < body.joint_count; ++j) {
        pose[j] = body.skeleton->rest[j];
        pose[j].translation = lmb_vec3_scale(pose[j].translation, scale);
    }
    pose[0].translation = lmb_vec3_add(pose[0].translation, origin);
    lmb_goal goals[2] = {goal_at("leftHand", 0.35f, 1.25f, 0.3f),
                         goal_at("rightFoot", -0.1f, 0.4f, 0.3f)};
    for (int k = 0; k < 2; ++k) {
        goals[k].target = lmb_vec3_add(lmb_vec3_scale(goals[k].target, scale), origin);
    }
    const lmb_ik_full_body_job job = job_of(goals, 2);
    assert_true(lmb_ik_full_body(&job).met);
    memcpy(out, pose, body.joint_count * sizeof(*out));
}

static void units_and_positions_do_not_matter(void **state)
{
    (void)state;
    lmb_transform one[TEST_JOINTS], other[TEST_JOINTS];
    solve_arm_swing(1, lmb_vec3_make(0, 0, 0), one);
    solve_arm_swing(100, lmb_vec3_make(0, 0, 0), other);
    for (uint32_t j = 0; j < body.joint_count; ++j) {
        assert_true(lmb_quat_angle(one[j].rotation, other[j].rotation) < 1e-3f);
    }
    solve_arm_swing(1, lmb_vec3_make(512, 0, -1024), other);
    for (uint32_t j = 0; j < body.joint_count; ++j) {
        assert_true(lmb_quat_angle(one[j].rotation, other[j].rotation) < 5e-3f);
    }
}

static void what_lies_in_the_scratch_does_not_matter(void **state)
{
    (void)state;
    lmb_transform first[TEST_JOINTS];
    for (int k = 0; k < 2; ++k) {
        memset(body.scratch, k == 0 ? 0 : 0xff, body.scratch_size);
        rest();
        lmb_goal goals[4] = {goal_at("leftHand", 0.35f, 1.25f, 0.3f),
                             goal_at("head", 1, 1, 1),
                             goal_at("rightFoot", -0.1f, 0.4f, 0.3f),
                             {.kind = LMB_GOAL_CENTER_OF_MASS, .target = {0.1f, 0, 0}, .mask = 1}};
        goals[1].kind = LMB_GOAL_LOOK_AT;
        lmb_ik_full_body_job job = job_of(goals, 4);
        job.rest_weight = 1e-5f;
        solve(&job);
        if (k == 0) {
            memcpy(first, pose, sizeof(first));
        }
    }
    assert_memory_equal(first, pose, body.joint_count * sizeof(*pose));
}

static void what_hangs_elsewhere_stays(void **state)
{
    (void)state;
    rest();
    const lmb_goal goal = goal_at("leftHand", 0.35f, 1.25f, 0.3f);
    const lmb_ik_full_body_job job = job_of(&goal, 1);
    solve(&job);
    const uint32_t still[3] = {test_joint(&body, "rightUpperArm"),
                               test_joint(&body, "leftUpperLeg"), test_joint(&body, "neck")};
    for (int k = 0; k < 3; ++k) {
        assert_memory_equal(&pose[still[k]], &body.skeleton->rest[still[k]], sizeof(*pose));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_come_back_from_all_joints),
        cmocka_unit_test(ends_come_back_from_ends),
        cmocka_unit_test(an_orientation_is_taken),
        cmocka_unit_test(a_gaze_meets_its_target),
        cmocka_unit_test(a_pole_pulls_the_elbow_round),
        cmocka_unit_test(hands_touch_and_keep_their_distance),
        cmocka_unit_test(nothing_goes_under_the_ground),
        cmocka_unit_test(the_centre_of_mass_is_where_the_cosine_says),
        cmocka_unit_test(what_comes_first_is_met_first),
        cmocka_unit_test(a_straight_arm_bends_to_a_target_on_itself),
        cmocka_unit_test(out_of_reach_is_no_flail),
        cmocka_unit_test(bad_numbers_are_passed_over),
        cmocka_unit_test(contradictions_end_in_between),
        cmocka_unit_test(units_and_positions_do_not_matter),
        cmocka_unit_test(what_lies_in_the_scratch_does_not_matter),
        cmocka_unit_test(what_hangs_elsewhere_stays),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
