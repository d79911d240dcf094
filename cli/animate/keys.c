#include "cli/animate/keys.h"

#include <stdlib.h>
#include <string.h>

bool cli_keys_is(const char *name)
{
    static const char extension[] = ".keys";
    const size_t length = strlen(name), size = sizeof extension - 1;
    return length > size && strcmp(name + length - size, extension) == 0;
}

static cli_exit apply(cli_run *cli, const char *name, lmb_character **character,
                      lmb_keys_report *report)
{
    cli_bytes text;
    lmb_error error = {0};
    const cli_exit code = cli_bytes_read(name, &text);
    if (code != CLI_DONE) {
        return code;
    }
    const lmb_result result = lmb_keys_apply(character, text.data, text.size, NULL, report, &error);
    free(text.data);
    if (result == LMB_ERROR_MALFORMED) {
        return cli_fail_file(name, &error);
    }
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->inputs[0], result, &error);
    }
    cli_say(cli, name, "%u key%s of %u joint%s, %.2f s%s", (unsigned)report->key_count,
            report->key_count == 1 ? "" : "s", (unsigned)report->joint_count,
            report->joint_count == 1 ? "" : "s",
            (double)lmb_clip_duration_s((*character)->clips[0]),
            report->replaced ? ", in place of another clip" : "");
    return CLI_DONE;
}

static void print_json(const cli_run *cli, const lmb_keys_report *reports,
                       const lmb_character *character)
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", cli->output);
    cli_json_bool(&json, "rigged", false);
    cli_json_begin(&json, "keys", '[');
    for (int k = 1; k < cli->input_count; ++k) {
        const lmb_keys_report *r = &reports[k];
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "file", cli->inputs[k]);
        cli_json_integer(&json, "keys", r->key_count);
        cli_json_integer(&json, "joints", r->joint_count);
        cli_json_integer(&json, "slopes", r->slope_count);
        cli_json_bool(&json, "replaced", r->replaced);
        cli_json_end(&json, '}');
    }
    cli_json_end(&json, ']');
    cli_json_integer(&json, "clips", character->clip_count);
    cli_json_end(&json, '}');
}

/// Options of reading go with keys; the others are of rigging and of motions.
static bool goes_with_keys(const char *option)
{
    return strcmp(option, "unit") == 0 || strcmp(option, "up") == 0;
}

static cli_exit check_options(const cli_run *cli)
{
    for (int k = 1; k < cli->input_count; ++k) {
        if (!cli_keys_is(cli->inputs[k])) {
            return cli_fail(cli, CLI_USAGE,
                            "texts of keys and other motions go on a character one after the "
                            "other: %s is no NAME.keys",
                            cli->inputs[k]);
        }
    }
    for (const cli_option *o = cli->command->options; o->name != NULL; ++o) {
        if (cli_given(cli, o->name) && !goes_with_keys(o->name)) {
            return cli_fail(cli, CLI_USAGE, "--%s is not for a text of keys", o->name);
        }
    }
    return CLI_DONE;
}

cli_exit cli_keys_animate(cli_run *cli, const cli_read_opts *in)
{
    lmb_character *character = NULL;
    cli_exit code = check_options(cli);
    if (code == CLI_DONE) {
        code = cli_character_read(cli, cli->inputs[0], in, NULL, &character);
    }
    if (code != CLI_DONE) {
        return code;
    }
    lmb_keys_report *reports = cli_resize(NULL, (size_t)cli->input_count, sizeof *reports);
    // The last first, so that clips stand in the order of the command line.
    for (int k = cli->input_count - 1; code == CLI_DONE && k > 0; --k) {
        code = apply(cli, cli->inputs[k], &character, &reports[k]);
    }
    if (code == CLI_DONE) {
        code = cli_character_write(cli, cli->output, "glb", character);
    }
    if (code == CLI_DONE) {
        cli_say(cli, cli->output, "%u clip%s", (unsigned)character->clip_count,
                character->clip_count == 1 ? "" : "s");
    }
    if (code == CLI_DONE && cli->json) {
        print_json(cli, reports, character);
    }
    free(reports);
    lmb_character_destroy(character);
    return code;
}
