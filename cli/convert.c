#include "cli.h"

typedef struct convert_options {
    cli_in_opts in;
    const char *clip;
} convert_options;

static const cli_option options[] = {
    {"clip", 0, CLI_TEXT, offsetof(convert_options, clip), "NAME|INDEX",
     "keep this clip alone; a BVH holds one, by default the first"},
    CLI_IN_OPTIONS(convert_options),
    CLI_END,
};

static cli_exit keep_clip(const cli_run *cli, lmb_character *character, const char *clip)
{
    uint32_t kept = 0;
    const cli_exit code = cli_clip_find(cli, character, clip, &kept);
    if (code != CLI_DONE) {
        return code;
    }
    for (uint32_t c = 0; c < character->clip_count; ++c) {
        if (c != kept) {
            lmb_clip_destroy(character->clips[c]);
        }
    }
    character->clips[0] = character->clips[kept];
    character->clip_count = 1;
    return CLI_DONE;
}

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
    if (code == CLI_DONE && opts->clip != NULL) {
        code = keep_clip(cli, character, opts->clip);
    }
    if (code == CLI_DONE) {
        code = cli_character_write(cli, output, "glb", character);
    }
    lmb_character_destroy(character);
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
