/// `limber learn RIG FRAMES --fit weights`: new weights under the bones of a rig.
#ifndef LIMBER_CLI_LEARN_GIVEN_H
#define LIMBER_CLI_LEARN_GIVEN_H

#include "cli/learn/shapes.h"

typedef struct cli_given_opts {
    cli_shapes_opts shapes; ///< `fps` 0: frames are spread evenly over the clip
    uint32_t influences, hold_out;
    float smooth;
} cli_given_opts;

/// Learns from shapes that were read, and writes the rig with its new weights.
cli_exit cli_learn_weights(cli_run *cli, const cli_given_opts *opts, const cli_shapes *shapes);

#endif
