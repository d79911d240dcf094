/// Parts, orders and rates of a clip: what `limber clean` does after cleaning.
#ifndef LIMBER_CLI_CLEAN_EDIT_H
#define LIMBER_CLI_CLEAN_EDIT_H

#include "cli/cli.h"

/// In this order.
typedef struct clean_edits {
    const char *cut; ///< "BEGIN,END" in seconds; NULL: all of it
    cli_list then;   ///< clips of the character to follow
    bool reverse;
    double tempo;       ///< times as fast, more than 0
    double rate;        ///< keys a second; 0: as they are
    double reduce_m;    ///< fewer keys, within so many metres at the skin; 0: as they are
    const char *curves; ///< tangents: "monotone", or "TENSION,CONTINUITY,BIAS"; NULL: none are made
} clean_edits;

/// Replaces the clip.
cli_exit clean_edit(const cli_run *cli, const clean_edits *edits, const lmb_character *character,
                    lmb_clip **clip);

#endif
