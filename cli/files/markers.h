/// Marker sets from files and into files: C3D, TRC, tables.
#ifndef LIMBER_CLI_MARKERS_H
#define LIMBER_CLI_MARKERS_H

#include "cli/cli.h"

bool cli_format_is_markers(cli_format format);
/// Reads the bytes of a file of such a format. Says what is wrong on stderr and returns 3 or 4.
cli_exit cli_markers_parse(cli_run *cli, const char *path, cli_bytes bytes,
                           const cli_read_opts *opts, cli_source *source, lmb_markers **out);
cli_exit cli_markers_write(cli_run *cli, const char *path, cli_format format,
                           const lmb_markers *markers);

/// What `info` prints of a marker set, on stdout; JSON with --json.
void cli_markers_print(const cli_run *cli, const char *path, const lmb_markers *markers,
                       const cli_source *source);

#endif
