/// limber convert: a VRM of a character that was none.
#ifndef CLI_FILES_VRM_H
#define CLI_FILES_VRM_H

#include "cli/cli.h"

typedef struct cli_vrm_options {
    const char *author, *title, *copyright, *licence;
    cli_list permits;
} cli_vrm_options;

/// Whether one of the options is given.
bool cli_vrm_is_asked(const cli_run *cli);
/// Writes the character as VRM 1.0 with the author that the options name. CLI_USAGE where they name
/// none, for a permission that is unknown, or an output that is no .vrm.
cli_exit cli_vrm_write(cli_run *cli, const char *output, const cli_vrm_options *options,
                       const lmb_character *character);

#endif
