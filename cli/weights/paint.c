/// limber weights paint: a brush that goes where a file of strokes says.
#include "cli/rig/rigging.h"

#include <stdlib.h>

static void print_painting(const cli_run *cli, const lmb_paint_report *r)
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", cli->output);
    cli_json_text(&json, "operation", "paint");
    cli_json_integer(&json, "strokes", r->stroke_count);
    cli_json_integer(&json, "dabs", r->dab_count);
    cli_json_integer(&json, "changed", r->changed_count);
    cli_json_end(&json, '}');
}

cli_exit cli_weights_paint(cli_run *cli, const char *strokes, lmb_character **character)
{
    cli_bytes text;
    lmb_paint_report report;
    lmb_error error = {0};
    cli_exit code = cli_bytes_read(strokes, &text);
    if (code != CLI_DONE) {
        return code;
    }
    const lmb_result result =
        lmb_weights_paint(character, text.data, text.size, NULL, &report, &error);
    free(text.data);
    if (result != LMB_OK) {
        return result == LMB_ERROR_MALFORMED ? cli_fail_file(strokes, &error)
                                             : cli_fail_call(cli, cli->inputs[1], result, &error);
    }
    cli_say(cli, "weights", "paint: %u strokes of %u dabs changed %u vertices", report.stroke_count,
            report.dab_count, report.changed_count);
    code = cli_character_write(cli, cli->output, "glb", *character);
    if (code == CLI_DONE && cli->json) {
        print_painting(cli, &report);
    }
    return code;
}
