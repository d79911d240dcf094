/// `limber learn --body`: a body model from registered scans.
#ifndef LIMBER_CLI_LEARN_BODY_H
#define LIMBER_CLI_LEARN_BODY_H

#include "cli/learn/shapes.h"

typedef enum cli_persons {
    CLI_PERSONS_AUTO = 0, ///< by folder where the scans lie in several, else by file
    CLI_PERSONS_FILE,
    CLI_PERSONS_FOLDER,
} cli_persons;

typedef struct cli_learn_body_opts {
    cli_shapes_opts shapes;
    cli_persons persons;
    uint32_t shape_count, hold_out, iterations;
    lmb_pose_features features;
    bool keep_weights;
} cli_learn_body_opts;

/// Learns from shapes that were read, and writes the model.
cli_exit cli_learn_body(cli_run *cli, const cli_learn_body_opts *opts, const cli_shapes *shapes);

#endif
