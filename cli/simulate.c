#include "simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef cli_simulate_opts simulate_options;

static const cli_option options[] = {
    {"springs", 0, CLI_FLAG, offsetof(simulate_options, springs), NULL,
     "swing what the file names as springs (VRM 1.0 and 0.x)"},
    {"ragdoll", 0, CLI_FLAG, offsetof(simulate_options, ragdoll), NULL, "not there yet"},
    {"chain", 0, CLI_LIST, offsetof(simulate_options, chains), "JOINT",
     "with --springs: this joint and everything below it swings too; may be given again and again"},
    {"drivers", 0, CLI_TEXT, offsetof(simulate_options, drivers), "FILE",
     "move joints and morph weights as this program says (docs/procedural.md)"},
    {"set", 0, CLI_LIST, offsetof(simulate_options, sets), "NAME=VALUE",
     "with --drivers: a parameter of the program; may be given again and again"},
    {"gait", 0, CLI_TEXT, offsetof(simulate_options, gait), "walk|trot|run",
     "make a character of two or four legs walk (docs/procedural.md)"},
    {"speed", 0, CLI_NUMBER, offsetof(simulate_options, speed), "M/S", "with --gait: how fast"},
    {"slope", 0, CLI_NUMBER, offsetof(simulate_options, slope), "DEGREES",
     "with --gait: the ground rises so much ahead"},
    {"turn", 0, CLI_NUMBER, offsetof(simulate_options, turn), "DEGREES/S",
     "with --gait: to the left"},
    {"style", 0, CLI_LIST, offsetof(simulate_options, style), "NAME=VALUE",
     "with --gait: bounce, arms, lift or width, as factors, or crouch, 0 to 0.4"},
    {"in-place", 0, CLI_FLAG, offsetof(simulate_options, in_place), NULL,
     "with --gait: the ground goes by and the character stays"},
    {"clip", 0, CLI_TEXT, offsetof(simulate_options, clip), "NAME|INDEX",
     "the motion that carries it, repeated while --seconds last (default: the rest pose)"},
    {"seconds", 0, CLI_NUMBER, offsetof(simulate_options, seconds), "S",
     "how long (default: the clip once, or 2)"},
    {"fps", 0, CLI_NUMBER, offsetof(simulate_options, fps), "N", "frames a second (default 60)"},
    {"name", 0, CLI_TEXT, offsetof(simulate_options, name), "NAME",
     "of the new clip (default: simulated)"},
    CLI_IN_OPTIONS(simulate_options),
    CLI_END,
};

/// What is simulated, and what came of it.
typedef struct take {
    const lmb_skeleton *skeleton;
    const lmb_clip *clip;
    lmb_spring_set *set;
    lmb_transform *poses; ///< [frame_count][joint_count]
    lmb_mat4 *model;
    uint32_t frame_count;
    float turn_rad; ///< the farthest that a spring was from its rest
} take;

// ---------------------------------------------------------------------------------------- springs

static cli_exit add_chain(const cli_run *cli, const char *name, take *t)
{
    const int32_t joint = lmb_skeleton_find(t->skeleton, name);
    if (joint == LMB_NONE) {
        return cli_fail(cli, CLI_USAGE, "--chain: the character has no joint \"%s\"", name);
    }
    const lmb_spring_joint soft = lmb_spring_soft();
    lmb_spring_set *more = NULL;
    lmb_error error = {0};
    const lmb_result result =
        lmb_spring_set_add_chain(t->set, t->skeleton, (uint32_t)joint, &soft, NULL, &more, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, name, result, &error);
    }
    lmb_spring_set_destroy(t->set);
    t->set = more;
    return CLI_DONE;
}

static cli_exit find_springs(const cli_run *cli, const simulate_options *opts,
                             const lmb_character *character, take *t)
{
    lmb_error error = {0};
    if (lmb_spring_set_read(character, NULL, &t->set, &error) != LMB_OK) {
        return cli_fail_file(cli->inputs[0], &error);
    }
    for (int k = 0; k < opts->chains.count; ++k) {
        const cli_exit code = add_chain(cli, opts->chains.items[k], t);
        if (code != CLI_DONE) {
            return code;
        }
    }
    if (t->set->joint_count == 0) {
        return cli_fail(cli, CLI_INPUT, "%s: expected springs or --chain JOINT, found none",
                        cli->inputs[0]);
    }
    return CLI_DONE;
}

static void sample(const take *t, double time_s, lmb_transform *pose)
{
    const uint32_t n = t->skeleton->joint_count;
    memcpy(pose, t->skeleton->rest, n * sizeof *pose);
    if (t->clip != NULL) {
        const double length = (double)lmb_clip_duration_s(t->clip);
        lmb_sample(&(lmb_sample_job){.clip = t->clip,
                                     .time_s = time_s > length && length > 0 ? fmod(time_s, length)
                                                                             : time_s,
                                     .joint_count = n,
                                     .pose = pose});
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = t->skeleton, .local = pose, .model_from_joint = t->model});
}

static cli_exit run_springs(const cli_run *cli, double fps, take *t)
{
    lmb_springs *springs = NULL;
    lmb_error error = {0};
    const uint32_t n = t->skeleton->joint_count;
    const lmb_result result = lmb_springs_create(t->set, t->skeleton, NULL, &springs, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "the springs", result, &error);
    }
    t->poses = cli_resize(NULL, (size_t)t->frame_count * n, sizeof *t->poses);
    t->model = cli_resize(NULL, n, sizeof *t->model);
    for (uint32_t f = 0; f < t->frame_count; ++f) {
        lmb_transform *pose = t->poses + (size_t)f * n;
        sample(t, f / fps, pose);
        lmb_springs_step(&(lmb_springs_step_job){.springs = springs,
                                                 .local = pose,
                                                 .model_from_joint = t->model,
                                                 .dt_s = f > 0 ? (float)(1 / fps) : 0});
        for (uint32_t i = 0; i < t->set->joint_count; ++i) {
            const uint32_t j = t->set->joints[i].joint;
            t->turn_rad =
                fmaxf(t->turn_rad, lmb_quat_angle(pose[j].rotation, t->skeleton->rest[j].rotation));
        }
    }
    lmb_springs_destroy(springs);
    return CLI_DONE;
}

// ---------------------------------------------------------------------------------------- writing

static cli_exit write_take(cli_run *cli, const simulate_options *opts, const take *t,
                           lmb_character **character)
{
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    const lmb_result result = lmb_clip_from_poses(
        t->skeleton, t->poses, t->frame_count, (float)opts->fps, opts->name, NULL, &clip, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "the result", result, &error);
    }
    const cli_exit code = cli_clip_put_first(cli, character, clip, false);
    return code == CLI_DONE ? cli_character_write(cli, cli->output, "glb", *character) : code;
}

static void report(const cli_run *cli, const simulate_options *opts, const take *t)
{
    const uint32_t joints = t->set->joint_count, colliders = t->set->collider_count;
    cli_say(cli, "springs", "%u joints, %u colliders, %u frames, at most %.1f degrees from rest",
            (unsigned)joints, (unsigned)colliders, (unsigned)t->frame_count,
            (double)t->turn_rad * 180 / 3.14159265358979);
    if (cli->json) {
        cli_json json = {.file = stdout};
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "output", cli->output);
        cli_json_integer(&json, "spring_joints", joints);
        cli_json_integer(&json, "colliders", colliders);
        cli_json_integer(&json, "frames", t->frame_count);
        cli_json_number(&json, "fps", (float)opts->fps);
        cli_json_number(&json, "turn_rad", t->turn_rad);
        cli_json_end(&json, '}');
    }
}

cli_exit cli_simulate_frames(cli_run *cli, const cli_simulate_opts *opts,
                             const lmb_character *character, const lmb_clip **clip,
                             uint32_t *frame_count)
{
    uint32_t index = 0;
    if (opts->clip != NULL) {
        const cli_exit code = cli_clip_find(cli, character, opts->clip, &index);
        if (code != CLI_DONE) {
            return code;
        }
        *clip = character->clips[index];
    }
    double seconds = *clip != NULL ? (double)lmb_clip_duration_s(*clip) : 2;
    seconds = cli_given(cli, "seconds") ? opts->seconds : seconds;
    const double frames = floor(seconds * opts->fps + 0.5) + 1;
    if (frames * character->skeleton->joint_count > 1e8) {
        return cli_fail(cli, CLI_UNSUPPORTED,
                        "not supported: more than a hundred million joints of frames");
    }
    *frame_count = (uint32_t)frames;
    return CLI_DONE;
}

static cli_exit simulate(cli_run *cli, const simulate_options *opts, lmb_character **character)
{
    take t = {.skeleton = (*character)->skeleton};
    cli_exit code = cli_simulate_frames(cli, opts, *character, &t.clip, &t.frame_count);
    if (code == CLI_DONE) {
        code = find_springs(cli, opts, *character, &t);
    }
    if (code == CLI_DONE) {
        code = run_springs(cli, opts->fps, &t);
    }
    if (code == CLI_DONE) {
        code = write_take(cli, opts, &t, character);
    }
    if (code == CLI_DONE) {
        report(cli, opts, &t);
    }
    lmb_spring_set_destroy(t.set);
    free(t.poses);
    free(t.model);
    return code;
}

static cli_exit check_options(const cli_run *cli, const simulate_options *opts)
{
    static const char *const of_gait[] = {"speed", "slope", "turn", "style", "in-place"};
    const int kinds =
        (opts->springs ? 1 : 0) + (opts->drivers != NULL ? 1 : 0) + (opts->gait != NULL ? 1 : 0);
    if (opts->ragdoll) {
        return cli_fail(cli, CLI_UNSUPPORTED, "not supported: --ragdoll");
    }
    if (kinds != 1) {
        return cli_fail(cli, CLI_USAGE,
                        "expected what to simulate: --springs, --drivers FILE or --gait NAME");
    }
    for (size_t k = 0; k < sizeof of_gait / sizeof of_gait[0]; ++k) {
        if (opts->gait == NULL && cli_given(cli, of_gait[k])) {
            return cli_fail(cli, CLI_USAGE, "--%s is for --gait", of_gait[k]);
        }
    }
    if (opts->sets.count > 0 && opts->drivers == NULL) {
        return cli_fail(cli, CLI_USAGE, "--set is for --drivers");
    }
    if (opts->fps < 1 || opts->fps > 1000 || opts->seconds < 0) {
        return cli_fail(cli, CLI_USAGE, "expected --fps of 1 to 1000 and --seconds of 0 or more");
    }
    return CLI_DONE;
}

static cli_exit run(cli_run *cli, const void *given)
{
    const simulate_options *opts = given;
    cli_read_opts in;
    lmb_character *character = NULL;
    cli_exit code = check_options(cli, opts);
    if (code == CLI_DONE) {
        code = cli_in_read(cli, &opts->in, &in);
    }
    if (code == CLI_DONE) {
        code = cli_character_read(cli, cli->inputs[0], &in, NULL, &character);
    }
    if (code == CLI_DONE && character->skeleton->joint_count == 0) {
        code = cli_fail(cli, CLI_INPUT, "%s: expected a skeleton, found none", cli->inputs[0]);
    }
    if (code == CLI_DONE) {
        code = opts->drivers != NULL ? cli_simulate_drivers(cli, opts, &character)
               : opts->gait != NULL  ? cli_simulate_gait(cli, opts, &character)
                                     : simulate(cli, opts, &character);
    }
    lmb_character_destroy(character);
    return code;
}

static const simulate_options defaults = {.name = "simulated", .fps = 60};

const cli_command cli_command_simulate = {
    .name = "simulate",
    .arguments = "CHARACTER --springs|--drivers FILE|--gait NAME",
    .summary = "Springs, driver programs and gaits, baked to a clip.",
    .details =
        "Springs are those of the file's VRM data, and the --chain joints. A driver program "
        "moves joints and morph weights as functions of time and of each other. A gait walks "
        "on the character's own legs, two or four. The clip is written in front of the "
        "character's own.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output = "OUT.glb|.gltf|.bvh",
    .options = options,
    .options_size = sizeof(simulate_options),
    .defaults = &defaults,
    .run = run,
};
