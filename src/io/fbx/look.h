/// Materials and pictures of an FBX scene.
#ifndef IO_FBX_LOOK_H
#define IO_FBX_LOOK_H

#include "io/fbx/scene.h"

/// Fills the look and, for every object, the index of its material or LMB_NONE. Everything in the
/// arena. `loader` may be NULL: then only pictures inside the file have bytes.
lmb_result lmbi_fbx_look_make(lmbi_fbx_scene *scene, const lmb_loader *loader, lmb_appearance *look,
                              int32_t **look_of);

#endif
