/// Measures of feet and hips before and after `clean`, `retarget` and `fit`, as text, JSON and plot.
#ifndef LIMBER_CLI_FEET_COMPARE_H
#define LIMBER_CLI_FEET_COMPARE_H

#include "cli/cli.h"

/// lmb_feet_track_make, which says why it fails.
cli_exit cli_feet_track_make(const cli_run *cli, const lmb_feet_source *source,
                             lmb_feet_track *out);
/// Plots heights, speeds and contacts of the feet, and the path of the hips from above.
cli_exit cli_feet_draw(const cli_run *cli, const lmb_feet_track tracks[2], const char *path);

/// A line of both; none where one has no feet.
void cli_feet_say(const cli_run *cli, const lmb_feet_measure measures[2]);
/// Measures both clips, prints a line, and plots them if `path` is not NULL: before in grey,
/// after in colour.
cli_exit cli_feet_compare(cli_run *cli, const lmb_feet_source sides[2], const char *path,
                          lmb_feet_measure measures[2]);
/// The same for given tracks; frees both.
cli_exit cli_feet_compare_tracks(cli_run *cli, lmb_feet_track tracks[2], const char *path,
                                 lmb_feet_measure measures[2]);
/// The members "before" and "after" of the open object; none where nothing was measured.
void cli_feet_json(cli_json *json, const lmb_feet_measure measures[2]);

#endif
