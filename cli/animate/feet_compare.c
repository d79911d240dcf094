/// Feet and hips before and after, in numbers.
#include "cli/animate/feet_compare.h"

#include <string.h>

cli_exit cli_feet_track_make(const cli_run *cli, const lmb_feet_source *source, lmb_feet_track *out)
{
    lmb_error error = {0};
    const lmb_result result = lmb_feet_track_make(source, NULL, out, &error);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, cli->inputs[0], result, &error);
}

void cli_feet_say(const cli_run *cli, const lmb_feet_measure measures[2])
{
    if (measures[0].foot_count > 0 && measures[1].foot_count > 0) {
        cli_say(cli, "sliding", "%.1f cm/s before, %.1f after", 100 * (double)measures[0].slide_m_s,
                100 * (double)measures[1].slide_m_s);
    }
}

cli_exit cli_feet_compare_tracks(cli_run *cli, lmb_feet_track tracks[2], const char *path,
                                 lmb_feet_measure measures[2])
{
    cli_exit code = CLI_DONE;
    memset(measures, 0, 2 * sizeof *measures);
    if (tracks[0].foot_count > 0 && tracks[1].foot_count > 0) {
        for (int k = 0; k < 2; ++k) {
            measures[k] = tracks[k].measure;
        }
        cli_feet_say(cli, measures);
        code = path != NULL ? cli_feet_draw(cli, tracks, path) : CLI_DONE;
    } else if (path != NULL) {
        code = cli_fail(cli, CLI_UNSUPPORTED, "not supported: --plot of %s, which has no legs",
                        cli->inputs[0]);
    }
    lmb_feet_track_free(&tracks[0]);
    lmb_feet_track_free(&tracks[1]);
    return code;
}

cli_exit cli_feet_compare(cli_run *cli, const lmb_feet_source sides[2], const char *path,
                          lmb_feet_measure measures[2])
{
    lmb_feet_track tracks[2] = {{0}, {0}};
    cli_exit code = cli_feet_track_make(cli, &sides[0], &tracks[0]);
    if (code == CLI_DONE) {
        code = cli_feet_track_make(cli, &sides[1], &tracks[1]);
    }
    return code == CLI_DONE ? cli_feet_compare_tracks(cli, tracks, path, measures) : code;
}

void cli_feet_json(cli_json *json, const lmb_feet_measure measures[2])
{
    static const char *const when[2] = {"before", "after"};
    for (int k = 0; k < 2; ++k) {
        if (measures[k].foot_count > 0) {
            cli_json_begin(json, when[k], '{');
            cli_json_integer(json, "feet", measures[k].foot_count);
            cli_json_number(json, "slide_m_s", measures[k].slide_m_s);
            cli_json_number(json, "planted_share", measures[k].planted_fraction);
            cli_json_number(json, "planted_slide", measures[k].sliding_fraction);
            cli_json_number(json, "dip_m", measures[k].dip_m);
            cli_json_number(json, "hips_path_m", measures[k].hips_path_m);
            cli_json_end(json, '}');
        }
    }
}
