#include "cli/animate/made.h"

typedef struct retarget_options {
    cli_in_opts in;
    cli_motion_opts motion;
} retarget_options;

/// The character's own fingers may be posed: only `animate` relaxes them.
#include "cli/animate/retarget.options.h"

static cli_exit run_retarget(cli_run *cli, const void *given)
{
    const retarget_options *opts = given;
    cli_read_opts in;
    lmb_character *character = NULL;
    cli_motion motion = {0};
    cli_exit code = cli_in_read(cli, &opts->in, &in);
    if (code == CLI_DONE) {
        code = cli_character_read(cli, cli->inputs[0], &in, NULL, &character);
    }
    if (code == CLI_DONE) {
        code = cli_motion_start(cli, cli->inputs[1], &opts->motion, &motion);
    }
    if (code == CLI_DONE) {
        code = cli_made_require_clip(cli, &motion);
    }
    if (code == CLI_DONE) {
        code = cli_motion_apply(cli, &motion, &opts->motion, cli->inputs[0], &character);
    }
    if (code == CLI_DONE) {
        code = cli_character_write(cli, cli->output, "glb", character);
    }
    if (code == CLI_DONE && cli->json) {
        cli_json json = {.file = stdout};
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "output", cli->output);
        cli_motion_json(&json, &motion, character);
        cli_json_end(&json, '}');
    }
    cli_motion_end(&motion);
    lmb_character_destroy(character);
    return code;
}
