#include "cli/render/gif_palette.h"
#include "cli/render/movie.h"

#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

static int append(GifFileType *gif, const GifByteType *data, int size)
{
    cli_bytes *out = gif->UserData;
    out->data = cli_resize(out->data, out->size + (size_t)size, 1);
    memcpy(out->data + out->size, data, (size_t)size);
    out->size += (size_t)size;
    return size;
}

/// Colours of a few frames spread over the movie stand for all.
static cli_exit choose_palette(const cli_movie *movie, uint8_t *rgba, gif_palette *palette)
{
    for (uint32_t k = 0; k < 3; ++k) {
        const cli_exit code =
            movie->draw(movie->user, (uint32_t)((uint64_t)k * movie->frame_count / 3), rgba);
        if (code != CLI_DONE) {
            return code;
        }
        gif_palette_add(palette, rgba, (size_t)movie->width * movie->height);
    }
    gif_palette_choose(palette);
    return CLI_DONE;
}

static bool put_head(GifFileType *gif, const cli_movie *movie, const gif_palette *palette)
{
    GifColorType colors[GIF_COLORS];
    for (int k = 0; k < GIF_COLORS; ++k) {
        colors[k] =
            (GifColorType){palette->colors[k][0], palette->colors[k][1], palette->colors[k][2]};
    }
    ColorMapObject *map = GifMakeMapObject(GIF_COLORS, colors);
    static const unsigned char forever[3] = {1, 0, 0};
    EGifSetGifVersion(gif, true);
    const bool put =
        map && EGifPutScreenDesc(gif, (int)movie->width, (int)movie->height, 8, 0, map) == GIF_OK &&
        EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
        EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") == GIF_OK &&
        EGifPutExtensionBlock(gif, 3, forever) == GIF_OK && EGifPutExtensionTrailer(gif) == GIF_OK;
    GifFreeMapObject(map);
    return put;
}

/// GIF counts time in hundredths: frames alternate so that the whole keeps its pace.
static int delay_of(const cli_movie *movie, uint32_t k)
{
    const double begin = 100.0 * k / movie->fps, end = 100.0 * (k + 1) / movie->fps;
    return (int)(end + 0.5) - (int)(begin + 0.5);
}

static bool put_frame(GifFileType *gif, const cli_movie *movie, uint32_t k, uint8_t *indices)
{
    GraphicsControlBlock control = {.DisposalMode = DISPOSE_DO_NOT,
                                    .DelayTime = delay_of(movie, k),
                                    .TransparentColor = NO_TRANSPARENT_COLOR};
    GifByteType block[4];
    EGifGCBToExtension(&control, block);
    return EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, sizeof block, block) == GIF_OK &&
           EGifPutImageDesc(gif, 0, 0, (int)movie->width, (int)movie->height, false, NULL) ==
               GIF_OK &&
           EGifPutLine(gif, indices, (int)(movie->width * movie->height)) == GIF_OK;
}

static cli_exit put_frames(const cli_run *cli, GifFileType *gif, const cli_movie *movie,
                           uint8_t *rgba, uint8_t *indices)
{
    gif_palette *palette = cli_resize(NULL, 1, sizeof *palette);
    memset(palette, 0, sizeof *palette);
    cli_exit code = choose_palette(movie, rgba, palette);
    bool put = code == CLI_DONE && put_head(gif, movie, palette);
    for (uint32_t k = 0; put && code == CLI_DONE && k < movie->frame_count; ++k) {
        code = movie->draw(movie->user, k, rgba);
        if (code == CLI_DONE) {
            gif_palette_apply(palette, rgba, movie->width, movie->height, indices);
            put = put_frame(gif, movie, k, indices);
        }
    }
    free(palette);
    return put || code != CLI_DONE ? code
                                   : cli_fail(cli, CLI_FAILED, "the GIF could not be encoded: %s",
                                              GifErrorString(gif->Error));
}

cli_exit cli_gif_encode(const cli_run *cli, const cli_movie *movie, cli_bytes *out)
{
    *out = (cli_bytes){NULL, 0};
    int why = 0;
    GifFileType *gif = EGifOpen(out, append, &why);
    if (gif == NULL) {
        return cli_fail(cli, CLI_FAILED, "the GIF could not be begun: %s", GifErrorString(why));
    }
    uint8_t *rgba = cli_resize(NULL, (size_t)movie->width * movie->height, 4);
    uint8_t *indices = cli_resize(NULL, (size_t)movie->width * movie->height, 1);
    const cli_exit code = put_frames(cli, gif, movie, rgba, indices);
    EGifCloseFile(gif, &why);
    free(rgba);
    free(indices);
    if (code != CLI_DONE) {
        free(out->data);
        *out = (cli_bytes){NULL, 0};
    }
    return code;
}
