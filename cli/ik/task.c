/// Goals from the command line: joint, target, and the joints kept in position.
#include "cli/ik/ik.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------- the figure

cli_exit ik_figure_start(const cli_run *cli, const lmb_character *character, bool no_limits,
                         ik_figure *out)
{
    *out = (ik_figure){.character = character};
    lmb_error error = {0};
    const lmb_result result = lmb_joint_map_make(character->skeleton, NULL, &out->map, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "the joint map", result, &error);
    }
    if (!no_limits && character->skeleton->limits != NULL) {
        out->limits = character->skeleton->limits;
    } else if (!no_limits && out->map.confidence > 0.7f) {
        // A human's limits, for characters whose files say none and whose joints are a human's.
        out->limits = out->own_limits =
            cli_resize(NULL, character->skeleton->joint_count, sizeof *out->own_limits);
        if (lmb_joint_map_limits(&out->map, character->skeleton, NULL, out->own_limits, &error) !=
            LMB_OK) {
            return cli_fail_call(cli, "the limits", error.code, &error);
        }
    }
    return CLI_DONE;
}

void ik_figure_end(ik_figure *figure)
{
    free(figure->own_limits);
}

int32_t ik_figure_joint(const ik_figure *figure, const char *name)
{
    const int32_t joint = lmb_skeleton_find(figure->character->skeleton, name);
    const lmb_human_bone bone = lmb_human_bone_find(name);
    return joint == LMB_NONE && bone < LMB_HUMAN_BONE_COUNT ? figure->map.bones[bone].joint : joint;
}

// -------------------------------------------------------------------------------------- the goals

static cli_exit no_joint(const cli_run *cli, const ik_figure *figure, const char *option,
                         const char *name)
{
    const lmb_skeleton *skeleton = figure->character->skeleton;
    const char *nearest =
        cli_nearest(name, (const char *const *)skeleton->names, skeleton->joint_count);
    return cli_fail(
        cli, CLI_USAGE,
        "--%s: %s has no joint and no humanoid bone \"%s\"%s%s%s; `limber info` lists them", option,
        cli->inputs[0], name, nearest ? "; did you mean " : "", nearest ? nearest : "",
        nearest ? "?" : "");
}

/// "JOINT" or "JOINT=X,Y,Z" into a joint and three numbers.
static cli_exit read_goal(const cli_run *cli, const ik_figure *figure, const char *option,
                          const char *text, bool numbers, uint32_t *joint, float out[3])
{
    const char *equals = numbers ? strrchr(text, '=') : NULL, *at = equals;
    const size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    for (int k = 0; numbers && k < 3; ++k) {
        char *end = NULL;
        const double x = at != NULL ? strtod(at + 1, &end) : 0;
        if (at == NULL || end == at + 1 || *end != (k < 2 ? ',' : 0) || !isfinite(x)) {
            return cli_fail(cli, CLI_USAGE, "--%s: expected JOINT=X,Y,Z, found \"%s\"", option,
                            text);
        }
        out[k] = (float)x;
        at = end;
    }
    char *name = cli_resize(NULL, length + 1, 1);
    memcpy(name, text, length);
    name[length] = 0;
    const int32_t found = ik_figure_joint(figure, name);
    const cli_exit code = found < 0 ? no_joint(cli, figure, option, name) : CLI_DONE;
    free(name);
    *joint = (uint32_t)found;
    return code;
}

static ik_goal *add_goal(ik_task *task, const char *text)
{
    task->goals = cli_resize(task->goals, (size_t)task->goal_count + 1, sizeof *task->goals);
    ik_goal *goal = &task->goals[task->goal_count++];
    *goal = (ik_goal){.text = text};
    return goal;
}

static cli_exit read_list(const cli_run *cli, ik_task *task, const cli_list *list,
                          const char *option, lmb_goal_kind kind, bool kept)
{
    for (int k = 0; k < list->count; ++k) {
        float x[3] = {0, 0, 0};
        uint32_t joint = 0;
        const cli_exit code =
            read_goal(cli, &task->figure, option, list->items[k], !kept, &joint, x);
        if (code != CLI_DONE) {
            return code;
        }
        ik_goal *goal = add_goal(task, list->items[k]);
        goal->kept = kept;
        goal->goal = (lmb_goal){.kind = kind, .joint = joint, .target = {x[0], x[1], x[2]}};
        if (kind == LMB_GOAL_ORIENTATION) {
            const float degree = LMB_PI / 180.0f,
                        angles[3] = {x[2] * degree, x[1] * degree, x[0] * degree};
            goal->goal.rotation = lmb_quat_from_euler("zyx", angles);
        }
    }
    return CLI_DONE;
}

static bool is_under(const lmb_skeleton *skeleton, uint32_t joint, uint32_t root)
{
    int32_t j = (int32_t)joint;
    while (j > (int32_t)root) {
        j = skeleton->parents[j];
    }
    return j == (int32_t)root;
}

static bool all_under(const ik_task *task, uint32_t root)
{
    bool under = true;
    for (uint32_t g = 0; g < task->goal_count; ++g) {
        under =
            under && is_under(task->figure.character->skeleton, task->goals[g].goal.joint, root);
    }
    return under;
}

/// Adds a soft goal that keeps the centre of mass between ankles and toes of both feet.
static void keep_balance(ik_task *task, const lmb_transform *pose)
{
    static const lmb_human_bone soles[4] = {LMB_HUMAN_LEFT_FOOT, LMB_HUMAN_LEFT_TOES,
                                            LMB_HUMAN_RIGHT_FOOT, LMB_HUMAN_RIGHT_TOES};
    const lmb_skeleton *skeleton = task->figure.character->skeleton;
    lmb_mat4 *model = cli_resize(NULL, skeleton->joint_count, sizeof *model);
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = skeleton, .local = pose, .model_from_joint = model});
    lmb_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        const int32_t joint = task->figure.map.bones[soles[k]].joint,
                      foot = task->figure.map.bones[soles[k - k % 2]].joint;
        sum = lmb_vec3_mad(sum, lmb_mat4_translation(model[joint >= 0 ? joint : foot]), 0.25f);
    }
    free(model);
    ik_goal *goal = add_goal(task, "balance");
    goal->kept = true;
    goal->goal = (lmb_goal){.kind = LMB_GOAL_CENTER_OF_MASS,
                            .joint = task->root,
                            .target = sum,
                            .mask = 1 | 4,
                            .priority = 1};
}

/// Keeps the positions of feet without goals, so that a reaching body bends instead of sliding.
static void keep_feet(ik_task *task, const lmb_transform *pose)
{
    static const lmb_human_bone feet[2] = {LMB_HUMAN_LEFT_FOOT, LMB_HUMAN_RIGHT_FOOT};
    const lmb_skeleton *skeleton = task->figure.character->skeleton;
    const uint32_t asked = task->goal_count;
    for (int k = 0; k < 2; ++k) {
        const int32_t foot = task->figure.map.bones[feet[k]].joint,
                      leg = task->figure.map.bones[feet[k] - 2].joint;
        bool free_leg = foot >= 0 && leg >= 0;
        for (uint32_t g = 0; free_leg && g < asked; ++g) {
            free_leg = !is_under(skeleton, task->goals[g].goal.joint, (uint32_t)leg);
        }
        for (int kind = 0; free_leg && kind < 2; ++kind) {
            ik_goal *goal = add_goal(task, skeleton->names[foot]);
            goal->kept = true;
            goal->goal = (lmb_goal){.kind = kind == 0 ? LMB_GOAL_POSITION : LMB_GOAL_ORIENTATION,
                                    .joint = (uint32_t)foot,
                                    .weight = kind == 0 ? 1.0f : 0.1f};
        }
    }
    if (task->goal_count == asked + 4) {
        keep_balance(task, pose);
    }
}

/// Bones above the end of a chain that rotate for it: two of a limb, all of a neck and spine up to
/// the hips, else two.
static uint32_t chain_root(const ik_task *task, uint32_t joint)
{
    const lmb_skeleton *skeleton = task->figure.character->skeleton;
    uint32_t root = joint;
    for (int k = 0; k < 2 && skeleton->parents[root] >= 0; ++k) {
        root = (uint32_t)skeleton->parents[root];
    }
    return root;
}

/// The lowest joint that both are on or under; LMB_NONE where they are of two trees.
static int32_t common_root(const lmb_skeleton *skeleton, int32_t a, int32_t b)
{
    while (a != b && a >= 0 && b >= 0) { // parents come before children
        if (a > b) {
            a = skeleton->parents[a];
        } else {
            b = skeleton->parents[b];
        }
    }
    return a == b ? a : LMB_NONE;
}

static cli_exit choose_root(const cli_run *cli, const ik_options *opts, const lmb_transform *pose,
                            ik_task *task)
{
    const int32_t hips = task->figure.map.bones[LMB_HUMAN_HIPS].joint;
    const bool whole = task->solver == IK_FULL_BODY && opts->root == NULL && hips >= 0 &&
                       task->figure.map.confidence > 0.7f && all_under(task, (uint32_t)hips);
    task->pinned = opts->pinned || !whole;
    if (opts->root != NULL) {
        const int32_t root = ik_figure_joint(&task->figure, opts->root);
        if (root < 0) {
            return no_joint(cli, &task->figure, "root", opts->root);
        }
        task->root = (uint32_t)root;
        return all_under(task, task->root)
                   ? CLI_DONE
                   : cli_fail(cli, CLI_USAGE, "--root: a goal's joint is not under %s", opts->root);
    }
    if (whole) {
        task->root = (uint32_t)hips;
        if (!opts->loose && !opts->pinned) {
            keep_feet(task, pose);
        }
        return CLI_DONE;
    }
    int32_t root = (int32_t)chain_root(task, task->goals[0].goal.joint);
    for (uint32_t g = 0; root >= 0 && g < task->goal_count; ++g) {
        root =
            common_root(task->figure.character->skeleton, root, (int32_t)task->goals[g].goal.joint);
    }
    if (root < 0) {
        return cli_fail(cli, CLI_USAGE, "the goals' joints have no common root");
    }
    task->root = (uint32_t)root;
    return CLI_DONE;
}

/// The full-body solver's memory grows with the square of the joints between the root and the
/// goals.
static cli_exit take_scratch(const cli_run *cli, ik_task *task)
{
    const lmb_skeleton *skeleton = task->figure.character->skeleton;
    lmb_goal *goals = ik_task_goals(task);
    task->scratch_size = lmb_ik_full_body_job_scratch(&(lmb_ik_full_body_job){
        .skeleton = skeleton, .root = task->root, .goal_count = task->goal_count, .goals = goals});
    free(goals);
    task->scratch = malloc(task->scratch_size);
    if (task->scratch == NULL) {
        char hint[64];
        cli_memory_hint(hint);
        return cli_fail(cli, CLI_FAILED,
                        "--solver full-body: %.3g GB for all joints between \"%s\" and the goals, "
                        "more than there is%s; give a --root nearer to the goals, or another "
                        "--solver",
                        1e-9 * (double)task->scratch_size, skeleton->names[task->root], hint);
    }
    return CLI_DONE;
}

cli_exit ik_task_start(const cli_run *cli, const ik_options *opts, const lmb_character *character,
                       const lmb_transform *pose, ik_task *out)
{
    *out = (ik_task){.solver = (ik_solver)opts->solver, .most = (uint32_t)opts->iterations};
    cli_exit code = ik_figure_start(cli, character, opts->no_limits, &out->figure);
    if (code == CLI_DONE) {
        code = read_list(cli, out, &opts->targets, "target", LMB_GOAL_POSITION, false);
    }
    if (code == CLI_DONE) {
        code = read_list(cli, out, &opts->turns, "turn", LMB_GOAL_ORIENTATION, false);
    }
    if (code == CLI_DONE) {
        code = read_list(cli, out, &opts->looks, "look", LMB_GOAL_LOOK_AT, false);
    }
    if (code == CLI_DONE) {
        code = read_list(cli, out, &opts->keeps, "keep", LMB_GOAL_POSITION, true);
    }
    if (code == CLI_DONE && out->goal_count == 0 && opts->ground != NULL && !opts->compare) {
        return CLI_DONE;
    }
    if (code == CLI_DONE && out->goal_count == 0) {
        code =
            cli_fail(cli, CLI_USAGE,
                     "expected a goal: --target JOINT=X,Y,Z, --turn, --look, --keep or --ground");
    }
    if (code == CLI_DONE) {
        code = choose_root(cli, opts, pose, out);
    }
    if (code == CLI_DONE) {
        const char *lacks = opts->compare ? NULL : ik_solver_lacks(out);
        code = lacks == NULL ? CLI_DONE
                             : cli_fail(cli, CLI_UNSUPPORTED, "not supported: --solver %s %s",
                                        ik_solver_name(out->solver), lacks);
    }
    if (code == CLI_DONE) {
        ik_task_keep(out, pose);
    }
    if (code == CLI_DONE && (opts->compare || out->solver == IK_FULL_BODY)) {
        code = take_scratch(cli, out);
    }
    return code;
}

void ik_task_end(ik_task *task)
{
    ik_figure_end(&task->figure);
    free(task->goals);
    free(task->scratch);
}

void ik_task_keep(ik_task *task, const lmb_transform *pose)
{
    const lmb_skeleton *skeleton = task->figure.character->skeleton;
    lmb_mat4 *model = cli_resize(NULL, skeleton->joint_count, sizeof *model);
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = skeleton, .local = pose, .model_from_joint = model});
    for (uint32_t g = 0; g < task->goal_count; ++g) {
        lmb_goal *goal = &task->goals[g].goal;
        lmb_transform t;
        lmb_mat4_decompose(model[goal->joint], &t);
        if (goal->kind == LMB_GOAL_LOOK_AT) {
            // Heads look to the front of the rest pose, whatever their own axes.
            lmb_transform rest = skeleton->rest[goal->joint];
            for (int32_t j = skeleton->parents[goal->joint]; j >= 0; j = skeleton->parents[j]) {
                rest = lmb_transform_mul(skeleton->rest[j], rest);
            }
            goal->axis = lmb_quat_rotate(lmb_quat_conjugate(rest.rotation),
                                         lmb_joint_map_facing(&task->figure.map, skeleton));
        }
        if (task->goals[g].kept && goal->kind != LMB_GOAL_CENTER_OF_MASS) {
            goal->target = t.translation;
            goal->rotation = t.rotation;
        }
    }
    free(model);
}
