/// A character at a time of a clip: every visible surface in world space, and its joints.
#ifndef LIMBER_CLI_POSED_H
#define LIMBER_CLI_POSED_H

#include "cli/cli.h"

typedef struct cli_posed {
    const lmb_character *character;
    lmb_deformer *deformer;     ///< the surfaces: lmb_deformer_instance
    lmb_transform *local;       ///< [joint_count]
    lmb_mat4 *model_from_joint; ///< [joint_count]
    uint32_t *weight_first;     ///< as lmb_character_weights lays them out
    float *rest_weights, *weights;
    lmb_box box;            ///< of all surfaces, or of the joints where there are none
    lmb_skin_method method; ///< of cli_posed_method
} cli_posed;

/// Makes room for a character, which must outlive it. Free with cli_posed_end.
cli_exit cli_posed_start(cli_posed *posed, const cli_run *cli, const lmb_character *character);
/// Chooses the deformer by the index of its choice, and finds what it needs.
cli_exit cli_posed_method(cli_posed *posed, const cli_run *cli, int choice);
/// The character at time_s of `clip`, or at rest when clip is NULL.
void cli_posed_at(cli_posed *posed, const cli_run *cli, const lmb_clip *clip, double time_s);
/// The character as its meshes were bound: as lmb_bind_pose says.
cli_exit cli_posed_as_bound(cli_posed *posed, const cli_run *cli);
void cli_posed_end(cli_posed *posed);

#endif
