#include "cli/animate/clearance.h"
#include "cli/posed.h"

#include <math.h>

enum { FRAMES_MOST = 120 };
/// What shows to the eye on a body of a person's size.
#define FAR_M 0.05f

cli_exit cli_clearance_measure(const cli_run *cli, const lmb_character *character,
                               const lmb_clip *clip, cli_clearance *out)
{
    *out = (cli_clearance){0};
    if (character->instance_count == 0) {
        return CLI_DONE;
    }
    cli_posed posed;
    const cli_exit code = cli_posed_start(&posed, cli, character);
    if (code != CLI_DONE) {
        return code;
    }
    const double duration_s = (double)lmb_clip_duration_s(clip);
    const double frames = fmin(ceil(duration_s * 30) + 1, (double)FRAMES_MOST);
    cli_posed_at(&posed, cli, NULL, 0);
    const float floor_y = posed.box.low.y;
    *out = (cli_clearance){true, 1e30f, -1e30f};
    for (int f = 0; f < (int)frames; ++f) {
        const double time_s = frames > 1 ? duration_s * f / (frames - 1) : 0;
        cli_posed_at(&posed, cli, clip, time_s);
        out->least_m = fminf(out->least_m, posed.box.low.y - floor_y);
        out->most_m = fmaxf(out->most_m, posed.box.low.y - floor_y);
    }
    cli_posed_end(&posed);
    return CLI_DONE;
}

void cli_clearance_say(const cli_run *cli, const char *name, const cli_clearance *clearance)
{
    if (!clearance->measured) {
        return;
    }
    cli_say(cli, "ground", "the lowest skin is at %.1f to %.1f cm over the clip",
            100 * (double)clearance->least_m, 100 * (double)clearance->most_m);
    if (clearance->least_m > FAR_M) {
        cli_warn(cli, "%s floats: it never comes nearer to its ground than %.0f cm", name,
                 100 * (double)clearance->least_m);
    }
    if (clearance->least_m < -FAR_M) {
        cli_warn(cli, "%s goes %.0f cm into its ground", name, -100 * (double)clearance->least_m);
    }
}

void cli_clearance_json(cli_json *json, const cli_clearance *clearance)
{
    if (clearance->measured) {
        cli_json_begin(json, "ground", '{');
        cli_json_number(json, "least_m", clearance->least_m);
        cli_json_number(json, "most_m", clearance->most_m);
        cli_json_end(json, '}');
    }
}
