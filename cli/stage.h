/// What the renderer is to draw of a posed character: surfaces with their colours, and bones.
#ifndef LIMBER_CLI_STAGE_H
#define LIMBER_CLI_STAGE_H

#include "posed.h"
#include "texture.h"

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

#endif
