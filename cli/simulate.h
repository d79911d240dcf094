/// What the kinds of simulation share: their options, and one function each.
#ifndef LIMBER_CLI_SIMULATE_H
#define LIMBER_CLI_SIMULATE_H

#include "cli.h"

typedef struct cli_simulate_opts {
    cli_in_opts in;
    cli_list chains, sets;
    const char *clip, *name, *drivers, *gait;
    cli_list style;
    double seconds, fps, speed, slope, turn;
    bool in_place;
    bool springs, ragdoll;
} cli_simulate_opts;

/// The clip that --clip names, or NULL, and how many frames --seconds at --fps are.
cli_exit cli_simulate_frames(cli_run *cli, const cli_simulate_opts *opts,
                             const lmb_character *character, const lmb_clip **clip,
                             uint32_t *frame_count);

/// Runs the program of --drivers and puts the clip in front of the character's own; writes it.
cli_exit cli_simulate_drivers(cli_run *cli, const cli_simulate_opts *opts,
                              lmb_character **character);

/// Makes the clip of --gait on the character's own skeleton; writes it.
cli_exit cli_simulate_gait(cli_run *cli, const cli_simulate_opts *opts, lmb_character **character);

#endif
