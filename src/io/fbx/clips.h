/// Animation stacks as clips: sampled, because what moves in FBX are angles and pivots, not joints.
#ifndef IO_FBX_CLIPS_H
#define IO_FBX_CLIPS_H

#include "io/fbx/mesh.h"
#include "io/fbx/take.h"

/// One clip for every stack that moves something; the arrays lie in the arena. Ticks are frames of
/// the scene's rate, from the stack's start. Marks models whose scale moves, and numbers the
/// joints: call it before meshes are made.
void lmbi_fbx_clips_prepare(const lmbi_fbx_takes *takes, lmbi_fbx_models *models);
lmb_result lmbi_fbx_clips_make(lmbi_fbx_scene *scene, const lmbi_fbx_takes *takes,
                               const lmbi_fbx_models *models, const lmbi_fbx_meshes *meshes,
                               lmb_clip **clips, uint32_t *clip_count);

#endif
