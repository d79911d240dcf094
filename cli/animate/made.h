/// Made motions: found by name, read from a file, changed by sliders.
#ifndef LIMBER_CLI_MADE_H
#define LIMBER_CLI_MADE_H

#include "cli/animate/motion.h"

/// NULL where none of the library has that name.
const lmb_motion_file *cli_made_find(const char *name);
/// Whether the argument names a made motion: one of the library, or a file of one's own.
bool cli_made_is(const char *name);
/// The motion of that name, or in that file.
cli_exit cli_made_read(const cli_run *cli, const char *name, lmb_motion **out);
/// The library's motion `BODY-NAME`, or NULL: what `name` means for another body than a human's.
const lmb_motion_file *cli_made_find_for(const char *name, lmb_motion_body body);
/// Says, for an argument that is neither a file nor a motion, what it may have meant.
cli_exit cli_made_refuse(const cli_run *cli, const char *name);
/// Says that a motion is another body's, and which there are for this one.
cli_exit cli_made_refuse_body(const cli_run *cli, const char *name, lmb_motion_body found);
/// Refuses an animal's motion where only a human's, or a file's, can be used.
cli_exit cli_made_require_clip(const cli_run *cli, const cli_motion *motion);
/// Refuses sliders out of range.
cli_exit cli_made_sliders(const cli_run *cli, const cli_motion_opts *opts, lmb_motion_sliders *out);

#endif
