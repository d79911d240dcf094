// Skeletons of many joints: time and memory grow with the joints between root and ends.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limber/ik.h"

enum { JOINTS = 300000, BRANCHES = 2, LENGTH = (JOINTS - 1) / BRANCHES };

/// Two branches of bones of a millimetre, whose joints alternate in the list.
typedef struct fork {
    lmb_skeleton skeleton;
    int32_t *parents;
    const char **names;
    lmb_transform *rest, *local;
    lmb_mat4 *model;
} fork;

static void *take(size_t count, size_t size)
{
    void *block = malloc(count * size);
    assert_non_null(block);
    return block;
}

static fork fork_make(void)
{
    fork f = {.parents = take(JOINTS, sizeof *f.parents),
              .names = take(JOINTS, sizeof *f.names),
              .rest = take(JOINTS, sizeof *f.rest),
              .local = take(JOINTS, sizeof *f.local),
              .model = take(JOINTS, sizeof *f.model)};
    for (int32_t j = 0; j < JOINTS; ++j) {
        f.parents[j] = j == 0 ? LMB_NONE : j <= BRANCHES ? 0 : j - BRANCHES;
        f.names[j] = "bone";
        f.rest[j] = lmb_transform_identity();
        f.rest[j].translation = lmb_vec3_make(j % 2 == 0 ? 1e-3f : -1e-3f, 1e-3f, 0);
    }
    f.skeleton = (lmb_skeleton){
        .joint_count = JOINTS, .parents = f.parents, .rest = f.rest, .names = f.names};
    memcpy(f.local, f.rest, JOINTS * sizeof *f.local);
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = &f.skeleton, .local = f.local, .model_from_joint = f.model});
    return f;
}

static void fork_free(fork *f)
{
    free(f->parents);
    free(f->names);
    free(f->rest);
    free(f->local);
    free(f->model);
}

static void two_long_paths_are_one_tree(void **state)
{
    (void)state;
    fork f = fork_make();
    const lmb_ik_end ends[2] = {
        {.joint = JOINTS - 1, .target = {-0.5f * LENGTH * 1e-3f, 0.5f * LENGTH * 1e-3f, 0}},
        {.joint = JOINTS - 2, .target = {0.5f * LENGTH * 1e-3f, 0.5f * LENGTH * 1e-3f, 0}}};
    lmb_ik_chain_job job = {.skeleton = &f.skeleton,
                            .local = f.local,
                            .model_from_joint = f.model,
                            .solver = LMB_IK_FABRIK,
                            .end_count = 2,
                            .ends = ends,
                            .tolerance = 0.1f,
                            .max_iterations = 3};
    job.scratch_size = lmb_ik_chain_scratch(&job);
    job.scratch = take(job.scratch_size, 1);
    const lmb_ik_chain_report report = lmb_ik_chain(&job);
    assert_true(report.reached);
    assert_false(report.out_of_reach);
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = &f.skeleton, .local = f.local, .model_from_joint = f.model});
    for (int e = 0; e < 2; ++e) { // both have come nearer than they began
        const uint32_t end = ends[e].joint;
        const lmb_vec3 is = lmb_mat4_translation(f.model[end]);
        const float began = 0.5f * LENGTH * 1e-3f * sqrtf(2);
        assert_true(lmb_vec3_distance(is, ends[e].target) < 0.9f * began);
    }
    free(job.scratch);
    fork_free(&f);
}

static void a_body_solve_takes_memory_for_what_moves(void **state)
{
    (void)state;
    fork f = fork_make();
    const uint32_t root = JOINTS - 1 - 4 * BRANCHES;
    const lmb_vec3 from = lmb_mat4_translation(f.model[root]);
    const lmb_goal goals[2] = {{.kind = LMB_GOAL_POSITION,
                                .joint = JOINTS - 1,
                                .target = lmb_vec3_add(from, lmb_vec3_make(3e-3f, 2e-3f, 0))},
                               {.kind = LMB_GOAL_DISTANCE,
                                .joint = JOINTS - 1,
                                .base = JOINTS - 1 - BRANCHES,
                                .distance = 1e-3f * sqrtf(2)}};
    lmb_ik_full_body_job job = {.skeleton = &f.skeleton,
                                .local = f.local,
                                .root = root,
                                .pinned = true,
                                .goal_count = 2,
                                .goals = goals};
    job.scratch_size = lmb_ik_full_body_job_scratch(&job);
    assert_true(job.scratch_size < (size_t)JOINTS * 1000);
    job.scratch = take(job.scratch_size, 1);
    const lmb_ik_full_body_report report = lmb_ik_full_body(&job);
    assert_true(report.met);
    assert_int_equal(report.freedoms, 15);
    free(job.scratch);
    fork_free(&f);
}

static void the_whole_of_a_long_path_is_counted(void **state)
{
    (void)state;
    fork f = fork_make();
    lmb_goal goal = {.kind = LMB_GOAL_POSITION, .joint = 2 * BRANCHES};
    lmb_ik_full_body_job job = {.skeleton = &f.skeleton, .goal_count = 1, .goals = &goal};
    const size_t few = lmb_ik_full_body_job_scratch(&job);
    goal.base = 200 * BRANCHES; // which a position does not have
    assert_int_equal(lmb_ik_full_body_job_scratch(&job), few);
    goal.kind = LMB_GOAL_DISTANCE;
    const size_t more = lmb_ik_full_body_job_scratch(&job);
    assert_true(more > few + (size_t)36 * 200 * 200);
    goal.kind = LMB_GOAL_POLE;
    goal.tip = 400 * BRANCHES;
    assert_true(lmb_ik_full_body_job_scratch(&job) > more + (size_t)36 * 400 * 400);
    goal = (lmb_goal){.kind = LMB_GOAL_CENTER_OF_MASS};
    assert_int_equal(lmb_ik_full_body_job_scratch(&job), lmb_ik_full_body_scratch(JOINTS, 1));
    assert_true(sizeof(size_t) < 8 ||
                (double)lmb_ik_full_body_scratch(JOINTS, 1) > 36.0 * JOINTS * JOINTS);
    assert_true(sizeof(size_t) >= 8 || lmb_ik_full_body_scratch(JOINTS, 1) == SIZE_MAX);
    fork_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_long_paths_are_one_tree),
        cmocka_unit_test(a_body_solve_takes_memory_for_what_moves),
        cmocka_unit_test(the_whole_of_a_long_path_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
