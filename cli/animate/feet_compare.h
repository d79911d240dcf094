/// What `clean`, `retarget` and `fit` measure of feet and hips, and draw: before and after.
#ifndef LIMBER_CLI_FEET_COMPARE_H
#define LIMBER_CLI_FEET_COMPARE_H

#include "cli/cli.h"

/// lmb_feet_track_make, which says why it fails.
cli_exit cli_feet_track_make(const cli_run *cli, const lmb_feet_source *source,
                             lmb_feet_track *out);
/// Heights and speeds of the feet, where they stand, and the hips' way from above.
cli_exit cli_feet_draw(const cli_run *cli, const lmb_feet_track tracks[2], const char *path);

/// A line of both; none where one has no feet.
void cli_feet_say(const cli_run *cli, const lmb_feet_measure measures[2]);
/// Measures both clips, says so, and draws them where `path` is not NULL. Grey is before, colour
/// after.
cli_exit cli_feet_compare(cli_run *cli, const lmb_feet_source sides[2], const char *path,
                          lmb_feet_measure measures[2]);
/// The same for given tracks; frees both.
cli_exit cli_feet_compare_tracks(cli_run *cli, lmb_feet_track tracks[2], const char *path,
                                 lmb_feet_measure measures[2]);
/// The members "before" and "after" of the open object; none where nothing was measured.
void cli_feet_json(cli_json *json, const lmb_feet_measure measures[2]);

#endif
