/// Facts about a character that `limber info` prints as text or JSON.
#ifndef CLI_INFO_REPORT_H
#define CLI_INFO_REPORT_H

#include "cli/cli.h"

typedef struct info_report {
    cli_run *cli;
    const char *path;
    const lmb_character *character;
    cli_source source;
    lmb_mesh_survey *surveys; ///< [mesh_count]
    lmb_box box;              ///< at rest, in world space
    bool has_box;
    lmb_motion_guess guess; ///< of the skeleton at rest
    bool has_guess;
} info_report;

uint32_t cli_info_roots(const lmb_skeleton *skeleton);
/// Joints on the longest path from a root to a leaf.
uint32_t cli_info_depth(const lmb_skeleton *skeleton);
/// Of the channel that has most.
uint32_t cli_info_keys(const lmb_clip *clip);
/// Whether the guess says where the body looks.
bool cli_info_faces(const lmb_motion_guess *guess);

/// To stdout, because it is the result.
void cli_info_text(const info_report *report);
void cli_info_json(const info_report *report);

#endif
