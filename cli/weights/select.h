/// Options of limber weights that say which vertices an edit is for.
#ifndef CLI_WEIGHTS_SELECT_H
#define CLI_WEIGHTS_SELECT_H

#include "cli/cli.h"

typedef struct cli_weights_where {
    cli_list joints, meshes, pieces;
    double above;
    const char *box, *sphere;
    const char *to;   ///< the joint of assign and move
    const char *from; ///< the other joint of move
} cli_weights_where;

typedef struct cli_selection {
    lmb_weights_selection where; ///< its arrays are those below
    uint32_t *joints, *pieces, *instances;
    lmb_box box;
    uint32_t to, from; ///< set where their joints are given
} cli_selection;

/// Finds what the options name. CLI_USAGE for a name that is not there. Call cli_selection_end in
/// either case.
cli_exit cli_selection_read(const cli_run *cli, const cli_weights_where *opts,
                            const lmb_character *character, cli_selection *out);
void cli_selection_end(cli_selection *selection);

/// limber weights pieces: the connected pieces of the character's surface, by number.
cli_exit cli_weights_pieces(const cli_run *cli, const lmb_character *character);

#endif
