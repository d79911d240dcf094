/// What `clean` and `retarget` measure of feet and hips, and draw: before and after.
#ifndef LIMBER_CLI_FEET_COMPARE_H
#define LIMBER_CLI_FEET_COMPARE_H

#include "cli.h"

/// A clip on the character that it moves.
typedef struct cli_feet_side {
    const lmb_character *character;
    const lmb_clip *clip;
    const lmb_joint_map *map; ///< NULL: found
    double begin_s;           ///< what is before is left out
} cli_feet_side;

/// In metres on a body of 1.75 m.
typedef struct cli_feet_measure {
    int feet; ///< that were found; 0: nothing was measured
    /// mean speed along the ground of the feet's lowest joints while they are within 2.5 cm of
    /// their floor, metres a second
    float slide_m_s;
    float hips_path_m; ///< way of the hips along the ground
} cli_feet_measure;

/// Measures both clips, says so, and draws them where `path` is not NULL: heights and speeds of
/// both feet, where they stand, and the hips' way from above. Grey is before, colour after.
cli_exit cli_feet_compare(cli_run *cli, const cli_feet_side sides[2], const char *path,
                          cli_feet_measure measures[2]);
/// The members "before" and "after" of the open object; none where nothing was measured.
void cli_feet_json(cli_json *json, const cli_feet_measure measures[2]);

#endif
