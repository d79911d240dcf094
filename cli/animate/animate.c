#include "cli/animate/motion.h"
#include "cli/rig/rigging.h"
#include "cli/simulate/simulate.h"

#include "limber/os.h"

#include <stdlib.h>
#include <string.h>

typedef struct animate_options {
    cli_in_opts in;
    cli_motion_opts motion;
    cli_rig_opts rig;
    bool rig_anew;
} animate_options;

static const animate_options defaults = {.rig.crease_deg = CLI_CREASE};

static const cli_option options[] = {
    CLI_RIG_OPTIONS(animate_options),
    {"rig-anew", 0, CLI_FLAG, offsetof(animate_options, rig_anew), NULL,
     "put a new skeleton into a character that has one"},
    CLI_MOTION_OPTIONS(animate_options),
    CLI_IN_OPTIONS(animate_options),
    CLI_END,
};

static bool is_rigged(const lmb_character *character)
{
    const lmb_joint_map map = cli_joint_map(character->skeleton);
    return lmb_character_is_rigged(character, &map);
}

static bool is_on_all_fours(const lmb_skeleton *skeleton)
{
    const lmb_joint_map map = cli_joint_map(skeleton);
    return lmb_joint_map_is_on_all_fours(&map, skeleton);
}

/// Warns of a skeleton that may be wrong.
static cli_exit say_rig(const cli_run *cli, const cli_rig_opts *given, const lmb_rig_report *report)
{
    const lmb_embedding *e = &report->embedding;
    cli_say(cli, cli->inputs[0], "%u vertices, %u triangles, %.2f units tall",
            (unsigned)report->vertex_count, (unsigned)report->triangle_count, (double)e->height);
    cli_say(cli, "skeleton", "%s, %u joints, confidence %.2f: %s",
            e->kind == LMB_SKELETON_HUMAN ? "humanoid" : lmb_skeleton_kind_name(e->kind),
            (unsigned)e->joint_count, (double)e->overall, e->summary);
    return cli_rig_check(cli, e, given->strict);
}

/// Binds to the skeleton of a file, which counts as human if its joints map to a humanoid.
static cli_exit bind_file(cli_run *cli, const animate_options *opts, const lmb_rig_opts *rig,
                          lmb_character **character, lmb_rig_report *report)
{
    cli_template_report bound = {0};
    const cli_exit code = cli_rig_with_file(cli, &opts->rig, &opts->in, rig, character, &bound);
    if (code == CLI_DONE) {
        report->embedding = bound.embedding;
        report->weights = bound.weights;
        report->vertex_count = bound.weights.vertex_count;
        report->embedding.kind = is_rigged(*character) ? LMB_SKELETON_HUMAN : LMB_SKELETON_GENERIC;
    }
    return code;
}

/// With the kind or the skeleton file of --skeleton; else a humanoid, and unless `human_only` any
/// other kind where no humanoid fits.
static cli_exit rig_body(cli_run *cli, const animate_options *opts, const lmb_rig_opts *rig,
                         bool human_only, lmb_character **character, lmb_rig_report *report)
{
    lmb_error error = {0};
    if (cli_rig_from_file(&opts->rig)) {
        return bind_file(cli, opts, rig, character, report);
    }
    cli->made_limits = true;
    const lmb_result result = lmb_rig_for_motion(character, rig, human_only, report, NULL, &error);
    if (result == LMB_ERROR_UNSUPPORTED) {
        const lmb_skeleton_kind kind = rig->embed.kind;
        return cli_fail(
            cli, CLI_UNSUPPORTED, "%s: not a %s: this is %s. It takes %s", cli->inputs[0],
            kind == LMB_SKELETON_AUTO || kind == LMB_SKELETON_HUMAN ? "humanoid"
                                                                    : lmb_skeleton_kind_name(kind),
            error.found, error.expected);
    }
    return result == LMB_OK ? say_rig(cli, &opts->rig, report)
                            : cli_fail_call(cli, cli->inputs[0], result, &error);
}

/// Makes the gait on the skeleton's own legs: for animals, and for gaits that humans do not have.
static cli_exit walk_on(cli_run *cli, const animate_options *opts, lmb_character **character)
{
    const cli_exit code = cli_normals_fill(cli, opts->rig.crease_deg, *character);
    if (code != CLI_DONE) {
        return code;
    }
    return cli_simulate_gait(
        cli,
        &(cli_simulate_opts){.gait = cli->inputs[1],
                             .speed = opts->motion.speed,
                             .fps = opts->motion.rate > 0 ? opts->motion.rate : 60,
                             .seconds = 1,
                             .in_place = opts->motion.in_place,
                             .name = opts->motion.name},
        character);
}

static void print_json(const cli_run *cli, const cli_motion *motion, const lmb_character *character,
                       bool rigged, const lmb_rig_report *rig)
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", cli->output);
    cli_json_bool(&json, "rigged", rigged);
    if (rigged) {
        cli_json_integer(&json, "vertices", rig->vertex_count);
        cli_json_integer(&json, "triangles", rig->triangle_count);
        cli_json_number(&json, "rig_confidence", rig->embedding.overall);
        cli_json_text(&json, "rig_reason", rig->embedding.summary);
    }
    cli_motion_json(&json, motion, character);
    cli_json_end(&json, '}');
}

static cli_exit put_motion_on(cli_run *cli, const animate_options *opts, bool rigged,
                              const lmb_rig_report *rig, double begin_s, lmb_character **character,
                              cli_motion *motion)
{
    cli_exit code = cli_motion_apply(cli, motion, &opts->motion, cli->inputs[0], character);
    if (code == CLI_DONE && rigged && rig->embedding.kind != LMB_SKELETON_HUMAN &&
        !motion->report.retarget.by_chains) {
        return cli_fail(cli, CLI_UNSUPPORTED,
                        "%s: not a humanoid, and %s is a human's motion; `limber retarget --as "
                        "chains` puts it on all the same",
                        cli->inputs[0], cli->inputs[1]);
    }
    if (code == CLI_DONE) {
        code = cli_normals_fill(cli, opts->rig.crease_deg, *character);
    }
    if (code == CLI_DONE) {
        code = cli_character_write(cli, cli->output, "glb", *character);
    }
    if (code == CLI_DONE) {
        const double taken_s =
            lmb_clock_s() - begin_s; // 0 without a clock, as in tests with a fixed time
        char taken[32] = "";
        if (taken_s > 0) {
            snprintf(taken, sizeof taken, ", made in %.2f s", taken_s);
        }
        cli_say(cli, cli->output, "%u clip%s, %.2f s%s", (unsigned)(*character)->clip_count,
                (*character)->clip_count == 1 ? "" : "s", (double)motion->report.duration_s, taken);
        if (cli->json) {
            print_json(cli, motion, *character, rigged, rig);
        }
    }
    return code;
}

/// Mesh in, rig, motion on it, out.
static cli_exit animate_character(cli_run *cli, const animate_options *opts,
                                  const lmb_rig_opts *rig_opts, const cli_read_opts *in,
                                  lmb_character **character, cli_motion *motion)
{
    const double begin_s = lmb_clock_s();
    lmb_rig_report rig = {0};
    const bool is_gait = lmb_gait_find(cli->inputs[1]) != LMB_GAIT_COUNT,
               is_trot = lmb_gait_find(cli->inputs[1]) == LMB_GAIT_TROT,
               is_file = !is_gait && lmb_motion_find(cli->inputs[1]) == LMB_MOTION_COUNT;
    cli_exit code = cli_character_read(cli, cli->inputs[0], in, NULL, character);
    if (code == CLI_DONE && !is_trot) {
        code = cli_motion_start(cli, cli->inputs[1], &opts->motion, motion);
    }
    if (code != CLI_DONE) {
        return code;
    }
    const bool rigs = opts->rig_anew || !is_rigged(*character);
    bool is_human = true;
    if (rigs) {
        code = rig_body(cli, opts, rig_opts, !is_gait && !is_file, character, &rig);
        is_human = rig.embedding.kind == LMB_SKELETON_HUMAN;
    } else if (is_on_all_fours((*character)->skeleton)) {
        is_human = false;
        code = is_gait || is_file
                   ? CLI_DONE
                   : cli_fail(cli, CLI_UNSUPPORTED,
                              "%s: not a humanoid: its skeleton stands on four legs. `limber "
                              "retarget` puts a motion on it all the same",
                              cli->inputs[0]);
    } else {
        cli_say(cli, cli->inputs[0],
                "has a humanoid skeleton of %u joints, which is kept (--rig-anew puts in another)",
                (unsigned)(*character)->skeleton->joint_count);
    }
    if (code != CLI_DONE) {
        return code;
    }
    return (is_human || is_file) && !is_trot
               ? put_motion_on(cli, opts, rigs, &rig, begin_s, character, motion)
               : walk_on(cli, opts, character);
}

static cli_exit run_animate(cli_run *cli, const void *given)
{
    const animate_options *opts = given;
    cli_read_opts in;
    lmb_character *character = NULL;
    cli_motion motion = {0};
    lmb_rig_opts rig = {0};
    cli_rig_joints joints = {0};
    cli_exit code = cli_rig_read(cli, &opts->rig, &opts->in, &rig);
    if (code == CLI_DONE) {
        code = cli_rig_joints_read(cli, &opts->rig, &rig, &joints);
    }
    if (code == CLI_DONE) {
        code = cli_in_read(cli, &opts->in, &in);
    }
    if (code == CLI_DONE) {
        code = animate_character(cli, opts, &rig, &in, &character, &motion);
    }
    cli_motion_end(&motion);
    lmb_character_destroy(character);
    cli_rig_joints_free(&joints);
    return code;
}

const cli_command cli_command_animate = {
    .name = "animate",
    .arguments = "MESH MOTION",
    .summary = "Rigs a still mesh and puts a motion on it.",
    .details =
        "MOTION is a file with a clip, or one that is made: walk, run, idle, wave, jump "
        "(./walk for a file of that name). Animals of two to eight legs walk, trot and run on "
        "their own, and take the motions of their like from files; every other motion is for "
        "humanoids. A mesh that is skinned "
        "to a humanoid skeleton keeps it. --unit and --up are of the mesh, --motion-unit "
        "and --motion-up of the motion.",
    .min_inputs = 2,
    .max_inputs = 2,
    .output = "OUT.glb|.gltf",
    .options = options,
    .options_size = sizeof(animate_options),
    .defaults = &defaults,
    .run = run_animate,
};
