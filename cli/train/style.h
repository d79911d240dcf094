/// Styles on the command line.
#ifndef LIMBER_CLI_STYLE_H
#define LIMBER_CLI_STYLE_H

#include "cli/cli.h"

/// Reads a style. Says what is wrong on stderr and returns 3 or 4. Destroy with lmb_style_destroy.
cli_exit cli_style_read(const char *path, lmb_style **out);
/// What a style says of itself, on stderr.
void cli_say_style(const cli_run *cli, const char *label, const lmb_style_report *report);
/// The same as members of the innermost object.
void cli_json_report(cli_json *json, const lmb_style_report *report);

#endif
