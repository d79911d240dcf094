/// Feet and hips before and after, in numbers.
#include "cli/animate/feet_compare.h"

#include <string.h>

cli_exit cli_feet_compare_tracks(cli_run *cli, cli_feet_track tracks[2], const char *path,
                                 cli_feet_measure measures[2])
{
    cli_exit code = CLI_DONE;
    memset(measures, 0, 2 * sizeof *measures);
    if (tracks[0].feet > 0 && tracks[1].feet > 0) {
        for (int k = 0; k < 2; ++k) {
            measures[k] = cli_feet_measure_of(&tracks[k]);
        }
        cli_say(cli, "sliding", "%.1f cm/s before, %.1f after", 100 * (double)measures[0].slide_m_s,
                100 * (double)measures[1].slide_m_s);
        code = path != NULL ? cli_feet_draw(cli, tracks, path) : CLI_DONE;
    } else if (path != NULL) {
        code = cli_fail(cli, CLI_UNSUPPORTED, "not supported: --plot of %s, which has no legs",
                        cli->inputs[0]);
    }
    cli_feet_track_free(&tracks[0]);
    cli_feet_track_free(&tracks[1]);
    return code;
}

cli_exit cli_feet_compare(cli_run *cli, const cli_feet_side sides[2], const char *path,
                          cli_feet_measure measures[2])
{
    cli_feet_track tracks[2] = {{0}, {0}};
    cli_exit code = cli_feet_track_make(cli, &sides[0], &tracks[0]);
    if (code == CLI_DONE) {
        code = cli_feet_track_make(cli, &sides[1], &tracks[1]);
    }
    return code == CLI_DONE ? cli_feet_compare_tracks(cli, tracks, path, measures) : code;
}

void cli_feet_json(cli_json *json, const cli_feet_measure measures[2])
{
    static const char *const when[2] = {"before", "after"};
    for (int k = 0; k < 2; ++k) {
        if (measures[k].feet > 0) {
            cli_json_begin(json, when[k], '{');
            cli_json_integer(json, "feet", measures[k].feet);
            cli_json_number(json, "slide_m_s", measures[k].slide_m_s);
            cli_json_number(json, "planted_share", measures[k].planted_share);
            cli_json_number(json, "planted_slide", measures[k].planted_slide);
            cli_json_number(json, "dip_m", measures[k].dip_m);
            cli_json_number(json, "hips_path_m", measures[k].hips_path_m);
            cli_json_end(json, '}');
        }
    }
}
