#include "cli/render/texture.h"

#include <jpeglib.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_TEXTURE = 16384 };

/// What the pictures of one character may unpack to together: as much as eight of 4096 x 4096, and
/// more where the files are as large as pictures with something in them are.
#define TEXTURES_BYTES ((uint64_t)512 << 20)
#define TEXTURES_TIMES 64u

/// Whether as many pixels are left in the budget; they are taken from it.
static bool spend(uint64_t *budget, uint32_t width, uint32_t height)
{
    const uint64_t bytes = (uint64_t)width * height * 4;
    const bool fits = width <= LARGEST_TEXTURE && height <= LARGEST_TEXTURE && bytes <= *budget;
    *budget -= fits ? bytes : 0;
    return fits;
}

static bool decode_png(const lmb_image *image, uint64_t *budget, lmb_picture *out)
{
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_memory(&png, image->bytes, image->byte_count)) {
        return false;
    }
    if (!spend(budget, png.width, png.height)) {
        png_image_free(&png);
        return false;
    }
    png.format = PNG_FORMAT_RGBA;
    uint8_t *rgba = cli_resize(NULL, (size_t)png.width * png.height, 4);
    if (!png_image_finish_read(&png, NULL, rgba, 0, NULL)) {
        free(rgba);
        return false;
    }
    *out = (lmb_picture){png.width, png.height, rgba};
    return true;
}

/// libjpeg reports fatal errors through a callback that must not return.
typedef struct jpeg_escape {
    struct jpeg_error_mgr base;
    jmp_buf out;
} jpeg_escape;

static void escape(j_common_ptr info)
{
    longjmp(((jpeg_escape *)info->err)->out, 1);
}

static void stay_silent(j_common_ptr info)
{
    (void)info;
}

static void copy_row(const JSAMPLE *row, uint32_t width, uint8_t *rgba)
{
    for (uint32_t x = 0; x < width; ++x) {
        memcpy(&rgba[4 * x], &row[3 * x], 3);
        rgba[4 * x + 3] = 255;
    }
}

static bool decode_jpeg(const lmb_image *image, uint64_t *budget, lmb_picture *out)
{
    struct jpeg_decompress_struct info;
    jpeg_escape errors;
    JSAMPLE *volatile row = NULL;
    uint8_t *volatile rgba = NULL;
    info.err = jpeg_std_error(&errors.base);
    errors.base.error_exit = escape;
    errors.base.output_message = stay_silent;
    jpeg_create_decompress(&info);
    if (setjmp(errors.out)) {
        jpeg_destroy_decompress(&info);
        free(row);
        free(rgba);
        return false;
    }
    jpeg_mem_src(&info, image->bytes, (unsigned long)image->byte_count);
    jpeg_read_header(&info, TRUE);
    // A progressive one is kept whole in 6 bytes a pixel while its scans are read.
    const bool scans = jpeg_has_multiple_scans(&info);
    if (!spend(budget, info.image_width, info.image_height) ||
        (scans && !spend(budget, info.image_width, info.image_height)) ||
        (scans && !spend(budget, info.image_width, info.image_height))) {
        escape((j_common_ptr)&info);
    }
    info.out_color_space = JCS_RGB;
    jpeg_start_decompress(&info);
    row = cli_resize(NULL, info.output_width, 3);
    rgba = cli_resize(NULL, (size_t)info.output_width * info.output_height, 4);
    while (info.output_scanline < info.output_height) {
        const size_t y = info.output_scanline;
        JSAMPROW rows[1] = {row};
        jpeg_read_scanlines(&info, rows, 1);
        copy_row(row, info.output_width, rgba + 4 * y * info.output_width);
    }
    jpeg_finish_decompress(&info); // may still escape: the pixels are handed over after it
    *out = (lmb_picture){info.output_width, info.output_height, rgba};
    jpeg_destroy_decompress(&info);
    free(row);
    return true;
}

bool cli_texture_decode(const lmb_image *image, uint64_t *budget, lmb_picture *out)
{
    static const uint8_t png_magic[4] = {0x89, 'P', 'N', 'G'}, jpeg_magic[3] = {0xff, 0xd8, 0xff};
    *out = (lmb_picture){0, 0, NULL};
    if (image->bytes == NULL || image->byte_count < 4) {
        return image->bytes == NULL;
    }
    if (memcmp(image->bytes, png_magic, 4) == 0) {
        return decode_png(image, budget, out);
    }
    return memcmp(image->bytes, jpeg_magic, 3) == 0 && decode_jpeg(image, budget, out);
}

void cli_textures_start(const cli_run *cli, cli_textures *textures, const lmb_appearance *look)
{
    uint64_t budget = TEXTURES_BYTES;
    uint32_t missing = 0;
    textures->count = look ? look->image_count : 0;
    textures->pictures = cli_resize(NULL, textures->count, sizeof *textures->pictures);
    for (uint32_t i = 0; i < textures->count; ++i) {
        budget += (uint64_t)look->images[i].byte_count * TEXTURES_TIMES;
    }
    for (uint32_t i = 0; i < textures->count; ++i) {
        missing += !cli_texture_decode(&look->images[i], &budget, &textures->pictures[i]);
    }
    if (missing > 0) {
        cli_warn(cli,
                 "%u of %u pictures are left out: no PNG or JPEG, damaged, over %d pixels wide or "
                 "high, or together far larger than their files",
                 missing, textures->count, (int)LARGEST_TEXTURE);
    }
}

void cli_textures_end(cli_textures *textures)
{
    for (uint32_t i = 0; i < textures->count; ++i) {
        free(textures->pictures[i].rgba);
    }
    free(textures->pictures);
}
