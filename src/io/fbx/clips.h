/// Animation stacks as clips. They are sampled, because FBX animates angles about pivots rather than
/// the joints' rotations.
#ifndef IO_FBX_CLIPS_H
#define IO_FBX_CLIPS_H

#include "io/fbx/mesh.h"
#include "io/fbx/take.h"

/// Marks models whose scale is animated, and numbers the joints. Call it before meshes are made.
void lmbi_fbx_clips_prepare(const lmbi_fbx_takes *takes, lmbi_fbx_models *models);
/// One clip for every stack with tracks; the arrays lie in the arena. Ticks are frames at the
/// scene's rate, counted from the stack's start.
lmb_result lmbi_fbx_clips_make(lmbi_fbx_scene *scene, const lmbi_fbx_takes *takes,
                               const lmbi_fbx_models *models, const lmbi_fbx_meshes *meshes,
                               lmb_clip **clips, uint32_t *clip_count);

#endif
