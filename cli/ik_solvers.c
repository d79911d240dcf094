/// The solvers behind one face.
#include "ik.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[IK_SOLVER_COUNT] = {"full-body", "two-bone", "ccd", "fabrik",
                                                   "jacobian"};

const char *ik_solver_name(ik_solver solver)
{
    return names[solver];
}

const char *ik_solver_lacks(const ik_task *task)
{
    const int32_t *parents = task->figure.character->skeleton->parents;
    if (task->solver == IK_FULL_BODY) {
        return NULL;
    }
    if (task->solver != IK_TWO_BONE) {
        return "is not part of this version";
    }
    for (uint32_t g = 0; g < task->goal_count; ++g) {
        const lmb_goal *goal = &task->goals[g].goal;
        if (task->goals[g].kept) {
            continue; // a limb that is left alone stays
        }
        if (goal->kind != LMB_GOAL_POSITION) {
            return "takes --target alone";
        }
        if (parents[goal->joint] < 0 || parents[parents[goal->joint]] < 0) {
            return "wants two bones above every goal";
        }
    }
    return NULL;
}

static ik_outcome outcome_for(const ik_task *task)
{
    const uint32_t joints = task->figure.character->skeleton->joint_count;
    ik_outcome out = {.left = cli_resize(NULL, task->goal_count, sizeof(float)),
                      .limited = cli_resize(NULL, joints, 1)};
    memset(out.limited, 0, joints);
    return out;
}

void ik_outcome_free(ik_outcome *outcome)
{
    free(outcome->left);
    free(outcome->limited);
}

static ik_outcome solve_full_body(const ik_task *task, lmb_transform *pose)
{
    const uint32_t joints = task->figure.character->skeleton->joint_count;
    ik_outcome out = outcome_for(task);
    lmb_goal *goals = cli_resize(NULL, task->goal_count, sizeof *goals);
    lmb_transform *start = cli_resize(NULL, joints, sizeof *start);
    memcpy(start, pose, joints * sizeof *start);
    for (uint32_t g = 0; g < task->goal_count; ++g) {
        goals[g] = task->goals[g].goal;
    }
    const lmb_ik_full_body_report report =
        lmb_ik_full_body(&(lmb_ik_full_body_job){.skeleton = task->figure.character->skeleton,
                                                 .local = pose,
                                                 .root = task->root,
                                                 .pinned = task->pinned,
                                                 .limits = task->figure.limits,
                                                 .free = task->figure.limits == NULL,
                                                 .goal_count = task->goal_count,
                                                 .goals = goals,
                                                 .rest_weight = 1e-6f,
                                                 .rest = start,
                                                 .max_iterations = task->most > 0 ? task->most : 60,
                                                 .scratch = task->scratch,
                                                 .scratch_size = task->scratch_size,
                                                 .residuals = out.left,
                                                 .limited = out.limited});
    out.iterations = report.iterations;
    out.limits_hit = report.limits_hit;
    free(goals);
    free(start);
    return out;
}

/// Every limb in closed form; then what lies outside a limit is brought back, and the end comes to rest where that leaves it.
static ik_outcome solve_two_bone(const ik_task *task, lmb_transform *pose)
{
    const lmb_skeleton *skeleton = task->figure.character->skeleton;
    ik_outcome out = outcome_for(task);
    lmb_mat4 *model = cli_resize(NULL, skeleton->joint_count, sizeof *model);
    for (uint32_t g = 0; g < task->goal_count; ++g) {
        if (task->goals[g].kept) {
            continue;
        }
        const uint32_t end = task->goals[g].goal.joint, mid = (uint32_t)skeleton->parents[end],
                       start = (uint32_t)skeleton->parents[mid];
        const lmb_joint_limit *limits = task->figure.limits;
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = skeleton, .local = pose, .model_from_joint = model});
        lmb_ik_two_bone(
            &(lmb_ik_two_bone_job){.skeleton = skeleton,
                                   .local = pose,
                                   .model_from_joint = model,
                                   .chain = {start, mid, end},
                                   .target = task->goals[g].goal.target,
                                   .weight = 1,

                                   .hinge = limits != NULL && limits[mid].kind == LMB_JOINT_HINGE
                                                ? limits[mid].axis
                                                : lmb_vec3_make(0, 0, 0)});
        const uint32_t turned[2] = {start, mid};
        for (int k = 0; k < 2 && limits != NULL; ++k) {
            const uint32_t j = turned[k];
            out.limited[j] =
                lmb_joint_limit_excess(&limits[j], skeleton->rest[j], pose[j], NULL) > 1e-4f;
            out.limits_hit += out.limited[j];
            pose[j] = lmb_joint_limit_apply(&limits[j], skeleton->rest[j], pose[j]);
        }
    }
    out.iterations = 1;
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = skeleton, .local = pose, .model_from_joint = model});
    for (uint32_t g = 0; g < task->goal_count; ++g) {
        out.left[g] =
            task->goals[g].kept
                ? 0.0f
                : lmb_vec3_distance(lmb_mat4_translation(model[task->goals[g].goal.joint]),
                                    task->goals[g].goal.target);
    }
    free(model);
    return out;
}

ik_outcome ik_task_solve(const ik_task *task, lmb_transform *pose)
{
    return task->solver == IK_TWO_BONE ? solve_two_bone(task, pose) : solve_full_body(task, pose);
}
