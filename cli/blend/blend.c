#include "cli/blend/blend.h"

#include <stdlib.h>

#include "cli/blend/blend.options.h"

static cli_exit check_options(cli_run *cli, const blend_options *opts)
{
    const int kinds = (opts->layers.count > 0) + (opts->sequence != NULL) + (opts->machine != NULL);
    if (kinds != 1) {
        return cli_fail(cli, CLI_USAGE,
                        "it takes one of --layer (again and again), --sequence and --machine");
    }
    if (opts->layers.count == 0 && (opts->over.count > 0 || opts->add.count > 0)) {
        return cli_fail(cli, CLI_USAGE,
                        "--over and --add go on --layer; a machine has layers of its own");
    }
    if (opts->set.count > 0 && opts->machine == NULL) {
        return cli_fail(cli, CLI_USAGE, "--set is for --machine");
    }
    if (!(opts->rate > 0 && opts->rate <= 480) || !(opts->seconds >= 0 && opts->seconds <= 3600)) {
        return cli_fail(cli, CLI_USAGE,
                        "--rate takes up to 480 frames a second and --seconds up to 3600");
    }
    if (!(opts->crossfade >= 0 && opts->crossfade <= 60) || opts->feather < 0 ||
        opts->feather > 100) {
        return cli_fail(cli, CLI_USAGE,
                        "--crossfade takes 0 to 60 seconds, --feather 0 to 100 joints");
    }
    return CLI_DONE;
}

static cli_exit make_clip(cli_run *cli, const blend_options *opts, const lmb_character *character,
                          lmb_clip **out)
{
    blend_stage stage = {.cli = cli, .character = character};
    const cli_exit code = opts->layers.count > 0 ? blend_layers_run(&stage, opts, out)
                                                 : blend_machine_run(&stage, opts, out);
    blend_stage_end(&stage);
    return code;
}

static cli_exit run_blend(cli_run *cli, const void *given)
{
    const blend_options *opts = given;
    cli_read_opts in;
    lmb_character *character = NULL;
    lmb_clip *clip = NULL;
    cli_exit code = check_options(cli, opts);
    if (code == CLI_DONE) {
        code = cli_in_read(cli, &opts->in, &in);
    }
    if (code == CLI_DONE) {
        code = cli_character_read(cli, cli->inputs[0], &in, NULL, &character);
    }
    if (code == CLI_DONE) {
        code = make_clip(cli, opts, character, &clip);
    }
    if (code == CLI_DONE) {
        code = cli_clip_put_first(cli, &character, clip, opts->replace);
    }
    if (code == CLI_DONE) {
        code = cli_character_write(cli, cli->output, "glb", character);
    }
    lmb_character_destroy(character);
    return code;
}
