// Whatever direction a character faces, its limits, goals and feet come out the same but for the yaw.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ik/body.h"
#include "rotated.h"

/// A character, its limits and a pose to work on: as made, and rotated.
typedef struct figure {
    lmb_character *character;
    const lmb_skeleton *skeleton;
    lmb_joint_map map;
    lmb_joint_limit limits[TEST_JOINTS];
    lmb_transform pose[TEST_JOINTS];
    lmb_mat4 model[TEST_JOINTS];
} figure;

static figure made, rotated;
static test_yaw yaw;

static void figure_start(figure *f)
{
    f->skeleton = f->character->skeleton;
    assert_int_equal(lmb_joint_map_make(f->skeleton, NULL, &f->map, NULL), LMB_OK);
    assert_int_equal(lmb_joint_map_limits(&f->map, f->skeleton, NULL, f->limits, NULL), LMB_OK);
    memcpy(f->pose, f->skeleton->rest, f->skeleton->joint_count * sizeof *f->pose);
}

static void update(figure *f)
{
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = f->skeleton, .local = f->pose, .model_from_joint = f->model});
}

static int make(void **state)
{
    (void)state;
    made.character = test_motion(LMB_MOTION_WALK);
    figure_start(&made);
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    lmb_character_destroy(made.character);
    return 0;
}

static void each_rotation(void (*check)(void))
{
    for (int k = 0; k < TEST_TURNS; ++k) {
        yaw = test_yaw_at(k);
        rotated.character = test_rotated_character(yaw, made.character);
        figure_start(&made);
        figure_start(&rotated);
        check();
        lmb_character_destroy(rotated.character);
    }
}

static void same_pose(float tolerance)
{
    const float apart =
        test_rotated_apart(yaw, made.skeleton, made.pose, rotated.skeleton, rotated.pose);
    if (!(apart <= tolerance)) {
        fail_msg("rotated in way %d, poses are %g apart", (int)yaw.how, (double)apart);
    }
}

/// Both at a time of the walk.
static void sample(double time_s)
{
    figure *const both[2] = {&made, &rotated};
    for (int k = 0; k < 2; ++k) {
        lmb_sample(&(lmb_sample_job){.clip = both[k]->character->clips[0],
                                     .time_s = time_s,
                                     .joint_count = both[k]->skeleton->joint_count,
                                     .rest = both[k]->skeleton->rest,
                                     .pose = both[k]->pose});
        update(both[k]);
    }
}

static uint32_t joint_of(lmb_human_bone bone)
{
    assert_true(made.map.bones[bone].joint >= 0);
    return (uint32_t)made.map.bones[bone].joint;
}

// ----------------------------------------------------------------------------------------- limits

static void near3(lmb_vec3 a, lmb_vec3 b)
{
    assert_true(lmb_vec3_distance(a, b) < 1e-4f);
}

static void check_limits(void)
{
    near3(lmb_joint_map_facing(&rotated.map, rotated.skeleton),
          test_rotated_vec3(yaw, lmb_joint_map_facing(&made.map, made.skeleton)));
    for (uint32_t j = 0; j < made.skeleton->joint_count; ++j) {
        const lmb_joint_limit a = test_rotated_limit(yaw, made.limits[j]), b = rotated.limits[j];
        assert_int_equal(a.kind, b.kind);
        near3(a.axis, b.axis);
        near3(a.side, b.side);
        for (int k = 0; k < 2; ++k) {
            assert_true(fabsf(a.swing_side_rad[k] - b.swing_side_rad[k]) < 1e-4f);
            assert_true(fabsf(a.swing_across_rad[k] - b.swing_across_rad[k]) < 1e-4f);
        }
        assert_true(fabsf(a.twist_min_rad - b.twist_min_rad) < 1e-4f &&
                    fabsf(a.twist_max_rad - b.twist_max_rad) < 1e-4f);
    }
}

static void limits_follow_the_facing(void **state)
{
    (void)state;
    each_rotation(check_limits);
}

/// Any facing, not only along an axis.
static void limits_follow_any_facing(void **state)
{
    (void)state;
    yaw = (test_yaw){TEST_YAW_SPACE, lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), 0.9f)};
    rotated.character = test_rotated_character(yaw, made.character);
    figure_start(&made);
    figure_start(&rotated);
    check_limits();
    lmb_character_destroy(rotated.character);
}

// ------------------------------------------------------------------------------------------ goals

static void reach(figure *f, lmb_human_bone start, lmb_vec3 target, bool mine)
{
    update(f);
    lmb_ik_two_bone(
        &(lmb_ik_two_bone_job){.skeleton = f->skeleton,
                               .local = f->pose,
                               .model_from_joint = f->model,
                               .chain = {joint_of(start), joint_of(start + 1), joint_of(start + 2)},
                               .target = mine ? target : test_rotated_vec3(yaw, target),
                               .limits = f->limits,
                               .weight = 1});
    update(f);
}

/// The direction in which the middle joint of a limb stands off the line between its ends, in the made frame.
static lmb_vec3 bend_of(const figure *f, lmb_human_bone start, bool mine)
{
    lmb_vec3 p[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = lmb_mat4_translation(f->model[joint_of(start + (lmb_human_bone)k)]);
    }
    const lmb_vec3 off = lmb_vec3_sub(p[1], lmb_vec3_lerp(p[0], p[2], 0.5f));
    test_yaw back = yaw;
    back.by = lmb_quat_conjugate(yaw.by);
    return mine ? off : test_rotated_vec3(back, off);
}

static void check_limbs(void)
{
    reach(&made, LMB_HUMAN_LEFT_UPPER_LEG, lmb_vec3_make(0.1f, 0.45f, 0.1f), true);
    reach(&rotated, LMB_HUMAN_LEFT_UPPER_LEG, lmb_vec3_make(0.1f, 0.45f, 0.1f), false);
    reach(&made, LMB_HUMAN_RIGHT_UPPER_ARM, lmb_vec3_make(-0.3f, 1.3f, 0.25f), true);
    reach(&rotated, LMB_HUMAN_RIGHT_UPPER_ARM, lmb_vec3_make(-0.3f, 1.3f, 0.25f), false);
    assert_true(bend_of(&made, LMB_HUMAN_LEFT_UPPER_LEG, true).z > 0.1f);
    assert_true(bend_of(&rotated, LMB_HUMAN_LEFT_UPPER_LEG, false).z > 0.1f);
    same_pose(1e-3f);
}

static void knees_bend_to_the_front(void **state)
{
    (void)state;
    each_rotation(check_limbs);
}

static void chain(figure *f, lmb_ik_solver solver, bool mine)
{
    static const lmb_vec3 target = {0.35f, 1.2f, 0.3f};
    const lmb_ik_end end = {.joint = joint_of(LMB_HUMAN_LEFT_HAND),
                            .target = mine ? target : test_rotated_vec3(yaw, target)};
    update(f);
    lmb_ik_chain_job job = {.skeleton = f->skeleton,
                            .local = f->pose,
                            .model_from_joint = f->model,
                            .solver = solver,
                            .root = joint_of(LMB_HUMAN_LEFT_UPPER_ARM),
                            .end_count = 1,
                            .ends = &end,
                            .limits = f->limits};
    job.scratch_size = lmb_ik_chain_scratch(&job);
    job.scratch = malloc(job.scratch_size);
    const lmb_ik_chain_report report = lmb_ik_chain(&job);
    free(job.scratch);
    assert_true(report.distance < 0.01f);
}

static void check_chains(void)
{
    for (int solver = 0; solver < LMB_IK_SOLVER_COUNT; ++solver) {
        figure_start(&made);
        figure_start(&rotated);
        chain(&made, (lmb_ik_solver)solver, true);
        chain(&rotated, (lmb_ik_solver)solver, false);
        // Solvers see single precision through different axes; those of many steps add it up.
        same_pose(solver == LMB_IK_FABRIK ? 0.02f : 5e-3f);
    }
}

static void chains_reach_alike(void **state)
{
    (void)state;
    each_rotation(check_chains);
}

static void reach_with_all(figure *f, bool mine)
{
    lmb_goal goals[4] = {
        {.joint = joint_of(LMB_HUMAN_LEFT_HAND), .target = {0.3f, 0.6f, 0.5f}},
        {.joint = joint_of(LMB_HUMAN_LEFT_FOOT), .target = {0.1f, 0.08f, 0.0f}},
        {.joint = joint_of(LMB_HUMAN_RIGHT_FOOT), .target = {-0.1f, 0.08f, 0.0f}},
        {.kind = LMB_GOAL_CENTER_OF_MASS, .target = {0, 0, 0.02f}, .mask = 5, .weight = 0.2f}};
    for (int k = 0; k < 4 && !mine; ++k) {
        goals[k].target = test_rotated_vec3(yaw, goals[k].target);
    }
    const uint32_t n = f->skeleton->joint_count;
    const size_t size = lmb_ik_full_body_scratch(n, 4);
    void *scratch = malloc(size);
    lmb_ik_full_body(&(lmb_ik_full_body_job){.skeleton = f->skeleton,
                                             .local = f->pose,
                                             .limits = f->limits,
                                             .goal_count = 4,
                                             .goals = goals,
                                             .rest_weight = 1e-4f,
                                             .scratch = scratch,
                                             .scratch_size = size});
    free(scratch);
}

static void check_bodies(void)
{
    reach_with_all(&made, true);
    reach_with_all(&rotated, false);
    same_pose(5e-3f);
}

static void whole_bodies_reach_alike(void **state)
{
    (void)state;
    each_rotation(check_bodies);
}

static void look(figure *f, bool mine)
{
    const lmb_vec3 target = {1.5f, 1.0f, 1.0f}, ahead = {0, 0, 1};
    const lmb_ik_look_link links[2] = {{joint_of(LMB_HUMAN_NECK), 0.4f, 0},
                                       {joint_of(LMB_HUMAN_HEAD), 0.6f, 0}};
    lmb_transform head;
    update(f);
    lmb_mat4_decompose(f->model[links[1].joint], &head);
    lmb_ik_look(
        &(lmb_ik_look_job){.skeleton = f->skeleton,
                           .local = f->pose,
                           .model_from_joint = f->model,
                           .link_count = 2,
                           .links = links,
                           .target = mine ? target : test_rotated_vec3(yaw, target),
                           .forward = lmb_quat_rotate(lmb_quat_conjugate(head.rotation),
                                                      lmb_joint_map_facing(&f->map, f->skeleton)),
                           .limits = f->limits,
                           .weight = 1});
    near3(lmb_joint_map_facing(&f->map, f->skeleton), mine ? ahead : test_rotated_vec3(yaw, ahead));
}

static void check_look(void)
{
    look(&made, true);
    look(&rotated, false);
    same_pose(1e-3f);
}

static void heads_rotate_alike(void **state)
{
    (void)state;
    each_rotation(check_look);
}

// ------------------------------------------------------------------------------------------- feet

/// Rises ahead, as the made body walks.
static bool ramp(void *user, lmb_vec3 p, float *height, lmb_vec3 *normal)
{
    const lmb_vec3 ahead = *(const lmb_vec3 *)user, up = {0, 1, 0};
    const float in = lmb_vec3_dot(p, ahead) - 0.5f;
    *height = in > 0 ? 0.2f * in : 0;
    *normal = lmb_vec3_normalize_or(lmb_vec3_mad(up, ahead, in > 0 ? -0.2f : 0), up);
    return true;
}

static void plant(figure *f, lmb_vec3 *ahead, lmb_plant_state *state)
{
    lmb_plant_foot feet[2];
    const lmb_vec3 left = lmb_vec3_cross(lmb_vec3_make(0, 1, 0), *ahead);
    lmb_mat4 rest[TEST_JOINTS];
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = f->skeleton, .model_from_joint = rest});
    for (int k = 0; k < 2; ++k) {
        const lmb_human_bone leg = k == 0 ? LMB_HUMAN_LEFT_UPPER_LEG : LMB_HUMAN_RIGHT_UPPER_LEG;
        lmb_transform knee;
        lmb_mat4_decompose(rest[joint_of(leg + 1)], &knee);
        const uint32_t foot = joint_of(leg + 2), toes = joint_of(leg + 3);
        feet[k] =
            (lmb_plant_foot){.upper = joint_of(leg),
                             .lower = joint_of(leg + 1),
                             .foot = foot,
                             .toe = f->skeleton->rest[toes].translation,
                             .hinge = lmb_quat_rotate(lmb_quat_conjugate(knee.rotation), left),
                             .ankle_height = lmb_mat4_translation(rest[foot]).y,
                             .toe_height = lmb_mat4_translation(rest[toes]).y};
    }
    lmb_ik_plant(&(lmb_ik_plant_job){.skeleton = f->skeleton,
                                     .local = f->pose,
                                     .model_from_joint = f->model,
                                     .hips = joint_of(LMB_HUMAN_HIPS),
                                     .foot_count = 2,
                                     .feet = feet,
                                     .ground = {ramp, ahead},
                                     .dt_s = 1.0f / 30,
                                     .state = state});
}

static void check_feet(void)
{
    lmb_plant_state states[2] = {{0}, {0}};
    lmb_vec3 ahead = {0, 0, 1}, rotated_ahead = test_rotated_vec3(yaw, ahead);
    for (int k = 0; k < 30; ++k) {
        sample(k / 30.0);
        plant(&made, &ahead, &states[0]);
        plant(&rotated, &rotated_ahead, &states[1]);
        same_pose(2e-3f);
    }
}

static void feet_are_planted_alike(void **state)
{
    (void)state;
    each_rotation(check_feet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_follow_the_facing), cmocka_unit_test(limits_follow_any_facing),
        cmocka_unit_test(knees_bend_to_the_front),  cmocka_unit_test(chains_reach_alike),
        cmocka_unit_test(whole_bodies_reach_alike), cmocka_unit_test(heads_rotate_alike),
        cmocka_unit_test(feet_are_planted_alike),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
