// Painted characters of a folder of data, as the benches of weights read them.
#ifndef BENCH_PAINTED_H
#define BENCH_PAINTED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/fbx/fbx.h"
#include "limber/limber.h"
#include "limber/os.h"

static inline bool load(void *folder, const char *name, lmb_bytes *out)
{
    char path[1024];
    lmb_file file;
    const int length = snprintf(path, sizeof path, "%s/%s", (const char *)folder, name);
    if (length <= 0 || (size_t)length >= sizeof path ||
        lmb_file_read(path, 0, &file, NULL) != LMB_OK) {
        return false;
    }
    *out = (lmb_bytes){file.data, file.size};
    return true;
}

static inline void release(void *folder, lmb_bytes bytes)
{
    (void)folder;
    free((void *)(uintptr_t)bytes.data);
}

static inline lmb_character *read_character(const char *path)
{
    lmb_file bytes;
    if (lmb_file_read(path, 0, &bytes, NULL) != LMB_OK) {
        return NULL;
    }
    char folder[1024];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    const lmb_loader loader = {load, release, folder};
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
