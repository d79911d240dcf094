#include "cli/files/markers.h"

#include <stdlib.h>
#include <string.h>

bool cli_format_is_markers(cli_format format)
{
    return format == CLI_C3D || format == CLI_TRC || format == CLI_CSV;
}

static lmb_format library_format(cli_format format)
{
    return format == CLI_C3D ? LMB_FORMAT_C3D : format == CLI_TRC ? LMB_FORMAT_TRC : LMB_FORMAT_CSV;
}

cli_exit cli_markers_parse(cli_run *cli, const char *path, cli_bytes bytes,
                           const cli_read_opts *opts, cli_source *source, lmb_markers **out)
{
    static const cli_read_opts guess_all;
    opts = opts != NULL ? opts : &guess_all;
    const lmb_markers_read_opts in = {
        .unit_m = opts->unit_m, .up = opts->up, .info = &source->markers};
    lmb_error error = {0};
    const lmb_result result = lmb_markers_read(library_format(source->format), bytes.data,
                                               bytes.size, &in, NULL, out, &error);
    if (result != LMB_OK) {
        error.code = result;
        return cli_fail_file(path, &error);
    }
    source->notes = source->markers.notes;
    if (!opts->silent_notes) {
        cli_print_notes(cli, path, &source->notes);
    }
    return CLI_DONE;
}

static void name_losses(const cli_run *cli, cli_format format, const lmb_markers *markers)
{
    const char *const names[3] = {markers->residuals != NULL ? "residuals" : NULL,
                                  markers->analog_count > 0 ? "analog channels" : NULL,
                                  markers->event_count > 0 ? "events" : NULL};
    char list[64] = "";
    for (int k = 0; k < 3; ++k) {
        if (names[k] != NULL) {
            strcat(strcat(list, list[0] != 0 ? ", " : ""), names[k]);
        }
    }
    if (list[0] != 0 && !cli->quiet) {
        cli_warn(cli, "%s cannot hold these, they are left out: %s", cli_format_name(format), list);
    }
}

cli_exit cli_markers_write(cli_run *cli, const char *path, cli_format format,
                           const lmb_markers *markers)
{
    lmb_buffer buffer = {0};
    lmb_error error = {0};
    const lmb_result result =
        lmb_markers_write(library_format(format), markers, NULL, NULL, &buffer, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, path, result, &error);
    }
    if (format != CLI_C3D) {
        name_losses(cli, format, markers);
    }
    const cli_exit code = cli_bytes_write(path, buffer.data, buffer.size);
    lmb_buffer_free(&buffer);
    return code;
}
