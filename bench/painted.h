// Painted characters of a folder of data, as the benches of weights read them.
#ifndef BENCH_PAINTED_H
#define BENCH_PAINTED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder_loader.h"
#include "io/fbx/fbx.h"
#include "limber/limber.h"
#include "limber/os.h"

static inline lmb_character *read_character(const char *path)
{
    lmb_file bytes;
    if (lmb_file_read(path, 0, &bytes, NULL) != LMB_OK) {
        return NULL;
    }
    char folder[1024];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    const lmb_loader loader = {test_folder_load, test_folder_release, folder};
    const lmb_gltf_read_opts gltf = {.loader = &loader};
    const char *dot = strrchr(path, '.');
    lmb_character *character = NULL;
    const lmb_result result =
        strcmp(dot, ".fbx") == 0
            ? lmbi_fbx_read(bytes.data, bytes.size, NULL, NULL, &character, NULL)
            : lmb_gltf_read(bytes.data, bytes.size, &gltf, NULL, &character, NULL);
    lmb_file_free(&bytes);
    return result == LMB_OK ? character : NULL;
}

static inline bool is_skinned(const lmb_character *c, uint32_t instance)
{
    return c->instances[instance].skin != LMB_NONE &&
           c->meshes[c->instances[instance].mesh]->influences.first;
}

#endif
