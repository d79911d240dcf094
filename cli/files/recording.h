/// Recordings of points: what `fit` reads.
#ifndef LIMBER_CLI_RECORDING_H
#define LIMBER_CLI_RECORDING_H

#include "cli/cli.h"

/// Markers or joint positions from a file: C3D, TRC, a table, NumPy, or the joints of a motion.
/// `clip` is of a motion, NULL the first. Says what is wrong and returns 3 or 4. Destroy with
/// lmb_markers_destroy.
cli_exit cli_recording_read(cli_run *cli, const char *path, const cli_read_opts *opts,
                            const char *clip, lmb_markers **out);
#endif
