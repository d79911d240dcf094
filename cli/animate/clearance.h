/// How a clip keeps a character on its ground: the height of the lowest skin, from frame to frame.
#ifndef LIMBER_CLI_CLEARANCE_H
#define LIMBER_CLI_CLEARANCE_H

#include "cli/cli.h"

/// A line of it; a warning where the character never comes near its ground, or far into it.
void cli_clearance_say(const cli_run *cli, const char *name, const lmb_clearance *clearance);
void cli_clearance_json(cli_json *json, const lmb_clearance *clearance);

#endif
