#include "texture.h"

#include <jpeglib.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_TEXTURE = 16384 };

static bool decode_png(const lmb_image *image, lmb_picture *out)
{
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_memory(&png, image->bytes, image->byte_count)) {
        return false;
    }
    if (png.width > LARGEST_TEXTURE || png.height > LARGEST_TEXTURE) {
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

static bool decode_jpeg(const lmb_image *image, lmb_picture *out)
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
    if (info.image_width > LARGEST_TEXTURE || info.image_height > LARGEST_TEXTURE) {
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

static void decode(const lmb_image *image, lmb_picture *out)
{
    static const uint8_t png_magic[4] = {0x89, 'P', 'N', 'G'}, jpeg_magic[3] = {0xff, 0xd8, 0xff};
    *out = (lmb_picture){0, 0, NULL};
    if (image->bytes == NULL || image->byte_count < 4) {
        return;
    }
    if (memcmp(image->bytes, png_magic, 4) == 0) {
        decode_png(image, out);
    } else if (memcmp(image->bytes, jpeg_magic, 3) == 0) {
        decode_jpeg(image, out);
    }
}

void cli_textures_start(cli_textures *textures, const lmb_look *look)
{
    textures->count = look ? look->image_count : 0;
    textures->pictures = cli_resize(NULL, textures->count, sizeof *textures->pictures);
    for (uint32_t i = 0; i < textures->count; ++i) {
        decode(&look->images[i], &textures->pictures[i]);
    }
}

void cli_textures_end(cli_textures *textures)
{
    for (uint32_t i = 0; i < textures->count; ++i) {
        free(textures->pictures[i].rgba);
    }
    free(textures->pictures);
}
