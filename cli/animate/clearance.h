/// How a clip keeps a character on its ground: the height of the lowest skin, from frame to frame.
#ifndef LIMBER_CLI_CLEARANCE_H
#define LIMBER_CLI_CLEARANCE_H

#include "cli/cli.h"

typedef struct cli_clearance {
    bool measured; ///< false for characters without a surface
    /// Height of the lowest vertex over that of the rest pose, in metres: the least and the most
    /// over the clip. Below zero: in the ground.
    float least_m, most_m;
} cli_clearance;

/// Skins up to 120 frames, spread evenly over the clip.
cli_exit cli_clearance_measure(const cli_run *cli, const lmb_character *character,
                               const lmb_clip *clip, cli_clearance *out);
/// A line of it; a warning where the character never comes near its ground, or far into it.
void cli_clearance_say(const cli_run *cli, const char *name, const cli_clearance *clearance);
void cli_clearance_json(cli_json *json, const cli_clearance *clearance);

#endif
