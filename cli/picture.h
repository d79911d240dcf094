/// Pictures as PNG, through libpng.
#ifndef LIMBER_CLI_PICTURE_H
#define LIMBER_CLI_PICTURE_H

#include "cli/cli.h"

/// Writes an 8-bit RGBA picture.
cli_exit cli_png_write(const cli_run *cli, lmb_picture picture, const char *path);

#endif
