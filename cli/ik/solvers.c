/// The solvers behind one interface.
#include "cli/ik/ik.h"

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
    for (uint32_t g = 0; g < task->goal_count; ++g) {
        const lmb_goal *goal = &task->goals[g].goal;
        if (task->goals[g].kept) {
            continue; // a limb that is left alone stays
        }
        if (goal->kind != LMB_GOAL_POSITION) {
            return "takes --target alone";
        }
        const bool short_of_bones = parents[goal->joint] < 0 || parents[parents[goal->joint]] < 0;
        if (task->solver == IK_TWO_BONE && short_of_bones) {
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

lmb_goal *ik_task_goals(const ik_task *task)
{
    lmb_goal *goals = cli_resize(NULL, task->goal_count, sizeof *goals);
    for (uint32_t g = 0; g < task->goal_count; ++g) {
        goals[g] = task->goals[g].goal;
    }
    return goals;
}

static ik_outcome solve_full_body(const ik_task *task, lmb_transform *pose)
{
    const uint32_t joints = task->figure.character->skeleton->joint_count;
    ik_outcome out = outcome_for(task);
    lmb_goal *goals = ik_task_goals(task);
    lmb_transform *start = cli_resize(NULL, joints, sizeof *start);
    memcpy(start, pose, joints * sizeof *start);
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

/// Every limb in closed form.
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
                                   .limits = limits,
                                   .free = limits == NULL,
                                   .hinge = limits != NULL && limits[mid].kind == LMB_JOINT_HINGE
                                                ? limits[mid].axis
                                                : lmb_vec3_make(0, 0, 0)});
        const uint32_t rotated[2] = {start, mid};
        for (int k = 0; k < 2 && limits != NULL; ++k) {
            const uint32_t j = rotated[k];
            const lmb_quat rotation =
                lmb_quat_mul(lmb_quat_conjugate(skeleton->rest[j].rotation), pose[j].rotation);
            out.limited[j] = lmb_joint_limit_is_at(&limits[j], rotation, 1e-3f);
            out.limits_hit += out.limited[j];
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

/// Which joints from the ends up to the root stand at their limits.
static void mark_limited(const ik_task *task, const lmb_transform *pose, ik_outcome *out)
{
    const lmb_skeleton *skeleton = task->figure.character->skeleton;
    const lmb_joint_limit *limits = task->figure.limits;
    for (uint32_t g = 0; limits != NULL && g < task->goal_count; ++g) {
        for (int32_t j = (int32_t)task->goals[g].goal.joint; j >= (int32_t)task->root;
             j = skeleton->parents[j]) {
            const lmb_quat rotation =
                lmb_quat_mul(lmb_quat_conjugate(skeleton->rest[j].rotation), pose[j].rotation);
            out->limited[j] = lmb_joint_limit_is_at(&limits[j], rotation, 1e-3f);
        }
    }
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        out->limits_hit += out->limited[j];
    }
}

/// Solves target and kept positions as end effectors of one tree below the root.
static uint32_t ends_of(const ik_task *task, lmb_ik_end *ends, uint32_t *goal_of)
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < task->goal_count && count < 64; ++g) {
        const lmb_goal *goal = &task->goals[g].goal;
        if (goal->kind == LMB_GOAL_POSITION) {
            goal_of[count] = g;
            ends[count++] = (lmb_ik_end){.joint = goal->joint,
                                         .offset = goal->offset,
                                         .target = goal->target,
                                         .weight = goal->weight};
        }
    }
    return count;
}

static ik_outcome solve_chain(const ik_task *task, lmb_transform *pose)
{
    static const lmb_ik_solver solvers[IK_SOLVER_COUNT] = {
        [IK_CCD] = LMB_IK_CCD, [IK_FABRIK] = LMB_IK_FABRIK, [IK_JACOBIAN] = LMB_IK_DAMPED};
    const lmb_skeleton *skeleton = task->figure.character->skeleton;
    ik_outcome out = outcome_for(task);
    lmb_mat4 *model = cli_resize(NULL, skeleton->joint_count, sizeof *model);
    lmb_ik_end ends[64];
    uint32_t goal_of[64];
    float left[64];
    lmb_ik_chain_job job = {.skeleton = skeleton,
                            .local = pose,
                            .model_from_joint = model,
                            .solver = solvers[task->solver],
                            .root = task->root,
                            .end_count = ends_of(task, ends, goal_of),
                            .ends = ends,
                            .limits = task->figure.limits,
                            .free = task->figure.limits == NULL,
                            .max_iterations = task->most > 0 ? task->most : 100,
                            .distances = left};
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = skeleton, .local = pose, .model_from_joint = model});
    job.scratch_size = lmb_ik_chain_scratch(&job);
    job.scratch = cli_resize(NULL, job.scratch_size, 1);
    out.iterations = lmb_ik_chain(&job).iterations;
    memset(out.left, 0, task->goal_count * sizeof *out.left);
    for (uint32_t e = 0; e < job.end_count; ++e) {
        out.left[goal_of[e]] = left[e];
    }
    mark_limited(task, pose, &out);
    free(job.scratch);
    free(model);
    return out;
}

ik_outcome ik_task_solve(const ik_task *task, lmb_transform *pose)
{
    if (task->solver == IK_FULL_BODY) {
        return solve_full_body(task, pose);
    }
    return task->solver == IK_TWO_BONE ? solve_two_bone(task, pose) : solve_chain(task, pose);
}
