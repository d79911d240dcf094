/// Fields of heights from files: ESRI ASCII grids and pictures.
#ifndef LIMBER_CLI_GROUND_HEIGHTS_H
#define LIMBER_CLI_GROUND_HEIGHTS_H

#include "cli/cli.h"

/// By the name: .asc or .png.
bool cli_heights_is(const char *path);
/// `size`: of a picture, "WIDTH,DEPTH,HEIGHT" in metres; NULL: 10,10,1. The picture's top is far
/// away (-z), white is high.
cli_exit cli_heights_read(const cli_run *cli, const char *path, const char *size,
                          lmb_height_field **out);
/// The same of a PNG picture that was read; libpng's part of it.
cli_exit cli_ground_picture(const cli_run *cli, const char *path, cli_bytes bytes, const char *size,
                            lmb_height_field **out);

#endif
