/// Options and checks of the commands that rig a mesh.
#include "cli/rig/rigging.h"

#include <string.h>

bool cli_axis_of(const char *text, lmb_vec3 *out)
{
    const float sign = text[0] == '-' ? -1.0f : 1.0f;
    const char *letter = text[0] == '-' || text[0] == '+' ? text + 1 : text;
    if (strlen(letter) != 1 || letter[0] < 'x' || letter[0] > 'z') {
        return false;
    }
    *out = lmb_vec3_make(letter[0] == 'x' ? sign : 0, letter[0] == 'y' ? sign : 0,
                         letter[0] == 'z' ? sign : 0);
    return true;
}

/// Words name a kind of skeleton; what has an extension names a file.
static bool is_file(const char *skeleton)
{
    return skeleton && strchr(skeleton, '.') != NULL;
}

bool cli_rig_from_file(const cli_rig_opts *given)
{
    return is_file(given->skeleton) || given->style != NULL;
}

/// The method of --weights: a style's own unless one is given.
static cli_exit read_method(const cli_run *cli, const cli_rig_opts *given, lmb_rig_weights *out)
{
    *out = given->style && !cli_given(cli, "weights") ? LMB_WEIGHTS_LEARNED
                                                      : (lmb_rig_weights)given->weights;
    if (*out == LMB_WEIGHTS_LEARNED && !given->style) {
        return cli_fail(cli, CLI_USAGE,
                        "--weights learned wants --style FILE.lmbs, which limber train makes");
    }
    return CLI_DONE;
}

static bool kind_of(const char *text, lmb_skeleton_kind *out)
{
    for (int k = 0; k < LMB_SKELETON_KINDS; ++k) {
        if (strcmp(text, lmb_skeleton_kind_name((lmb_skeleton_kind)k)) == 0) {
            *out = (lmb_skeleton_kind)k;
            return true;
        }
    }
    return false;
}

/// Whether +Y is up by the format, after reading: FBX says its axes.
static bool has_y_up(cli_format format)
{
    return format == CLI_GLB || format == CLI_GLTF || format == CLI_FBX;
}

cli_exit cli_rig_read(const cli_run *cli, const cli_rig_opts *given, const cli_in_opts *in,
                      lmb_rig_opts *out)
{
    if (given->skeleton && !is_file(given->skeleton) &&
        !kind_of(given->skeleton, &out->embed.kind)) {
        return cli_fail(cli, CLI_UNSUPPORTED,
                        "--skeleton %s is not supported; there are auto, human, quadruped, bird, "
                        "hand, fish, snake, spider, biped, generic, and files with an extension",
                        given->skeleton);
    }
    if (given->style && given->skeleton && !is_file(given->skeleton)) {
        return cli_fail(cli, CLI_USAGE,
                        "--style has a skeleton of its own; --skeleton takes a file beside it");
    }
    if (cli_rig_from_file(given) && (given->names || given->rest)) {
        return cli_fail(cli, CLI_USAGE, "--names and --rest do not go with a skeleton of a file");
    }
    if (given->keep_weights && !cli_rig_from_file(given)) {
        return cli_fail(cli, CLI_USAGE, "--keep-weights goes with --skeleton FILE");
    }
    if (given->facing && !cli_axis_of(given->facing, &out->embed.forward)) {
        return cli_fail(cli, CLI_USAGE, "--facing takes x, y, z, -x, -y or -z, not %s",
                        given->facing);
    }
    if (given->influences < 0 || given->influences > 64) {
        return cli_fail(cli, CLI_USAGE, "--influences takes 1 to 64");
    }
    // the reader has rotated it
    out->embed.up = in->up ? lmb_vec3_make(0, 1, 0) : lmb_vec3_make(0, 0, 0);
    out->embed.y_up = has_y_up(cli_format_of_name(cli->inputs[0]));
    out->embed.jobs = &cli->jobs;
    out->influences = (uint32_t)given->influences;
    out->soft = given->soft;
    out->names = (lmb_joint_names)given->names;
    out->rest = (lmb_rest_pose)given->rest;
    out->progress = cli->progress_or_null;
    const cli_exit code = read_method(cli, given, &out->weights);
    return code == CLI_DONE ? cli_crease_check(cli, given->crease_deg) : code;
}

/// Greatest confidence of a doubtful skeleton.
static const float DOUBTFUL = 0.5f;

bool cli_rig_is_doubtful(const lmb_embedding *embedding)
{
    return embedding->overall <= DOUBTFUL;
}

cli_exit cli_rig_check(const cli_run *cli, const lmb_embedding *e, bool strict)
{
    if (!cli_rig_is_doubtful(e)) {
        return CLI_DONE;
    }
    cli_warn(cli,
             "%s: confidence %.2f: the skeleton may be wrong. Look at a picture (limber render "
             "--skeleton); --marker or --skeleton tells what is known",
             cli->inputs[0], (double)e->overall);
    return strict ? cli_fail(cli, CLI_GATE, "%s: --strict asks for a confidence above %.1f",
                             cli->inputs[0], (double)DOUBTFUL)
                  : CLI_DONE;
}

/// The axis that a mesh stands along, as --up has it; NULL between the axes.
static const char *up_option(lmb_vec3 up)
{
    static const char *const names[6] = {"x", "-x", "y", "-y", "z", "-z"};
    const float parts[6] = {up.x, -up.x, up.y, -up.y, up.z, -up.z};
    for (int k = 0; k < 6; ++k) {
        if (parts[k] > 0.9999f) {
            return names[k];
        }
    }
    return NULL;
}

cli_exit cli_rig_with_file(cli_run *cli, const cli_rig_opts *given, const cli_in_opts *in_opts,
                           const lmb_rig_opts *rig, lmb_character **character,
                           cli_template_report *out)
{
    const cli_template opts = {.path = given->skeleton,
                               .style = given->style,
                               .fit = given->fit,
                               .embed = rig->embed,
                               .keep_weights = given->keep_weights,
                               .weights = {.method = rig->weights,
                                           .influences = rig->influences,
                                           .soft = rig->soft,
                                           .jobs = &cli->jobs,
                                           .progress = cli->progress_or_null}};
    cli_exit code = cli_bind_to_file(cli, character, &opts, !in_opts->up, out);
    if (code == CLI_DONE && out->embedding.height > 0 && !out->fitted) {
        cli_in_opts upright = *in_opts;
        cli_read_opts in;
        upright.up = up_option(out->embedding.up);
        code = upright.up ? cli_in_read(cli, &upright, &in)
                          : cli_fail(cli, CLI_UNSUPPORTED,
                                     "%s stands between the axes; a skeleton of a file is fitted "
                                     "where the mesh stands along one",
                                     cli->inputs[0]);
        if (code == CLI_DONE) {
            lmb_character_destroy(*character);
            *character = NULL;
            code = cli_character_read(cli, cli->inputs[0], &in, NULL, character);
        }
        if (code == CLI_DONE) {
            code = cli_bind_to_file(cli, character, &opts, false, out);
        }
    }
    if (code == CLI_DONE && out->fitted) {
        code = cli_rig_check(cli, &out->embedding, given->strict);
    }
    return code;
}
