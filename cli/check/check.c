#include "cli/cli.h"
#include "cli/files/markers.h"

#include <stdlib.h>

typedef struct check_options {
    cli_in_opts in;
    int fail_on;
} check_options;

enum { FAIL_ON_ERROR, FAIL_ON_WARNING, FAIL_ON_NOTE, FAIL_NEVER };

#include "cli/check/check.options.h"

static const char *const severity_names[LMB_SEVERITIES] = {"note", "warning", "error"};

/// The location of FILE-001 is the reader's message.
static bool is_readers(const lmb_finding *finding)
{
    return finding->text == NULL;
}

/// Prints a finding, and how `limber rig` would repair it on a second line.
static void print_finding(const lmb_finding *finding)
{
    cli_print("%s  %-7s  ", finding->code, severity_names[finding->severity]);
    if (is_readers(finding)) {
        cli_print("%s", finding->location);
        cli_print(finding->first > 0 ? " (line %u)\n" : "\n", finding->first);
    } else if (finding->count == 1 && finding->first == 0) {
        cli_print("%s: %u %s\n", finding->location, finding->count, finding->text);
    } else {
        cli_print("%s: %u %s (first %u)\n", finding->location, finding->count, finding->text,
                  finding->first);
    }
    if (finding->repair) {
        cli_print("              rig: %s\n", finding->repair);
    }
}

static void print_json(const char *path, const lmb_findings *findings)
{
    const uint32_t *counts = findings->severity_counts;
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "file", path);
    cli_json_integer(&json, "errors", counts[LMB_SEVERITY_ERROR]);
    cli_json_integer(&json, "warnings", counts[LMB_SEVERITY_WARNING]);
    cli_json_integer(&json, "notes", counts[LMB_SEVERITY_NOTE]);
    cli_json_begin(&json, "findings", '[');
    for (uint32_t i = 0; i < findings->count; ++i) {
        const lmb_finding *finding = &findings->items[i];
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "code", finding->code);
        cli_json_text(&json, "severity", severity_names[finding->severity]);
        cli_json_text(&json, "place", is_readers(finding) ? NULL : finding->location);
        cli_json_text(&json, "text", is_readers(finding) ? finding->location : finding->text);
        cli_json_integer(&json, "count", finding->count);
        cli_json_integer(&json, "first", finding->first);
        if (finding->repair) {
            cli_json_text(&json, "rig", finding->repair);
        }
        cli_json_end(&json, '}');
    }
    cli_json_end(&json, ']');
    cli_json_end(&json, '}');
}

static cli_exit judge(const cli_run *cli, const check_options *opts, const lmb_findings *findings)
{
    const uint32_t *counts = findings->severity_counts;
    if (cli->json) {
        print_json(cli->inputs[0], findings);
    } else {
        for (uint32_t i = 0; i < findings->count; ++i) {
            print_finding(&findings->items[i]);
        }
        cli_say(cli, "check", "%u errors, %u warnings, %u notes", counts[LMB_SEVERITY_ERROR],
                counts[LMB_SEVERITY_WARNING], counts[LMB_SEVERITY_NOTE]);
    }
    uint32_t bad = opts->fail_on == FAIL_NEVER ? 0 : counts[LMB_SEVERITY_ERROR];
    bad += opts->fail_on == FAIL_ON_WARNING || opts->fail_on == FAIL_ON_NOTE
               ? counts[LMB_SEVERITY_WARNING]
               : 0;
    bad += opts->fail_on == FAIL_ON_NOTE ? counts[LMB_SEVERITY_NOTE] : 0;
    return bad > 0 ? CLI_GATE : CLI_DONE;
}

static cli_exit find_faults(cli_run *cli, cli_bytes bytes, const cli_read_opts *in,
                            cli_source *source, lmb_findings **out)
{
    const char *path = cli->inputs[0];
    lmb_markers *markers = NULL;
    lmb_character *character = NULL;
    cli_exit code = cli_format_is_markers(source->format)
                        ? cli_markers_parse(cli, path, bytes, in, source, &markers)
                        : cli_character_parse(cli, path, bytes, in, source, &character);
    if (code == CLI_DONE) {
        const lmb_check_def def = {
            .character = character, .markers = markers, .notes = &source->notes};
        lmb_error error = {0};
        const lmb_result result = lmb_check(&def, NULL, out, &error);
        code =
            result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "the mesh's surface", result, &error);
    }
    lmb_markers_destroy(markers);
    lmb_character_destroy(character);
    return code;
}

static cli_exit run_check(cli_run *cli, const void *given)
{
    const check_options *opts = given;
    cli_read_opts in;
    cli_bytes bytes;
    cli_exit code = cli_in_read(cli, &opts->in, &in);
    if (code == CLI_DONE) {
        code = cli_bytes_read(cli->inputs[0], &bytes);
    }
    if (code != CLI_DONE) {
        return code;
    }
    in.silent_notes = true;
    cli_source source = {.format =
                             bytes.size > 0 ? cli_format_of(cli->inputs[0], bytes) : CLI_UNKNOWN,
                         .size = bytes.size};
    lmb_findings *findings = NULL;
    code = find_faults(cli, bytes, &in, &source, &findings);
    if (code == CLI_DONE) {
        code = judge(cli, opts, findings);
    }
    lmb_findings_destroy(findings);
    free(bytes.data);
    return code;
}
