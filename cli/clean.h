/// What `limber clean` measures and draws.
#ifndef LIMBER_CLI_CLEAN_H
#define LIMBER_CLI_CLEAN_H

#include "cli.h"

typedef struct clean_measure {
    int feet; ///< that were found; 0: nothing was measured
    /// mean speed along the ground of the feet's lowest joints while they are within 2.5 cm of
    /// their floor (on a body of 1.75 m), metres a second
    float slide_m_s;
    float hips_path_m; ///< way of the hips along the ground
} clean_measure;

/// Measures both clips, and draws them where `path` is not NULL: heights and speeds of both feet,
/// where they stand, and the hips' way from above. Grey is before, colour after.
cli_exit clean_compare(cli_run *cli, const lmb_character *character, const lmb_clip *before,
                       const lmb_clip *after, const char *path, clean_measure measures[2]);

#endif
