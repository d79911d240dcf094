/// A motion from a file or generated, retargeted to a character: used by `retarget` and `animate`.
#ifndef LIMBER_CLI_MOTION_H
#define LIMBER_CLI_MOTION_H

#include "cli/animate/feet_compare.h"
#include "cli/cli.h"

/// The options of both commands, as members of their option structs.
typedef struct cli_motion_opts {
    const char *clip, *name, *map, *save_map, *plot, *method, *motion_unit, *motion_up,
        *motion_skeleton;
    bool no_lock_feet, free_hands, in_place, mirror;
    bool keep_fingers; ///< set by the command: fingers that the motion lacks stay at rest
    double rate, speed, stride, energy, arm_space;
} cli_motion_opts;

typedef struct cli_motion {
    const char *name;         ///< as on the command line
    lmb_character *character; ///< skeleton and clip of the motion
    uint32_t clip;
    bool made;                 ///< not from a file with a clip
    lmb_motion *text;          ///< of a made motion; another body's has no `character`
    lmb_animate_report report; ///< of the new clip
} cli_motion;

/// Reads the file, or makes the motion of that name.
cli_exit cli_motion_start(cli_run *cli, const char *name, const cli_motion_opts *opts,
                          cli_motion *out);
void cli_motion_end(cli_motion *motion);
/// Retargets it to the character as its first clip, prints the report, saves the map for --save-map.
cli_exit cli_motion_apply(cli_run *cli, cli_motion *motion, const cli_motion_opts *opts,
                          const char *character_name, lmb_character **character);
/// Adds the report of motion and joints to the open JSON object.
void cli_motion_json(cli_json *json, const cli_motion *motion, const lmb_character *character);

// ---- Height of the lowest skin over the ground.

/// A line of it; a warning where the character never comes near its ground, or far into it.
void cli_clearance_say(const cli_run *cli, const char *name, const lmb_clearance *clearance);
void cli_clearance_json(cli_json *json, const lmb_clearance *clearance);

#endif
