/// What the command does through libpng, refused by name: the module has no libpng.
#include "cli/picture.h"
#include "cli/simulate/ground_heights.h"

cli_exit cli_png_write(const cli_run *cli, lmb_picture picture, const char *path)
{
    (void)picture, (void)path;
    return cli_fail(cli, CLI_UNSUPPORTED, "not supported: pictures are not made in the browser");
}

cli_exit cli_ground_picture(const cli_run *cli, const char *path, cli_bytes bytes, const char *size,
                            lmb_height_field **out)
{
    (void)bytes, (void)size, (void)out;
    return cli_fail(cli, CLI_UNSUPPORTED,
                    "not supported: %s: pictures are not read in the browser; a grid (.asc) is",
                    path);
}
