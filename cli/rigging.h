/// What the commands that bind meshes share.
#ifndef LIMBER_CLI_RIGGING_H
#define LIMBER_CLI_RIGGING_H

#include "cli.h"

/// The line "weights   bone heat, 4 influences, pruning moves a vertex by at most 0.3% of the
/// height", and warnings.
void cli_say_weights(const cli_run *cli, const lmb_weights_opts *opts,
                     const lmb_weights_report *report);
/// The report as a member "weights".
void cli_json_weights(cli_json *json, const lmb_weights_report *report);
/// Binds the character to the skeleton of another file: `limber rig MESH --skeleton FILE`. Says
/// what it did.
cli_exit cli_bind_to_file(cli_run *cli, lmb_character **character, const char *skeleton_path,
                          const lmb_weights_opts *opts, lmb_weights_report *report);

/// Reads --marker NAME=X,Y,Z. `out` is for cli_rig_markers_free, also after a failure.
cli_exit cli_rig_markers_read(const cli_run *cli, const cli_list *list, lmb_marker **out);
void cli_rig_markers_free(lmb_marker *markers);

/// `limber weights mirror` on the character inputs[1], without reading and writing it; prints what
/// --json wants.
cli_exit cli_weights_mirror(cli_run *cli, lmb_mirror_side side, uint32_t influences,
                            lmb_character **character);

/// `limber weights transfer`, the same way; `from` is the path of the other character.
cli_exit cli_weights_transfer(cli_run *cli, const char *from, uint32_t influences,
                              lmb_character **character);

/// "z", "+y", "-x": the unit vector. False for anything else.
bool cli_axis_of(const char *text, lmb_vec3 *out);

#endif
