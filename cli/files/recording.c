#include "cli/files/recording.h"

#include <stdlib.h>
#include <string.h>

#include "cli/files/markers.h"

static cli_exit read_motion(cli_run *cli, const char *path, const cli_read_opts *opts,
                            const char *name, lmb_markers **out)
{
    lmb_character *character = NULL;
    uint32_t clip = 0;
    cli_exit code = cli_character_read(cli, path, opts, NULL, &character);
    if (code == CLI_DONE && character->clip_count == 0) {
        code = cli_fail(cli, CLI_INPUT, "%s: expected points over time, found a file without any",
                        path);
    }
    if (code == CLI_DONE && name != NULL) {
        code = cli_clip_find(cli, character, name, &clip);
    }
    if (code == CLI_DONE) {
        lmb_error error = {0};
        const lmb_result result = lmb_markers_of_clip(character, clip, 0, NULL, out, &error);
        code = result == LMB_OK ? CLI_DONE : cli_fail_call(cli, path, result, &error);
    }
    lmb_character_destroy(character);
    return code;
}

static cli_exit read_npz(const char *path, cli_bytes bytes, const cli_read_opts *opts,
                         lmb_markers **out)
{
    lmb_error error = {0};
    const lmb_markers_read_opts how = {.unit_m = opts->unit_m, .up = opts->up};
    const lmb_result result =
        lmb_markers_read(LMB_FORMAT_NPZ, bytes.data, bytes.size, &how, NULL, out, &error);
    if (result != LMB_OK) {
        error.code = result;
        return cli_fail_file(path, &error);
    }
    return CLI_DONE;
}

cli_exit cli_recording_read(cli_run *cli, const char *path, const cli_read_opts *opts,
                            const char *clip, lmb_markers **out)
{
    cli_bytes bytes;
    cli_source source = {0};
    cli_exit code = cli_bytes_read(path, &bytes);
    if (code != CLI_DONE) {
        return code;
    }
    source.format = cli_format_of(path, bytes);
    source.size = bytes.size;
    if (cli_format_is_markers(source.format)) {
        code = cli_markers_parse(cli, path, bytes, opts, &source, out);
    } else if ((source.format == CLI_NPZ || source.format == CLI_UNKNOWN) &&
               lmb_content_is(LMB_CONTENT_MARKERS, bytes.data, bytes.size)) {
        code = read_npz(path, bytes, opts, out);
    } else {
        code = read_motion(cli, path, opts, clip, out);
    }
    free(bytes.data);
    return code;
}
