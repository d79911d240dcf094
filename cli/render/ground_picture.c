/// Ground from a picture, through libpng.
#include "cli/simulate/ground_heights.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_SIDE = 8192 };

typedef struct source {
    cli_bytes bytes;
    size_t at;
} source;

static void read_png_bytes(png_structp png, png_bytep to, size_t size)
{
    source *from = png_get_io_ptr(png);
    if (size > from->bytes.size - from->at) {
        png_error(png, "the file ends early");
    }
    memcpy(to, from->bytes.data + from->at, size);
    from->at += size;
}

static void stay_silent(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void fail(png_structp png, png_const_charp message)
{
    (void)message;
    longjmp(*png_set_longjmp_fn(png, longjmp, sizeof(jmp_buf)), 1);
}

/// Grey values as they are stored, without gamma: 16 bits a pixel, high byte first.
static bool decode(png_structp png, png_infop info, source *from, lmb_height_field *out,
                   uint8_t *volatile *rows)
{
    if (setjmp(*png_set_longjmp_fn(png, longjmp, sizeof(jmp_buf)))) {
        return false;
    }
    png_set_read_fn(png, from, read_png_bytes);
    png_set_user_limits(png, LARGEST_SIDE, LARGEST_SIDE);
    png_read_info(png, info);
    png_set_expand_16(png);
    png_set_strip_alpha(png);
    if (png_get_color_type(png, info) & PNG_COLOR_MASK_COLOR) {
        png_set_rgb_to_gray_fixed(png, PNG_ERROR_ACTION_NONE, -1, -1);
    }
    const int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    out->columns = png_get_image_width(png, info);
    out->rows = png_get_image_height(png, info);
    const size_t stride = png_get_rowbytes(png, info);
    *rows = cli_resize(NULL, out->rows, stride);
    for (int pass = 0; pass < passes; ++pass) {
        for (uint32_t y = 0; y < out->rows; ++y) {
            png_read_row(png, *rows + y * stride, NULL);
        }
    }
    return stride == 2 * (size_t)out->columns;
}

static bool read_size(const char *text, float size[3])
{
    char *end = NULL;
    for (int k = 0; k < 3; ++k) {
        const double x = strtod(text, &end);
        if (end == text || *end != (k < 2 ? ',' : 0) || !(x > 0 && x < 1e6)) {
            return false;
        }
        size[k] = (float)x;
        text = end + 1;
    }
    return true;
}

static lmb_result make_heights(const uint8_t *rows, const float size[3], lmb_height_field *def,
                               lmb_height_field **out, lmb_error *error)
{
    const size_t count = (size_t)def->columns * def->rows;
    def->heights = cli_resize(NULL, count, sizeof *def->heights);
    for (size_t i = 0; i < count; ++i) {
        def->heights[i] = size[2] * (float)(256 * rows[2 * i] + rows[2 * i + 1]) / 65535.0f;
    }
    def->spacing[0] = size[0] / (float)(def->columns - 1);
    def->spacing[1] = size[1] / (float)(def->rows - 1);
    const lmb_result result = lmb_height_field_create(def, NULL, out, error);
    free(def->heights);
    return result;
}

cli_exit cli_ground_picture(const cli_run *cli, const char *path, cli_bytes bytes,
                            const char *size_text, lmb_height_field **out)
{
    float size[3] = {10, 10, 1};
    if (size_text != NULL && !read_size(size_text, size)) {
        return cli_fail(cli, CLI_USAGE,
                        "--ground-size: expected WIDTH,DEPTH,HEIGHT in metres, found \"%s\"",
                        size_text);
    }
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, fail, stay_silent);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    source from = {.bytes = bytes};
    lmb_height_field def = {0};
    uint8_t *volatile rows = NULL;
    const bool fine = info && decode(png, info, &from, &def, &rows);
    png_destroy_read_struct(&png, &info, NULL);
    lmb_error error = {0};
    cli_exit code = CLI_DONE;
    if (!fine || def.columns < 2 || def.rows < 2) {
        code = cli_fail(cli, CLI_INPUT,
                        "%s: expected a PNG picture of 2 x 2 to %d x %d pixels, found none", path,
                        (int)LARGEST_SIDE, (int)LARGEST_SIDE);
    } else {
        const lmb_result result = make_heights(rows, size, &def, out, &error);
        code = result == LMB_OK ? CLI_DONE : cli_fail_call(cli, path, result, &error);
    }
    free(rows);
    return code;
}
