#include "cli/animate/keys.h"
#include "cli/animate/made.h"
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

#include "cli/animate/animate.options.h"

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

/// Whether a humanoid's joints are those of an animal on two legs or more, which walks as one.
static bool is_no_human(const lmb_character *character)
{
    const lmb_joint_map map = cli_joint_map(character->skeleton);
    const char *doubt = NULL;
    return lmb_humanoid_doubt(character, &map, NULL, &doubt, NULL) == LMB_OK && doubt != NULL;
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

/// With the kind or the skeleton file of --skeleton; else what lmb_rig_for_motion has for motions of `moved`.
static cli_exit rig_body(cli_run *cli, const animate_options *opts, const lmb_rig_opts *rig,
                         lmb_skeleton_kind moved, lmb_character **character, lmb_rig_report *report)
{
    lmb_error error = {0};
    if (cli_rig_from_file(&opts->rig)) {
        return bind_file(cli, opts, rig, character, report);
    }
    cli->made_limits = true;
    const lmb_result result = lmb_rig_for_motion(character, rig, moved, report, NULL, &error);
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

static cli_simulate_opts gait_options(const animate_options *opts, const char *gait)
{
    return (cli_simulate_opts){.gait = gait,
                               .speed = opts->motion.speed,
                               .fps = opts->motion.rate > 0 ? opts->motion.rate : 60,
                               .seconds = 1,
                               .in_place = opts->motion.in_place,
                               .name = opts->motion.name};
}

/// Makes the gait on the skeleton's own legs: for animals, and for gaits that humans do not have.
static cli_exit walk_on(cli_run *cli, const animate_options *opts, lmb_character **character)
{
    const cli_exit code = cli_normals_fill(cli, opts->rig.crease_deg, *character);
    const cli_simulate_opts gait = gait_options(opts, cli->inputs[1]);
    return code == CLI_DONE ? cli_simulate_gait(cli, &gait, character) : code;
}

// ---------------------------------------------------------------------------------------- motions

/// The motions of a command line, in its order.
typedef struct motion_list {
    cli_motion *items;
    int count;
} motion_list;

/// Whether an animal may have that motion too: of a file, a gait, an animal's.
static bool suits_animals(const cli_motion *motion)
{
    if (!motion->made || motion->character == NULL ||
        lmb_gait_find(motion->name) != LMB_GAIT_COUNT) {
        return true;
    }
    bool found = false;
    for (int body = LMB_MOTION_QUADRUPED; body < LMB_MOTION_BODIES; ++body) {
        found = found || cli_made_find_for(motion->name, (lmb_motion_body)body) != NULL;
    }
    return found;
}

static bool any_suits_animals(const motion_list *motions)
{
    bool any = false;
    for (int k = 0; k < motions->count; ++k) {
        any = any || suits_animals(&motions->items[k]);
    }
    return any;
}

/// The kind of body that the motions move: of an animal where all are that animal's, a human's where no animal has one.
static lmb_skeleton_kind moved_kind(const motion_list *motions)
{
    static const lmb_skeleton_kind kinds[LMB_MOTION_BODIES] = {
        [LMB_MOTION_HUMAN] = LMB_SKELETON_AUTO,    [LMB_MOTION_QUADRUPED] = LMB_SKELETON_QUADRUPED,
        [LMB_MOTION_BIRD] = LMB_SKELETON_BIRD,     [LMB_MOTION_FISH] = LMB_SKELETON_FISH,
        [LMB_MOTION_SPIDER] = LMB_SKELETON_SPIDER, [LMB_MOTION_SNAKE] = LMB_SKELETON_SNAKE};
    lmb_motion_body common = LMB_MOTION_HUMAN;
    for (int k = 0; k < motions->count; ++k) {
        const cli_motion *motion = &motions->items[k];
        const lmb_motion_body body = motion->made && motion->character == NULL
                                         ? lmb_motion_describe(motion->text).body
                                         : LMB_MOTION_HUMAN;
        common = k == 0 || body == common ? body : LMB_MOTION_HUMAN;
    }
    return any_suits_animals(motions) ? kinds[common] : LMB_SKELETON_HUMAN;
}

/// The animal that a skinned character's skeleton is of; LMB_MOTION_HUMAN where it is none.
static lmb_motion_body own_animal(const lmb_character *character)
{
    lmb_motion_body body = LMB_MOTION_HUMAN;
    return character->skin_count > 0 &&
                   lmb_motion_body_find(character->skeleton, NULL, &body, NULL) == LMB_OK
               ? body
               : LMB_MOTION_HUMAN;
}

/// Whether a skinned animal has legs of its own that a gait moves.
static bool has_own_legs(const lmb_character *character)
{
    lmb_gait_body legs;
    return !is_rigged(character) && own_animal(character) != LMB_MOTION_HUMAN &&
           lmb_gait_body_of_character(character, NULL, &legs, NULL) == LMB_OK;
}

/// Whether an animal has that made motion: of its own kind, or, where its joints are not a human's,
/// one that humans and such animals have, as walks.
static bool has_motion(const cli_motion *motion, const lmb_character *character,
                       lmb_motion_body body, bool is_human)
{
    if (motion->character == NULL) {
        return lmb_motion_describe(motion->text).body == body;
    }
    return !is_human &&
           (cli_made_find_for(motion->name, body) != NULL ||
            (lmb_gait_find(motion->name) != LMB_GAIT_COUNT && has_own_legs(character)));
}

/// Whether a skinned character is an animal that has one of the motions: then its skeleton is kept,
/// whatever its joints are called.
static bool fits_animal(const lmb_character *character, const motion_list *motions)
{
    const lmb_motion_body body = own_animal(character);
    const bool is_human = is_rigged(character);
    bool any = false;
    for (int k = 0; body != LMB_MOTION_HUMAN && k < motions->count; ++k) {
        any = any ||
              (motions->items[k].made && has_motion(&motions->items[k], character, body, is_human));
    }
    return any;
}

static void say_kept(const cli_run *cli, const char *kind, const lmb_character *character)
{
    cli_say(cli, cli->inputs[0],
            "has a %s skeleton of %u joints, which is kept (--rig-anew puts in another)", kind,
            (unsigned)character->skeleton->joint_count);
}

/// A rig that the command does not know goes, and the clips on it.
static void say_replaced(const cli_run *cli, const lmb_character *character)
{
    if (character->skin_count > 0) {
        cli_warn(cli,
                 "%s: its skeleton of %u joints is neither a human's nor one for this motion: "
                 "another replaces it, without its %u clips",
                 cli->inputs[0], (unsigned)character->skeleton->joint_count,
                 (unsigned)character->clip_count);
    }
}

static cli_exit start_motions(cli_run *cli, const animate_options *opts, motion_list *motions)
{
    cli_exit code = CLI_DONE;
    motions->items = cli_resize(NULL, (size_t)cli->input_count, sizeof *motions->items);
    if (cli->input_count > 2 && (opts->motion.plot != NULL || opts->motion.save_map != NULL ||
                                 opts->motion.name != NULL || opts->motion.clip != NULL)) {
        return cli_fail(cli, CLI_USAGE,
                        "--clip, --name, --plot and --save-map are for a single motion");
    }
    for (int i = 1; code == CLI_DONE && i < cli->input_count; ++i) {
        code = cli_motion_start(cli, cli->inputs[i], &opts->motion, &motions->items[i - 1]);
        ++motions->count;
    }
    return code;
}

/// Makes the motion on the animal's own skeleton, as its first clip. A name without a kind of body
/// means the motion of this kind.
static cli_exit apply_animal(cli_run *cli, const animate_options *opts, lmb_character **character,
                             cli_motion *motion)
{
    lmb_motion_body body = LMB_MOTION_HUMAN;
    lmb_motion_sliders sliders;
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    lmb_result result = lmb_motion_body_find((*character)->skeleton, NULL, &body, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->inputs[0], result, &error);
    }
    const lmb_motion_file *file = cli_made_find_for(motion->name, body);
    if (motion->character != NULL && file == NULL &&
        lmb_gait_find(motion->name) != LMB_GAIT_COUNT) {
        const cli_simulate_opts gait = gait_options(opts, motion->name);
        return cli_simulate_gait_clip(cli, &gait, character, &motion->report.duration_s);
    }
    if (motion->character != NULL && file == NULL) {
        return cli_made_refuse_body(cli, motion->name, body);
    }
    if (file != NULL) {
        lmb_motion_destroy(motion->text);
        motion->text = NULL;
        result = lmb_motion_read(file->text, file->size, NULL, &motion->text, &error);
    }
    if (result == LMB_OK) {
        const cli_exit code = cli_made_sliders(cli, &opts->motion, &sliders);
        if (code != CLI_DONE) {
            return code;
        }
        sliders.frame_rate = (float)opts->motion.rate;
        result = lmb_motion_perform_on(motion->text, &sliders, *character, NULL, &clip, &error);
    }
    if (result == LMB_ERROR_UNSUPPORTED) {
        return lmb_motion_describe(motion->text).body == body
                   ? cli_fail_call(cli, cli->inputs[0], result, &error)
                   : cli_made_refuse_body(cli, motion->name, body);
    }
    if (result == LMB_ERROR_INVALID) {
        return cli_fail(cli, CLI_USAGE, "%s: expected %s, found %s", motion->name, error.expected,
                        error.found);
    }
    if (result != LMB_OK) {
        return cli_fail_call(cli, motion->name, result, &error);
    }
    cli_exit code =
        opts->motion.name != NULL ? cli_clip_rename(cli, &clip, opts->motion.name) : CLI_DONE;
    code = code == CLI_DONE ? cli_clip_carry(cli, *character, &clip) : code;
    if (code != CLI_DONE) {
        lmb_clip_destroy(clip);
        return code;
    }
    motion->report.duration_s = lmb_clip_duration_s(clip);
    cli_say(cli, motion->name, "on the %s's own %u joints, %.2f s", lmb_motion_body_name(body),
            (unsigned)(*character)->skeleton->joint_count, (double)motion->report.duration_s);
    return cli_clip_put_first(cli, character, clip, false);
}

static void motion_json(cli_json *json, const cli_motion *motion, const lmb_character *character)
{
    if (motion->report.retarget.frame_count > 0) {
        cli_motion_json(json, motion, character);
        return;
    }
    lmb_motion_body body = lmb_motion_describe(motion->text).body;
    (void)lmb_motion_body_find(character->skeleton, NULL, &body, NULL);
    cli_json_begin(json, "motion", '{');
    cli_json_text(json, "name", motion->name);
    cli_json_text(json, "body", lmb_motion_body_name(body));
    cli_json_number(json, "duration_s", motion->report.duration_s);
    cli_json_end(json, '}');
}

static void print_json(const cli_run *cli, const motion_list *motions,
                       const lmb_character *character, bool rigged, const lmb_rig_report *rig)
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
    if (motions->count == 1) {
        motion_json(&json, &motions->items[0], character);
        cli_json_end(&json, '}');
        return;
    }
    cli_json_begin(&json, "motions", '[');
    for (int k = 0; k < motions->count; ++k) {
        cli_json_begin(&json, NULL, '{');
        motion_json(&json, &motions->items[k], character);
        cli_json_end(&json, '}');
    }
    cli_json_end(&json, ']');
    cli_json_end(&json, '}');
}

/// One motion as the first clip, by retargeting or on the skeleton's own legs.
static cli_exit put_motion_on(cli_run *cli, const animate_options *opts, bool is_human, bool rigged,
                              const lmb_rig_report *rig, lmb_character **character,
                              cli_motion *motion)
{
    if (motion->made && is_human && motion->character == NULL) {
        return cli_made_refuse_body(cli, motion->name, LMB_MOTION_HUMAN);
    }
    if (motion->made && !is_human) {
        return apply_animal(cli, opts, character, motion);
    }
    const cli_exit code = cli_motion_apply(cli, motion, &opts->motion, cli->inputs[0], character);
    if (code == CLI_DONE && rigged && rig->embedding.kind != LMB_SKELETON_HUMAN &&
        !motion->report.retarget.by_chains) {
        return cli_fail(cli, CLI_UNSUPPORTED,
                        "%s: not a humanoid, and %s is a human's motion; `limber retarget --as "
                        "chains` puts it on all the same",
                        cli->inputs[0], motion->name);
    }
    return code;
}

/// All motions, the last first, so that clips stand in the order of the command line.
static cli_exit put_motions_on(cli_run *cli, const animate_options *opts, bool is_human,
                               bool rigged, const lmb_rig_report *rig, double begin_s,
                               lmb_character **character, motion_list *motions)
{
    cli_exit code = CLI_DONE;
    float seconds = 0;
    for (int k = motions->count - 1; code == CLI_DONE && k >= 0; --k) {
        code = put_motion_on(cli, opts, is_human, rigged, rig, character, &motions->items[k]);
        seconds += motions->items[k].report.duration_s;
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
                (*character)->clip_count == 1 ? "" : "s", (double)seconds, taken);
        if (cli->json) {
            print_json(cli, motions, *character, rigged, rig);
        }
    }
    return code;
}

/// Mesh in, rig, motions on it, out.
static cli_exit animate_character(cli_run *cli, const animate_options *opts,
                                  const lmb_rig_opts *rig_opts, const cli_read_opts *in,
                                  lmb_character **character, motion_list *motions)
{
    const double begin_s = lmb_clock_s();
    lmb_rig_report rig = {0};
    const bool is_gait = cli->input_count == 2 && lmb_gait_find(cli->inputs[1]) != LMB_GAIT_COUNT,
               is_trot = is_gait && lmb_gait_find(cli->inputs[1]) == LMB_GAIT_TROT;
    cli_exit code = cli_character_read(cli, cli->inputs[0], in, NULL, character);
    if (code == CLI_DONE && !is_trot) {
        code = start_motions(cli, opts, motions);
    }
    if (code != CLI_DONE) {
        return code;
    }
    const bool is_animal = !opts->rig_anew && (fits_animal(*character, motions) ||
                                               (is_gait && has_own_legs(*character)));
    const bool rigs = opts->rig_anew || !(is_animal || is_rigged(*character));
    const bool for_animals = is_trot || any_suits_animals(motions);
    bool is_human = true;
    if (rigs) {
        if (!opts->rig_anew) {
            say_replaced(cli, *character);
        }
        code = rig_body(cli, opts, rig_opts, is_trot ? LMB_SKELETON_AUTO : moved_kind(motions),
                        character, &rig);
        is_human = rig.embedding.kind == LMB_SKELETON_HUMAN;
    } else if (is_animal || is_on_all_fours((*character)->skeleton) ||
               (is_gait && is_no_human(*character))) {
        is_human = false;
        code = for_animals
                   ? CLI_DONE
                   : cli_fail(cli, CLI_UNSUPPORTED,
                              "%s: not a humanoid: its skeleton stands on four legs. `limber "
                              "retarget` puts a motion on it all the same",
                              cli->inputs[0]);
        say_kept(cli, lmb_motion_body_name(own_animal(*character)), *character);
    } else {
        say_kept(cli, "humanoid", *character);
    }
    if (code != CLI_DONE) {
        return code;
    }
    return is_gait && (is_trot || !is_human)
               ? walk_on(cli, opts, character)
               : put_motions_on(cli, opts, is_human, rigs, &rig, begin_s, character, motions);
}

static bool any_keys(const cli_run *cli)
{
    bool any = false;
    for (int k = 1; k < cli->input_count; ++k) {
        any = any || cli_keys_is(cli->inputs[k]);
    }
    return any;
}

static cli_exit run_animate(cli_run *cli, const void *given)
{
    const animate_options *opts = given;
    cli_read_opts in;
    lmb_character *character = NULL;
    motion_list motions = {0};
    lmb_rig_opts rig = {0};
    cli_rig_joints joints = {0};
    cli_exit code = cli_rig_read(cli, &opts->rig, &opts->in, &rig);
    if (code == CLI_DONE) {
        code = cli_rig_joints_read(cli, &opts->rig, &rig, &joints);
    }
    if (code == CLI_DONE) {
        code = cli_in_read(cli, &opts->in, &in);
    }
    if (code == CLI_DONE && any_keys(cli)) {
        code = cli_keys_animate(cli, &in);
    } else if (code == CLI_DONE) {
        code = animate_character(cli, opts, &rig, &in, &character, &motions);
    }
    for (int k = 0; k < motions.count; ++k) {
        cli_motion_end(&motions.items[k]);
    }
    free(motions.items);
    lmb_character_destroy(character);
    cli_rig_joints_free(&joints);
    return code;
}
