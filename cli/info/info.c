#include "cli/files/limb.h"
#include "cli/files/markers.h"
#include "cli/info/report.h"
#include "cli/posed.h"

#include <stdlib.h>
#include <string.h>

typedef struct info_options {
    cli_in_opts in;
    bool clips;
} info_options;

#include "cli/info/info.options.h"

/// Bounds as a viewer shows the rest pose.
static cli_exit measure_character(info_report *r)
{
    cli_posed posed;
    const cli_exit code = cli_posed_start(&posed, r->cli, r->character);
    if (code == CLI_DONE) {
        cli_posed_at(&posed, r->cli, NULL, 0);
        r->box = posed.box;
        r->has_box = r->box.low.x <= r->box.high.x;
        cli_posed_end(&posed);
    }
    return code;
}

static cli_exit survey(info_report *r)
{
    cli_exit code = measure_character(r);
    lmb_error error = {0};
    if (r->character->skeleton->joint_count > 1) {
        const lmb_result result =
            lmb_motion_guess_make(r->character->skeleton, NULL, NULL, &r->guess, &error);
        r->has_guess = result == LMB_OK;
    }
    for (uint32_t m = 0; code == CLI_DONE && m < r->character->mesh_count; ++m) {
        const lmb_result result =
            lmb_mesh_survey_make(r->character->meshes[m], NULL, &r->surveys[m], &error);
        code = result == LMB_OK ? CLI_DONE
                                : cli_fail_call(r->cli, "the mesh's surface", result, &error);
    }
    return code;
}

static cli_exit report_character(info_report *r, const info_options *opts, lmb_character *character)
{
    if (opts->clips) {
        return cli_clips_print(r->cli, r->path, character, r->source.format == CLI_LIMB);
    }
    r->character = character;
    r->surveys = cli_resize(NULL, character->mesh_count, sizeof(*r->surveys));
    const cli_exit code = survey(r);
    if (code == CLI_DONE) {
        if (r->cli->json) {
            cli_info_json(r);
        } else {
            cli_info_text(r);
        }
    }
    free(r->surveys);
    return code;
}

static cli_exit run_info(cli_run *cli, const void *given)
{
    const info_options *opts = given;
    info_report r = {.cli = cli, .path = cli->inputs[0]};
    cli_read_opts in;
    cli_bytes bytes;
    cli_exit code = cli_in_read(cli, &opts->in, &in);
    if (code == CLI_DONE) {
        code = cli_bytes_read(r.path, &bytes);
    }
    if (code != CLI_DONE) {
        return code;
    }
    r.source.format = bytes.size > 0 ? cli_format_of(r.path, bytes) : CLI_UNKNOWN;
    r.source.size = bytes.size;
    if (cli_format_is_markers(r.source.format)) {
        lmb_markers *markers = NULL;
        code = cli_markers_parse(cli, r.path, bytes, &in, &r.source, &markers);
        if (code == CLI_DONE) {
            cli_markers_print(cli, r.path, markers, &r.source);
        }
        lmb_markers_destroy(markers);
    } else {
        lmb_character *character = NULL;
        code = cli_character_parse(cli, r.path, bytes, &in, &r.source, &character);
        if (code == CLI_DONE) {
            code = report_character(&r, opts, character);
        }
        lmb_character_destroy(character);
    }
    free(bytes.data);
    return code;
}
