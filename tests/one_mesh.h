#ifndef TESTS_ONE_MESH_H
#define TESTS_ONE_MESH_H

#include "limber/asset.h"

/// The definition of a character of one mesh under one skin; the pointers are to what the caller keeps.
static inline lmb_character one_mesh(lmb_skeleton *skeleton, lmb_mesh **mesh, lmb_skin **skin,
                                     lmb_instance *instance)
{
    return (lmb_character){.skeleton = skeleton,
                           .mesh_count = 1,
                           .meshes = mesh,
                           .skin_count = 1,
                           .skins = skin,
                           .instance_count = 1,
                           .instances = instance};
}

#endif
