#ifndef CLI_HANDS_H
#define CLI_HANDS_H

#include "cli/cli.h"

/// Where the character has fingers that the motion lacks, the clip (replaced) holds them half open:
/// at rest most characters spread them.
cli_exit cli_hands_ease(cli_run *cli, const lmb_character *character,
                        const lmb_retarget_report *report, lmb_clip **clip);

#endif
