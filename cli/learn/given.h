/// `limber learn RIG FRAMES --fit weights|bind|correctives|helpers`: what is learned under the bones of a rig.
#ifndef LIMBER_CLI_LEARN_GIVEN_H
#define LIMBER_CLI_LEARN_GIVEN_H

#include "cli/learn/shapes.h"

/// What is learned, in the order of --fit: a rig, or what a rig lacks. The last two are for what new
/// weights miss.
typedef enum cli_fit {
    CLI_FIT_RIG = 0,
    CLI_FIT_WEIGHTS,
    CLI_FIT_BIND,
    CLI_FIT_CORRECTIVES,
    CLI_FIT_HELPERS,
} cli_fit;

typedef struct cli_given_opts {
    cli_shapes_opts shapes; ///< `fps` 0: frames are spread evenly over the clip
    cli_fit fit;
    uint32_t influences, hold_out;
    uint32_t bones; ///< helpers; 0: as many as pay
    float smooth;
} cli_given_opts;

/// Learns from shapes that were read, and writes the rig with its new weights.
cli_exit cli_learn_weights(cli_run *cli, const cli_given_opts *opts, const cli_shapes *shapes);

#endif
