#include "cli/ik/ik.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ik/ik.options.h"

// ---------------------------------------------------------------------------------------- solving

typedef struct take {
    lmb_transform *poses; ///< [frame_count][joint_count]
    uint32_t frame_count, joint_count;
    float rate_hz;
    float *left;      ///< [goal_count] the worst over the frames
    uint8_t *limited; ///< [joint_count] at its limit in some frame
    uint32_t iterations;
    ik_planting planting;
} take;

static void sample_clip(const lmb_character *character, const lmb_clip *clip, double time_s,
                        lmb_transform *pose)
{
    const lmb_skeleton *skeleton = character->skeleton;
    memcpy(pose, skeleton->rest, skeleton->joint_count * sizeof *pose);
    if (clip != NULL) {
        lmb_sample(&(lmb_sample_job){
            .clip = clip, .time_s = time_s, .joint_count = skeleton->joint_count, .pose = pose});
    }
}

static cli_exit find_clip(const cli_run *cli, const ik_options *opts,
                          const lmb_character *character, const lmb_clip **out)
{
    uint32_t index = 0;
    *out = NULL;
    if (opts->clip == NULL && !cli_given(cli, "time")) {
        return CLI_DONE;
    }
    if (opts->clip == NULL && character->clip_count == 0) {
        return cli_fail(cli, CLI_USAGE, "%s has no clip for --time", cli->inputs[0]);
    }
    const cli_exit code =
        opts->clip != NULL ? cli_clip_find(cli, character, opts->clip, &index) : CLI_DONE;
    if (code == CLI_DONE) {
        *out = character->clips[index];
    }
    return code;
}

static void solve_frame(const ik_task *task, take *t, uint32_t frame)
{
    lmb_transform *pose = t->poses + (size_t)frame * t->joint_count;
    ik_outcome outcome = ik_task_solve(task, pose);
    for (uint32_t g = 0; g < task->goal_count; ++g) {
        t->left[g] = fmaxf(t->left[g], outcome.left[g]);
    }
    for (uint32_t j = 0; j < t->joint_count; ++j) {
        t->limited[j] |= outcome.limited[j];
    }
    t->iterations += outcome.iterations;
    ik_outcome_free(&outcome);
}

static cli_exit solve_frames(cli_run *cli, const ik_options *opts, const lmb_character *character,
                             const lmb_clip *clip, ik_task *task, take *t)
{
    const bool whole = clip != NULL && !cli_given(cli, "time");
    t->joint_count = character->skeleton->joint_count;
    t->rate_hz = clip != NULL && clip->frame_rate > 0 ? clip->frame_rate : 30.0f;
    const double duration = whole ? (double)lmb_clip_duration_s(clip) : 0.0,
                 frames = floor(duration * (double)t->rate_hz + 0.5) + 1.0;
    if (frames > 1e6) {
        return cli_fail(cli, CLI_UNSUPPORTED, "not supported: clips of more than a million frames");
    }
    t->frame_count = (uint32_t)frames;
    t->poses = cli_resize(NULL, (size_t)t->frame_count * t->joint_count, sizeof *t->poses);
    t->left = cli_resize(NULL, task->goal_count, sizeof *t->left);
    t->limited = cli_resize(NULL, t->joint_count, 1);
    memset(t->left, 0, task->goal_count * sizeof *t->left);
    memset(t->limited, 0, t->joint_count);
    for (uint32_t f = 0; f < t->frame_count; ++f) {
        lmb_transform *pose = t->poses + (size_t)f * t->joint_count;
        sample_clip(character, clip, whole ? f / (double)t->rate_hz : opts->time_s, pose);
        if (t->planting.on) {
            ik_planting_step(&t->planting, character->skeleton, 1.0f / t->rate_hz, pose);
        }
        if (task->goal_count > 0) {
            ik_task_keep(task, pose);
            solve_frame(task, t, f);
        }
    }
    return CLI_DONE;
}

// ---------------------------------------------------------------------------------------- writing

static bool is_angle(lmb_goal_kind kind)
{
    return kind == LMB_GOAL_ORIENTATION || kind == LMB_GOAL_LOOK_AT;
}

static void report_pose(const cli_run *cli, const ik_task *task, const take *t)
{
    uint32_t limited = 0;
    for (uint32_t j = 0; j < t->joint_count; ++j) {
        limited += t->limited[j];
    }
    for (uint32_t g = 0; g < task->goal_count; ++g) {
        const bool angle = is_angle(task->goals[g].goal.kind);
        const double left =
            angle ? (double)t->left[g] * 180.0 / 3.14159265358979 : 1e3 * (double)t->left[g];
        if (!task->goals[g].kept) {
            cli_say(cli, task->goals[g].text, "%.3g %s off%s", left, angle ? "degrees" : "mm",
                    t->frame_count > 1 ? " at most" : "");
        }
    }
    cli_say(cli, ik_solver_name(task->solver),
            "%u frame%s, %.1f iterations a frame, %u joints at their limits",
            (unsigned)t->frame_count, t->frame_count > 1 ? "s" : "",
            (double)t->iterations / t->frame_count, (unsigned)limited);
}

static const char *kind_name(lmb_goal_kind kind)
{
    switch (kind) {
    case LMB_GOAL_ORIENTATION:
        return "orientation";
    case LMB_GOAL_LOOK_AT:
        return "look";
    case LMB_GOAL_CENTER_OF_MASS:
        return "balance";
    default:
        return "position";
    }
}

static void report_json(const cli_run *cli, const ik_task *task, const take *t,
                        const lmb_skeleton *skeleton)
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", cli->output);
    cli_json_text(&json, "solver", ik_solver_name(task->solver));
    cli_json_text(&json, "root", skeleton->names[task->root]);
    cli_json_bool(&json, "limits", task->figure.limits != NULL);
    cli_json_integer(&json, "frames", t->frame_count);
    cli_json_integer(&json, "iterations", t->iterations);
    cli_json_begin(&json, "goals", '[');
    for (uint32_t g = 0; g < task->goal_count; ++g) {
        const lmb_goal *goal = &task->goals[g].goal;
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "joint", skeleton->names[goal->joint]);
        cli_json_text(&json, "kind", kind_name(goal->kind));
        cli_json_bool(&json, "kept", task->goals[g].kept);
        cli_json_vec3(&json, "target", goal->target);
        cli_json_number(&json, is_angle(goal->kind) ? "left_rad" : "left", t->left[g]);
        cli_json_end(&json, '}');
    }
    cli_json_end(&json, ']');
    cli_json_begin(&json, "limits_hit", '[');
    for (uint32_t j = 0; j < t->joint_count; ++j) {
        if (t->limited[j]) {
            cli_json_text(&json, NULL, skeleton->names[j]);
        }
    }
    cli_json_end(&json, ']');
    cli_json_end(&json, '}');
}

static cli_exit pose_and_write(cli_run *cli, const ik_options *opts, const lmb_clip *clip,
                               ik_task *task, lmb_character **character)
{
    take t = {0};
    lmb_clip *made = NULL;
    lmb_error error = {0};
    cli_exit code = opts->ground != NULL
                        ? ik_planting_start(cli, opts->ground, *character, clip, &t.planting)
                        : CLI_DONE;
    if (code == CLI_DONE) {
        code = solve_frames(cli, opts, *character, clip, task, &t);
    }
    if (code == CLI_DONE) {
        const lmb_result result =
            lmb_clip_from_poses((*character)->skeleton, t.poses, t.frame_count, t.rate_hz,
                                opts->name, NULL, &made, &error);
        code = result == LMB_OK ? cli_clip_put_first(cli, character, made, false)
                                : cli_fail_call(cli, "the result", result, &error);
    }
    if (code == CLI_DONE) {
        code = cli_character_write(cli, cli->output, "glb", *character);
    }
    if (code == CLI_DONE && t.planting.on && !t.planting.is_met) {
        cli_warn(cli,
                 "--ground: no foot comes to where it begins, %.2g m ahead of the clip's start "
                 "toward x %.2g, z %.2g: nothing was changed",
                 (double)t.planting.begin, (double)t.planting.direction.x,
                 (double)t.planting.direction.z);
    }
    if (code == CLI_DONE) {
        report_pose(cli, task, &t);
    }
    if (code == CLI_DONE && cli->json) {
        report_json(cli, task, &t, (*character)->skeleton);
    }
    free(t.poses);
    free(t.left);
    free(t.limited);
    return code;
}

static cli_exit run_task(cli_run *cli, const ik_options *opts, lmb_character **character)
{
    const lmb_clip *clip = NULL;
    ik_task task = {0};
    cli_exit code = find_clip(cli, opts, *character, &clip);
    if (code != CLI_DONE) {
        return code;
    }
    lmb_transform *pose = cli_resize(NULL, (*character)->skeleton->joint_count, sizeof *pose);
    sample_clip(*character, clip, opts->time_s, pose);
    code = ik_task_start(cli, opts, *character, pose, &task);
    if (code == CLI_DONE) {
        code = opts->compare ? ik_compare(cli, &task, pose)
                             : pose_and_write(cli, opts, clip, &task, character);
    }
    ik_task_end(&task);
    free(pose);
    return code;
}

static cli_exit run_ik(cli_run *cli, const void *given)
{
    const ik_options *opts = given;
    cli_read_opts in;
    lmb_character *character = NULL;
    if (opts->iterations < 0 || opts->iterations > 10000) {
        return cli_fail(cli, CLI_USAGE, "--iterations: expected 1 to 10000, found %lld",
                        (long long)opts->iterations);
    }
    if (opts->ground != NULL && opts->clip == NULL) {
        return cli_fail(cli, CLI_USAGE, "--ground is for the feet of a --clip");
    }
    if (!opts->compare && (cli->output == NULL || cli_has_extension(cli->output, ".png"))) {
        return cli_fail(cli, CLI_USAGE, "expected an output: -o OUT.glb");
    }
    if (opts->compare && cli->output != NULL && cli_format_of_name(cli->output) != CLI_UNKNOWN) {
        return cli_fail(cli, CLI_USAGE, "--compare draws a picture: -o OUT.png");
    }
    cli_exit code = cli_in_read(cli, &opts->in, &in);
    if (code == CLI_DONE) {
        code = cli_character_read(cli, cli->inputs[0], &in, NULL, &character);
    }
    if (code == CLI_DONE && character->skeleton->joint_count == 0) {
        code = cli_fail(cli, CLI_INPUT, "%s: expected a skeleton, found none", cli->inputs[0]);
    }
    if (code == CLI_DONE) {
        code = run_task(cli, opts, &character);
    }
    lmb_character_destroy(character);
    return code;
}
