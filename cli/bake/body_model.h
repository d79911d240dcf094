/// Body models at a shape and a pose: what `bake --betas --pose` reads.
#ifndef LIMBER_CLI_BODY_MODEL_H
#define LIMBER_CLI_BODY_MODEL_H

#include "cli/cli.h"

typedef struct cli_body_opts {
    const char *betas, *pose;
    double tolerance_mm; ///< of the correctives in a character; 0: without loss
} cli_body_opts;

/// Reads a model alone. `size` receives the file's; it may be NULL.
cli_exit cli_body_model_read(const char *path, size_t *size, lmb_body_model **out);
/// Whether the command line speaks of a body model.
bool cli_body_given(const cli_run *cli);
/// Reads the model and gives it shape and pose, as a character whose only clip is the motion.
/// `as_clip`: correctives may be off by the tolerance; else they are exact. `in->up` is of the
/// motion.
cli_exit cli_body_read(cli_run *cli, const char *path, const cli_body_opts *opts,
                       const cli_read_opts *in, bool as_clip, cli_source *source,
                       lmb_character **out);

#endif
