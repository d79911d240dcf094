/// Materials and images of an FBX scene.
#ifndef IO_FBX_LOOK_H
#define IO_FBX_LOOK_H

#include "io/fbx/scene.h"

/// Fills the look and look_of[object], the index of its material or LMB_NONE, in the arena. `loader`
/// may be NULL: then only images inside the file have bytes.
lmb_result lmbi_fbx_look_make(lmbi_fbx_scene *scene, const lmb_loader *loader, lmb_appearance *look,
                              int32_t **look_of);

#endif
