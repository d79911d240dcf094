#include "io/surface/shader_picture.h"

#include <stdio.h>
#include <string.h>

#include "io/external.h"
#include "io/gltf/gltf.h"

enum { LONGEST = 240 };

typedef struct search {
    const lmb_loader *loader;
    lmbi_arena *arena;
    lmb_image *image;
    const char **other;
    bool failed;
} search;

/// Loads a picture. True when it exists and glTF can hold its format.
static bool try_name(search *s, const char *name)
{
    lmb_bytes bytes = {0};
    if (s->failed || lmbi_external_load(s->loader, name, &bytes) != LMBI_EXTERNAL_FOUND) {
        return false;
    }
    const char *mime = lmbi_gltf_sniff_mime(bytes.data, bytes.size);
    char *kept = lmbi_arena_string(s->arena, name, strlen(name));
    s->failed = kept == NULL;
    if (mime == NULL && *s->other == NULL) {
        *s->other = kept;
    }
    if (mime != NULL && kept != NULL) {
        s->image->bytes = lmbi_arena_array(s->arena, bytes.size, 1);
        s->failed = s->image->bytes == NULL;
    }
    if (mime != NULL && !s->failed) {
        memcpy(s->image->bytes, bytes.data, bytes.size);
        s->image->byte_count = bytes.size;
        s->image->mime = mime;
        s->image->uri = kept;
    }
    lmbi_external_release(s->loader, bytes);
    return mime != NULL;
}

/// Tries a stem with all endings.
static bool try_endings(search *s, const char *stem, size_t size)
{
    static const char *const endings[] = {".png",    ".jpg",  ".jpeg", "_d.png", "_d.jpg",
                                          "_d.jpeg", ".webp", ".tga",  "_d.tga", ".dds"};
    char name[LONGEST + 8];
    for (size_t k = 0; k < sizeof endings / sizeof *endings; ++k) {
        snprintf(name, sizeof name, "%.*s%s", (int)size, stem, endings[k]);
        if (try_name(s, name)) {
            return true;
        }
    }
    return false;
}

static bool try_path(search *s, const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    const bool has_ending = dot != NULL && (slash == NULL || dot > slash) && dot > path;
    return (has_ending && try_name(s, path)) || try_endings(s, path, strlen(path)) ||
           (has_ending && try_endings(s, path, (size_t)(dot - path)));
}

bool lmbi_shader_picture(const lmb_loader *loader, const char *shader, lmbi_arena *arena,
                         lmb_image *image, const char **other)
{
    search s = {.loader = loader, .arena = arena, .image = image, .other = other};
    char path[LONGEST];
    const size_t size = strlen(shader);
    *other = NULL;
    if (loader == NULL || loader->load == NULL || size == 0 || size >= sizeof path) {
        return true;
    }
    for (size_t k = 0; k <= size; ++k) {
        path[k] = shader[k] == '\\' ? '/' : shader[k];
    }
    const char *slash = strrchr(path, '/');
    if (!try_path(&s, path) && slash != NULL && slash[1] != 0) {
        (void)try_path(&s, slash + 1);
    }
    return !s.failed;
}
