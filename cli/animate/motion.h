/// A motion from a file or generated, retargeted to a character: used by `retarget` and `animate`.
#ifndef LIMBER_CLI_MOTION_H
#define LIMBER_CLI_MOTION_H

#include "cli/animate/feet_compare.h"
#include "cli/cli.h"

/// The options of both commands, as members of their option structs.
typedef struct cli_motion_opts {
    const char *clip, *name, *map, *save_map, *plot, *way, *motion_unit, *motion_up;
    bool no_lock_feet, free_hands, in_place, mirror;
    bool keep_fingers; ///< set by the command: fingers that the motion lacks stay at rest
    double rate, speed, stride, energy, arm_space;
} cli_motion_opts;

#define CLI_MOTION_OPTIONS(type)                                                         \
    {"clip",       0,                                                                    \
     CLI_TEXT,     offsetof(type, motion.clip),                                          \
     "NAME|INDEX", "the clip of the motion (default: the first)"},                       \
        {"name",   0,                                                                    \
         CLI_TEXT, offsetof(type, motion.name),                                          \
         "NAME",   "the name of the new clip (default: the motion's)"},                  \
        {"map",    0,                                                                    \
         CLI_TEXT, offsetof(type, motion.map),                                           \
         "FILE",   "which joint is which, as --save-map writes it"},                     \
        {"save-map", 0,                                                                  \
         CLI_TEXT,   offsetof(type, motion.save_map),                                    \
         "FILE",     "write the joint map that was used"},                               \
        {"as",           0,                                                              \
         CLI_TEXT,       offsetof(type, motion.way),                                     \
         "human|chains", "what bodies are seen as (default: as human as they are)"},     \
        {"plot",     0,                                                                  \
         CLI_TEXT,   offsetof(type, motion.plot),                                        \
         "FILE.png", "draw feet and hips before and after"},                             \
        {"no-lock-feet", 0,                                                              \
         CLI_FLAG,       offsetof(type, motion.no_lock_feet),                            \
         NULL,           "leave feet as they come out"},                                 \
        {"free-hands", 0,                                                                \
         CLI_FLAG,     offsetof(type, motion.free_hands),                                \
         NULL,         "leave hands as they come out, wherever they touch"},             \
        {"in-place", 0,                                                                  \
         CLI_FLAG,   offsetof(type, motion.in_place),                                    \
         NULL,       "keep the hips above one spot"},                                    \
        {"rate",     0,                                                                  \
         CLI_NUMBER, offsetof(type, motion.rate),                                        \
         "HZ",       "frames a second of the result (default: the motion's)"},           \
        {"speed",                                                                        \
         0,                                                                              \
         CLI_NUMBER,                                                                     \
         offsetof(type, motion.speed),                                                   \
         "M/S|TIMES",                                                                    \
         "of a made gait, for a person of 1.75 m (a walk has 1.35 and a run 3.2); "      \
         "of another made motion, times as fast"},                                       \
        {"stride",   0,                                                                  \
         CLI_NUMBER, offsetof(type, motion.stride),                                      \
         "TIMES",    "longer or shorter steps of a made motion, 0.3 to 2"},              \
        {"arm-space", 0,                                                                 \
         CLI_NUMBER,  offsetof(type, motion.arm_space),                                  \
         "DEGREES",   "turns the arms of a made motion away from the trunk, or to it"},  \
        {"energy",   0,                                                                  \
         CLI_NUMBER, offsetof(type, motion.energy),                                      \
         "TIMES",    "larger or smaller movements of trunk and swinging arms, up to 2"}, \
        {"mirror", 0,                                                                    \
         CLI_FLAG, offsetof(type, motion.mirror),                                        \
         NULL,     "left and right of a made motion change places"},                     \
        {"motion-unit",                                                                  \
         0,                                                                              \
         CLI_TEXT,                                                                       \
         offsetof(type, motion.motion_unit),                                             \
         "m|cm|mm|inch|foot|N",                                                          \
         "metres a unit of the motion, or its name"},                                    \
    {                                                                                    \
        "motion-up", 0, CLI_TEXT, offsetof(type, motion.motion_up), "y|z|x|-y|-z|-x",    \
            "up axis of the motion"                                                      \
    }

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
