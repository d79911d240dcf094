#include "cli/check/rules.h"
#include "cli/files/markers.h"

#include <stdlib.h>

typedef struct check_options {
    cli_in_opts in;
    int fail_on;
} check_options;

enum { FAIL_ON_ERROR, FAIL_ON_WARNING, FAIL_ON_NOTE, FAIL_NEVER };

static const cli_option options[] = {
    {"fail-on", 0, CLI_CHOICE, offsetof(check_options, fail_on), "error|warning|note|never",
     "exit with 6 when something at least this bad is found (default error)"},
    CLI_IN_OPTIONS(check_options),
    CLI_END,
};

static const char *const severity_names[CLI_SEVERITY_COUNT] = {
    [CLI_NOTE] = "note", [CLI_WARNING] = "warning", [CLI_ERROR] = "error"};

/// The location of FILE-001 is the reader's message.
static bool is_readers(const cli_finding *finding)
{
    return finding->rule->text[0] == '%';
}

/// Prints a finding, and how `limber rig` would repair it on a second line.
static void print_finding(const cli_finding *finding)
{
    cli_print("%s  %-7s  ", finding->rule->code, severity_names[finding->rule->severity]);
    if (is_readers(finding)) {
        cli_print("%s", finding->location);
        cli_print(finding->first > 0 ? " (line %u)\n" : "\n", finding->first);
    } else if (finding->count == 1 && finding->first == 0) {
        cli_print("%s: %u %s\n", finding->location, finding->count, finding->rule->text);
    } else {
        cli_print("%s: %u %s (first %u)\n", finding->location, finding->count, finding->rule->text,
                  finding->first);
    }
    if (finding->rule->done) {
        cli_print("              rig: %s\n", finding->rule->done);
    }
}

static void print_json(const char *path, const cli_findings *findings,
                       const uint32_t counts[CLI_SEVERITY_COUNT])
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "file", path);
    cli_json_integer(&json, "errors", counts[CLI_ERROR]);
    cli_json_integer(&json, "warnings", counts[CLI_WARNING]);
    cli_json_integer(&json, "notes", counts[CLI_NOTE]);
    cli_json_begin(&json, "findings", '[');
    for (size_t i = 0; i < findings->count; ++i) {
        const cli_finding *finding = &findings->items[i];
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "code", finding->rule->code);
        cli_json_text(&json, "severity", severity_names[finding->rule->severity]);
        cli_json_text(&json, "place", is_readers(finding) ? NULL : finding->location);
        cli_json_text(&json, "text", is_readers(finding) ? finding->location : finding->rule->text);
        cli_json_integer(&json, "count", finding->count);
        cli_json_integer(&json, "first", finding->first);
        if (finding->rule->done) {
            cli_json_text(&json, "rig", finding->rule->done);
        }
        cli_json_end(&json, '}');
    }
    cli_json_end(&json, ']');
    cli_json_end(&json, '}');
}

static cli_exit judge(const cli_run *cli, const check_options *opts, const cli_findings *findings)
{
    uint32_t counts[CLI_SEVERITY_COUNT] = {0};
    for (size_t i = 0; i < findings->count; ++i) {
        ++counts[findings->items[i].rule->severity];
    }
    if (cli->json) {
        print_json(cli->inputs[0], findings, counts);
    } else {
        for (size_t i = 0; i < findings->count; ++i) {
            print_finding(&findings->items[i]);
        }
        cli_say(cli, "check", "%u errors, %u warnings, %u notes", counts[CLI_ERROR],
                counts[CLI_WARNING], counts[CLI_NOTE]);
    }
    uint32_t bad = opts->fail_on == FAIL_NEVER ? 0 : counts[CLI_ERROR];
    bad +=
        opts->fail_on == FAIL_ON_WARNING || opts->fail_on == FAIL_ON_NOTE ? counts[CLI_WARNING] : 0;
    bad += opts->fail_on == FAIL_ON_NOTE ? counts[CLI_NOTE] : 0;
    return bad > 0 ? CLI_GATE : CLI_DONE;
}

static cli_exit find_faults(cli_run *cli, cli_bytes bytes, const cli_read_opts *in,
                            cli_source *source, cli_findings *findings)
{
    const char *path = cli->inputs[0];
    if (cli_format_is_markers(source->format)) {
        lmb_markers *markers = NULL;
        const cli_exit code = cli_markers_parse(cli, path, bytes, in, source, &markers);
        if (code == CLI_DONE) {
            cli_check_notes(&source->notes, findings);
            cli_check_markers(markers, findings);
        }
        lmb_markers_destroy(markers);
        return code;
    }
    lmb_character *character = NULL;
    cli_exit code = cli_character_parse(cli, path, bytes, in, source, &character);
    if (code == CLI_DONE) {
        cli_check_notes(&source->notes, findings);
        code = cli_check_character(cli, character, findings);
    }
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
    cli_findings findings = {0};
    code = find_faults(cli, bytes, &in, &source, &findings);
    if (code == CLI_DONE) {
        code = judge(cli, opts, &findings);
    }
    free(findings.items);
    free(bytes.data);
    return code;
}

const cli_command cli_command_check = {
    .name = "check",
    .arguments = "FILE",
    .summary = "Says what is wrong with a file, each finding with a stable code, on stdout. Exits "
               "with 6 when "
               "something is as bad as --fail-on says, with 3 when the file cannot be read at all.",
    .min_inputs = 1,
    .max_inputs = 1,
    .options = options,
    .options_size = sizeof(check_options),
    .run = run_check,
};
