#include "cli/animate/motion.h"

/// Distance from the ground that is visible, in heights of the body: 5 cm on a person.
static const float FAR = 0.03f;

void cli_clearance_say(const cli_run *cli, const char *name, const lmb_clearance *clearance)
{
    if (!clearance->is_measured) {
        return;
    }
    cli_say(cli, "ground", "the lowest skin is at %.1f to %.1f cm over the clip",
            100 * (double)clearance->min_m, 100 * (double)clearance->max_m);
    const float far_m = FAR * clearance->height_m;
    if (clearance->min_m > far_m) {
        cli_warn(cli, "%s floats: it never comes nearer to its ground than %.0f cm", name,
                 100 * (double)clearance->min_m);
    }
    if (clearance->min_m < -far_m) {
        cli_warn(cli, "%s goes %.0f cm into its ground", name, -100 * (double)clearance->min_m);
    }
}

void cli_clearance_json(cli_json *json, const lmb_clearance *clearance)
{
    if (clearance->is_measured) {
        cli_json_begin(json, "ground", '{');
        cli_json_number(json, "least_m", clearance->min_m);
        cli_json_number(json, "most_m", clearance->max_m);
        cli_json_end(json, '}');
    }
}
