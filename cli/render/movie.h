/// Moving pictures: GIF through giflib, MP4 through the ffmpeg program.
#ifndef LIMBER_CLI_MOVIE_H
#define LIMBER_CLI_MOVIE_H

#include "cli/cli.h"

/// A moving picture whose frames are drawn on demand, in any order, possibly more than once.
typedef struct cli_movie {
    uint32_t width, height, frame_count;
    double fps;
    /// Draws frame k into rgba.
    cli_exit (*draw)(void *user, uint32_t k, uint8_t *rgba);
    void *user;
} cli_movie;

/// The whole file, looping for ever. Free out->data with free.
cli_exit cli_gif_encode(const cli_run *cli, const cli_movie *movie, cli_bytes *out);
/// Runs ffmpeg, which writes a temporary file beside `path` that is then renamed. CLI_UNSUPPORTED
/// when ffmpeg is missing.
cli_exit cli_mp4_write(const cli_run *cli, const cli_movie *movie, const char *path);

#endif
