/// What the renderer is to draw of a posed character: surfaces with their colours, and bones.
#ifndef LIMBER_CLI_STAGE_H
#define LIMBER_CLI_STAGE_H

#include "cli/posed.h"
#include "cli/render/texture.h"

typedef struct cli_stage {
    uint32_t surface_count, bone_count, instance_count;
    lmb_render_surface *surfaces; ///< refer to the posed character's arrays
    lmb_render_bone *bones;
    lmb_vec4 **colors; ///< [instance_count], entries may be NULL
} cli_stage;

/// Skins are coloured by the weight of `weight_joint` (in the skeleton), or by their materials when
/// it is LMB_NONE.
/// Bones are always drawn where there is no surface. Free with cli_stage_end.
void cli_stage_start(cli_stage *stage, const cli_posed *posed, const cli_textures *textures,
                     int32_t weight_joint, bool bones);
void cli_stage_end(cli_stage *stage);

/// The joints that carry weight, rising; `out` has room for all. Returns how many.
uint32_t cli_weighted_joints(const lmb_character *character, int32_t *out);
/// Says which joint each panel of a sheet shows, a line a row.
void cli_say_panels(const cli_run *cli, const lmb_skeleton *skeleton, const int32_t *joints,
                    uint32_t count, uint32_t columns);

#endif
