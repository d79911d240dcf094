#ifndef TESTS_ONE_MESH_H
#define TESTS_ONE_MESH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

/// That character of copies of these; the instance holds the mesh under the skin.
static inline lmb_character *one_mesh_create(const lmb_skeleton *skeleton, const lmb_mesh *mesh,
                                             const lmb_skin *skin, lmb_instance instance)
{
    lmb_skeleton *bones = NULL;
    lmb_mesh *surface = NULL;
    lmb_skin *skinned = NULL;
    lmb_character *out = NULL;
    assert_int_equal(lmb_skeleton_create(skeleton, NULL, &bones, NULL), LMB_OK);
    assert_int_equal(lmb_mesh_create(mesh, NULL, &surface, NULL), LMB_OK);
    assert_int_equal(lmb_skin_create(skin, NULL, &skinned, NULL), LMB_OK);
    const lmb_character def = one_mesh(bones, &surface, &skinned, &instance);
    assert_int_equal(lmb_character_create(&def, NULL, &out, NULL), LMB_OK);
    return out;
}

#endif
