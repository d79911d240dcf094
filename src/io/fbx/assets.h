/// Clips, materials and images of an FBX scene.
#ifndef IO_FBX_ASSETS_H
#define IO_FBX_ASSETS_H

#include "io/fbx/mesh.h"
#include "io/fbx/take.h"

/// Fills the look and look_of[object], the index of its material or LMB_NONE, in the arena. `loader`
/// may be NULL: then only images inside the file have bytes.
lmb_result lmbi_fbx_look_make(lmbi_fbx_scene *scene, const lmb_loader *loader, lmb_appearance *look,
                              int32_t **look_of);

/// Marks models whose scale is animated, and numbers the joints. Call it before meshes are made.
void lmbi_fbx_clips_prepare(const lmbi_fbx_takes *takes, lmbi_fbx_models *models);
/// One clip for every stack with tracks, in the arena. Ticks are frames at the scene's rate, counted
/// from the stack's start. They are sampled, because FBX animates angles about pivots rather than the
/// joints' rotations.
lmb_result lmbi_fbx_clips_make(lmbi_fbx_scene *scene, const lmbi_fbx_takes *takes,
                               const lmbi_fbx_models *models, const lmbi_fbx_meshes *meshes,
                               lmb_clip **clips, uint32_t *clip_count);

#endif
