// Turns that full-body IK settles where limits stop a joint: what the linear model says of them is
// what they do.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ik/full_body.h"

// Its body would be shadowed by parameters of the header before.
#include "ik/body_fixture.h"

enum { GOALS = 4, KEPT = 4 };

static lmb_transform pose[TEST_JOINTS];

static uint32_t joint(const char *name)
{
    return (uint32_t)lmb_skeleton_find(body.skeleton, name);
}

/// Goals that follow the tree, one that does not, and a ground well under the hand.
static void set_goals(lmb_goal goals[GOALS], float ground)
{
    memset(goals, 0, GOALS * sizeof *goals);
    goals[0] = (lmb_goal){.joint = joint("leftHand"), .target = {0.4f, 1.2f, 0.5f}, .weight = 2};
    goals[1] = (lmb_goal){.kind = LMB_GOAL_LOOK_AT, .joint = joint("head"), .target = {1, 1, 3}};
    goals[2] = (lmb_goal){.kind = LMB_GOAL_DISTANCE,
                          .joint = joint("rightHand"),
                          .base = joint("leftFoot"),
                          .distance = 0.5f,
                          .weight = 3};
    goals[3] = (lmb_goal){.kind = LMB_GOAL_GROUND,
                          .joint = joint("rightHand"),
                          .offset = {-0.1f, 0, 0.05f},
                          .target = {0, ground, 0},
                          .weight = 1.5f};
}

static void plan(lmbi_body_solver *b, const lmb_ik_full_body_job *job)
{
    memcpy(pose, body.skeleton->rest, body.joint_count * sizeof *pose);
    pose[joint("leftLowerArm")].rotation =
        lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), -0.5f); // no limb is straight
    pose[joint("leftLowerLeg")].rotation = lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), 0.4f);
    memset(body.scratch, 0x3f, body.scratch_size); // floats of 0.75, which no sum may take in
    lmbi_body_set_up(b, job);
    lmbi_body_linearize(b);
    lmbi_body_axes(b);
    lmbi_body_gradient(b);
    lmbi_body_build_normal(b);
}

static uint32_t node_of(const lmbi_body_solver *b, const char *name)
{
    return (uint32_t)b->node_of[joint(name)];
}

/// Commits rotations of the root, an arm and a thigh, and applies them to b->trial.
static void settle(lmbi_body_solver *b, float scale)
{
    static const char *const names[KEPT] = {"hips", "rightUpperArm", "leftUpperLeg", "rightHand"};
    const lmb_vec3 rotations[KEPT] = {
        {0.3f, -0.5f, 1.0f}, {0.2f, 0.6f, -1.0f}, {-1.0f, 0.3f, 0.4f}, {0.5f, 0.7f, 0.9f}};
    memcpy(b->trial, b->now, b->node_count * sizeof *b->now);
    for (int k = 0; k < KEPT; ++k) {
        const uint32_t n = node_of(b, names[k]);
        const lmb_vec3 rotation = lmb_vec3_scale(rotations[k], scale);
        lmbi_body_commit(b, n, rotation);
        b->trial[n].local = lmb_quat_mul(b->now[n].local, lmbi_rotation_exp(rotation));
    }
    lmbi_body_frames(b, b->trial);
}

static lmb_ik_full_body_job job_of(const lmb_goal *goals)
{
    return (lmb_ik_full_body_job){.skeleton = body.skeleton,
                                  .local = pose,
                                  .free = true,
                                  .pinned = true,
                                  .goal_count = GOALS,
                                  .goals = goals,
                                  .scratch = body.scratch,
                                  .scratch_size = body.scratch_size};
}

static void settled_rotations_save_what_the_cost_falls_by(void **state)
{
    (void)state;
    lmb_goal goals[GOALS];
    set_goals(goals, -5);
    for (int sign = -1; sign <= 1; sign += 2) {
        lmbi_body_solver b;
        float worst, r[3];
        const lmb_ik_full_body_job job = job_of(goals);
        plan(&b, &job);
        settle(&b, (float)sign * 2e-3f);
        const float fell = lmbi_body_cost(&b, b.now, &worst) - lmbi_body_cost(&b, b.trial, &worst);
        assert_true(fabsf(b.committed_saving - fell) < 0.02f * fabsf(fell));
        // What is left of the distance is what the model holds now.
        lmbi_goal_residual(&b, &goals[2], b.trial, r);
        assert_true(fabsf(b.linears[2].r[0] - r[0]) < 1e-5f);
    }
}

/// A committed rotation changes a goal that was met only to second order.
static void settled_rotations_cost_what_they_spoil(void **state)
{
    (void)state;
    lmb_goal goals[GOALS];
    lmbi_body_solver b;
    float worst, r[3];
    set_goals(goals, -5);
    goals[0].weight = goals[1].weight = 1e-9f;
    lmb_ik_full_body_job job = job_of(goals);
    plan(&b, &job);
    lmbi_goal_residual(&b, &goals[2], b.now, r);
    goals[2].distance += r[0] * b.reach;
    plan(&b, &job);
    lmbi_goal_residual(&b, &goals[2], b.now, r);
    assert_true(fabsf(r[0]) < 1e-6f);
    settle(&b, 5e-3f);
    const float fell = lmbi_body_cost(&b, b.now, &worst) - lmbi_body_cost(&b, b.trial, &worst);
    assert_true(fell < -1e-6f);
    assert_true(fabsf(b.committed_saving - fell) < 0.05f * fabsf(fell));
}

static void a_ground_that_is_met_counts_settled_rotations(void **state)
{
    (void)state;
    lmb_goal goals[GOALS];
    set_goals(goals, 0);
    uint32_t landings = 0;
    lmb_mat4 model[TEST_JOINTS];
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = body.skeleton, .model_from_joint = model});
    goals[3].target.y = lmb_mat4_translation(model[joint("rightHand")]).y - 1e-3f;
    for (int sign = -1; sign <= 1; sign += 2) {
        lmbi_body_solver b;
        const lmb_ik_full_body_job job = job_of(goals);
        plan(&b, &job);
        settle(&b, (float)sign * 2e-2f);
        const float saved = b.committed_saving, now = lmbi_goal_height(&b, &goals[3], b.now),
                    then = lmbi_goal_height(&b, &goals[3], b.trial);
        const uint32_t landed = lmbi_body_activate_grounds(&b);
        assert_int_equal(landed, then < 0 ? 1 : 0);
        landings += landed;
        if (landed == 1) {
            assert_true(fabsf(b.linears[3].r[0] - then) < 0.05f * fabsf(then - now));
            const float lost = lmbi_goal_weight(&goals[3]) * now * now;
            assert_true(fabsf(saved - b.committed_saving - lost) < 0.02f * lost);
        }
    }
    assert_int_equal(landings, 1); // the other way the hand rises
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settled_rotations_save_what_the_cost_falls_by),
        cmocka_unit_test(settled_rotations_cost_what_they_spoil),
        cmocka_unit_test(a_ground_that_is_met_counts_settled_rotations),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
