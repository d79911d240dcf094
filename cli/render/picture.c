#include "cli/picture.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

cli_exit cli_png_write(const cli_run *cli, lmb_picture picture, const char *path)
{
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = picture.width;
    image.height = picture.height;
    image.format = PNG_FORMAT_RGBA;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    uint8_t *data = cli_resize(NULL, size, 1);
    if (!png_image_write_to_memory(&image, data, &size, 0, picture.rgba, 0, NULL)) {
        free(data);
        return cli_fail(cli, CLI_FAILED, "the picture could not be encoded: %s", image.message);
    }
    const cli_exit code = cli_bytes_write(path, data, size);
    free(data);
    return code;
}
