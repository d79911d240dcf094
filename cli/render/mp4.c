#include "cli/render/movie.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/// Starts ffmpeg reading raw frames from a pipe. The child ends with 127 when there is no ffmpeg.
static pid_t start_ffmpeg(const cli_movie *movie, const char *path, int *to_child)
{
    char size[32], rate[32];
    snprintf(size, sizeof size, "%ux%u", movie->width, movie->height);
    snprintf(rate, sizeof rate, "%.6g", movie->fps);
    int ends[2];
    if (pipe(ends) != 0) {
        return -1;
    }
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        execlp("ffmpeg", "ffmpeg", "-loglevel", "error", "-nostats", "-f", "rawvideo", "-pix_fmt",
               "rgba", "-s", size, "-r", rate, "-i", "-", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2",
               "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4", "-y", path,
               (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    *to_child = ends[1];
    return child;
}

static bool write_all(int file, const uint8_t *data, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(file, data, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        data += written;
        size -= (size_t)written;
    }
    return true;
}

static cli_exit feed(const cli_movie *movie, int file)
{
    const size_t size = (size_t)movie->width * movie->height * 4;
    uint8_t *rgba = cli_resize(NULL, size, 1);
    cli_exit code = CLI_DONE;
    bool open = true;
    for (uint32_t k = 0; code == CLI_DONE && open && k < movie->frame_count; ++k) {
        code = movie->draw(movie->user, k, rgba);
        // a closed pipe: ffmpeg's exit status says why
        open = code == CLI_DONE && write_all(file, rgba, size);
    }
    free(rgba);
    return code;
}

cli_exit cli_mp4_write(const cli_run *cli, const cli_movie *movie, const char *path)
{
    char temporary[4096];
    if (snprintf(temporary, sizeof temporary, "%s.part", path) >= (int)sizeof temporary) {
        return cli_fail(cli, CLI_OUTPUT, "%s: the name is too long", path);
    }
    signal(SIGPIPE, SIG_IGN); // a child that ends early shows as a failed write
    int to_child = -1, status = 0;
    const pid_t child = start_ffmpeg(movie, temporary, &to_child);
    if (child < 0) {
        return cli_fail(cli, CLI_FAILED, "no process for ffmpeg: %s", strerror(errno));
    }
    const cli_exit code = feed(movie, to_child);
    close(to_child);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const int left = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (code == CLI_DONE && left == 0 && rename(temporary, path) == 0) {
        return CLI_DONE;
    }
    unlink(temporary);
    if (code != CLI_DONE) {
        return code;
    }
    if (left == 127) {
        return cli_fail(
            cli, CLI_UNSUPPORTED,
            "MP4 needs the program ffmpeg, which is not on the PATH; a .gif needs nothing");
    }
    return cli_fail(cli, CLI_OUTPUT, "%s: ffmpeg ended with %d", path, left);
}
