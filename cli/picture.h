/// Pictures as PNG, through libpng.
#ifndef LIMBER_CLI_PICTURE_H
#define LIMBER_CLI_PICTURE_H

#include "cli/cli.h"

/// Encodes an 8-bit RGBA picture. Free out->data with free.
cli_exit cli_png_encode(const cli_run *cli, lmb_picture picture, cli_bytes *out);

#endif
