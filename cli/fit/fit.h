/// Declarations of `limber fit`.
#ifndef LIMBER_CLI_FIT_H
#define LIMBER_CLI_FIT_H

#include "cli/cli.h"

typedef struct fit_options {
    cli_in_opts in;
    const char *clip, *name, *image, *plot, *body;
    int64_t shapes;
    int kind;
    bool subject, keep_lengths, no_limits, no_lock_feet;
    double smooth, rate, focal;
} fit_options;

enum { FIT_KEYPOINTS = 3 }; ///< of --kind

/// Whether the points are keypoints in pictures: asked for, or a .json, or a folder.
bool fit_is_keypoints(const fit_options *opts, const char *path);
/// Lifts them, writes the character and says what came out.
cli_exit fit_keypoints(cli_run *cli, const fit_options *opts, lmb_character **character);

/// Fits the body model of --body to the inputs, which are scans of one person.
cli_exit fit_body(cli_run *cli, const fit_options *opts, const cli_read_opts *in);

#endif
