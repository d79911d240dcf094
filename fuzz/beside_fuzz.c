/// Every reader that asks for files beside: the data is the file, and behind a line of three dashes
/// what lies under every name. Whatever a file says, no name leads out of its folder; every file
/// that is given is given back.
#include <stdlib.h>
#include <string.h>

#include "io/fbx/fbx.h"
#include "io/skinned/iqm.h"
#include "io/surface/surface.h"
#include "limber/io.h"
#include "target.h"

typedef struct folder {
    lmb_bytes file;
    int given;
} folder;

/// Aborts on a name that a loader could follow out of the folder.
static void check_name(const char *name)
{
    bool good = name[0] != 0 && strpbrk(name, "\\:\n\033") == NULL;
    for (const char *at = name; good; ++at) {
        const size_t size = strcspn(at, "/");
        good = size > 0 && !(size == 1 && at[0] == '.') && !(size == 2 && memcmp(at, "..", 2) == 0);
        at += size;
        if (*at == 0) {
            break;
        }
    }
    if (!good) {
        abort();
    }
}

static bool load(void *user, const char *name, lmb_bytes *out)
{
    folder *f = user;
    check_name(name);
    if (f->file.data == NULL || f->given > 100) {
        return false;
    }
    // A copy of its own, so that a sanitizer sees what is read behind its end or after release.
    uint8_t *copy = malloc(f->file.size > 0 ? f->file.size : 1);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, f->file.data, f->file.size);
    f->given += 1;
    *out = (lmb_bytes){copy, f->file.size};
    return true;
}

static void release(void *user, lmb_bytes bytes)
{
    folder *f = user;
    f->given -= 1;
    free((void *)(uintptr_t)bytes.data);
}

static void read_all(const uint8_t *data, size_t size, const lmb_loader *loader)
{
    lmb_character *c[5] = {NULL};
    const lmb_gltf_read_opts gltf = {.loader = loader};
    const lmbi_obj_read_opts obj = {.loader = loader};
    const lmbi_fbx_read_opts fbx = {.loader = loader};
    const lmb_md5_read_opts md5 = {.loader = loader};
    const lmbi_iqm_read_opts iqm = {.loader = loader};
    (void)lmb_gltf_read(data, size, &gltf, NULL, &c[0], NULL);
    (void)lmbi_obj_read(data, size, &obj, NULL, &c[1], NULL);
    (void)lmbi_fbx_read(data, size, &fbx, NULL, &c[2], NULL);
    (void)lmb_md5_read(data, size, NULL, 0, &md5, NULL, &c[3], NULL);
    (void)lmbi_iqm_read(data, size, &iqm, NULL, &c[4], NULL);
    for (int k = 0; k < 5; ++k) {
        lmb_character_destroy(c[k]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    folder f = {0};
    const lmb_loader loader = {load, release, &f};
    for (size_t k = 0; k + 5 <= size; ++k) {
        if (memcmp(data + k, "\n---\n", 5) == 0) {
            f.file = (lmb_bytes){data + k + 5, size - k - 5};
            size = k + 1;
            break;
        }
    }
    read_all(data, size, &loader);
    if (f.given != 0) {
        abort();
    }
    return 0;
}
