#include "cli.h"

typedef struct convert_options {
    cli_in_opts in;
} convert_options;

static const cli_option options[] = {
    CLI_IN_OPTIONS(convert_options),
    CLI_END,
};

static cli_exit run(cli_run *cli, const void *given)
{
    const convert_options *opts = given;
    const char *output = cli->input_count > 1 ? cli->inputs[1] : cli->output;
    if (output == NULL || (cli->input_count > 1 && cli->output != NULL)) {
        return cli_fail(cli, CLI_USAGE, "expected one output: IN OUT, or IN -o OUT");
    }
    cli_read_opts in;
    lmb_character *character = NULL;
    cli_exit code = cli_in_read(cli, &opts->in, &in);
    if (code == CLI_DONE) {
        code = cli_character_read(cli, cli->inputs[0], &in, NULL, &character);
    }
    if (code == CLI_DONE) {
        code = cli_character_write(cli, output, "glb", character);
        lmb_character_destroy(character);
    }
    return code;
}

const cli_command cli_command_convert = {
    .name = "convert",
    .arguments = "IN OUT",
    .summary = "Rewrites a file in another format. What the new format cannot hold is named.",
    .min_inputs = 1,
    .max_inputs = 2,
    .output = "OUT.glb|.gltf|.obj|.ply|.bvh",
    .output_optional = true,
    .options = options,
    .options_size = sizeof(convert_options),
    .run = run,
};
