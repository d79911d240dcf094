/// What `clean`, `retarget` and `fit` measure of feet and hips, and draw: before and after.
#ifndef LIMBER_CLI_FEET_COMPARE_H
#define LIMBER_CLI_FEET_COMPARE_H

#include "cli/cli.h"

/// A clip on the character that it moves.
typedef struct cli_feet_side {
    const lmb_character *character;
    const lmb_clip *clip;
    const lmb_joint_map *map;    ///< whose feet are measured; NULL: those of the chains
    const lmb_chain_map *chains; ///< whose legs' ends are; NULL too: as found, of a human or not
    double begin_s;              ///< what is before is left out
} cli_feet_side;

/// In metres on a human body of 1.75 m, or on other bodies on legs of 0.85 m.
typedef struct cli_feet_measure {
    int feet; ///< that were found; 0: nothing was measured
    /// mean speed along the ground of the feet's lowest joints while they are within 2.5 cm of
    /// their floor, metres a second
    float slide_m_s;
    float planted_share; ///< of feet and frames: low, and hardly rising
    float planted_slide; ///< share of these in which the foot goes faster than 2.5 cm/s
    float dip_m;         ///< how far a foot goes under its floor
    float hips_path_m;   ///< way of the hips along the ground
} cli_feet_measure;

enum { CLI_FEET = 16 };

/// One clip's feet, sampled at 60 Hz.
typedef struct cli_feet_track {
    uint32_t count;
    int feet;
    bool right[CLI_FEET]; ///< of the body's sides
    float floor[CLI_FEET];
    lmb_vec3 *paths[CLI_FEET], *hips; ///< [count] metres, as above
} cli_feet_track;

/// `feet` stays 0 where there are none.
cli_exit cli_feet_track_make(const cli_run *cli, const cli_feet_side *side, cli_feet_track *out);
void cli_feet_track_free(cli_feet_track *track);
/// Metres a second along the ground from the frame before.
float cli_feet_speed(const lmb_vec3 *path, uint32_t frame);
cli_feet_measure cli_feet_measure_of(const cli_feet_track *track);
/// Heights and speeds of the feet, where they stand, and the hips' way from above.
cli_exit cli_feet_draw(const cli_run *cli, const cli_feet_track tracks[2], const char *path);

/// Measures both clips, says so, and draws them where `path` is not NULL. Grey is before, colour
/// after.
cli_exit cli_feet_compare(cli_run *cli, const cli_feet_side sides[2], const char *path,
                          cli_feet_measure measures[2]);
/// The same of tracks that were taken; frees both.
cli_exit cli_feet_compare_tracks(cli_run *cli, cli_feet_track tracks[2], const char *path,
                                 cli_feet_measure measures[2]);
/// The members "before" and "after" of the open object; none where nothing was measured.
void cli_feet_json(cli_json *json, const cli_feet_measure measures[2]);

#endif
