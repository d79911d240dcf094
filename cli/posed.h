/// A character at a moment: every visible surface in world space, and its joints.
#ifndef LIMBER_CLI_POSED_H
#define LIMBER_CLI_POSED_H

#include "cli.h"

typedef struct cli_posed {
    const lmb_character *character;
    lmb_transform *local;       ///< [joint_count]
    lmb_mat4 *model_from_joint; ///< [joint_count]
    lmb_vec3 **positions;       ///< [instance_count] world space, vertices in file order
    lmb_vec3 **normals;         ///< [instance_count], entries NULL where the mesh has none
    lmb_box box;                ///< of all positions, and of the joints where there is no mesh
} cli_posed;

/// Makes room for a character. Free with cli_posed_end.
void cli_posed_start(cli_posed *posed, const lmb_character *character);
/// The character at time_s of `clip`, or at rest when clip is NULL.
void cli_posed_at(cli_posed *posed, const cli_run *cli, const lmb_clip *clip, double time_s);
void cli_posed_end(cli_posed *posed);

#endif
