// Which extensions are understood, which are carried through unread, and which cannot be.
#include <string.h>

#include "io/gltf/gltf.h"

/// Their data are in buffers, which are written anew, or they say how buffers are packed: nothing
/// of them comes back.
static const char *const not_carried[] = {
    "KHR_mesh_quantization",   "KHR_draco_mesh_compression", "EXT_meshopt_compression",
    "KHR_meshopt_compression", "EXT_mesh_gpu_instancing",    "KHR_animation_pointer",
    "EXT_mesh_features",       "EXT_structural_metadata",    NULL,
};

/// A file that requires one of these is read rightly although Limber only carries it: a whole name,
/// or a prefix before '*'.
static const char *const harmless[] = {
    "KHR_mesh_quantization",
    "KHR_texture_transform",
    "KHR_texture_basisu",
    "KHR_materials_*",
    "KHR_lights_punctual",
    "KHR_xmp*",
    "KHR_node_visibility",
    "EXT_texture_*",
    "EXT_materials_*",
    "EXT_lights_*",
    "MSFT_texture_dds",
    "VRM",
    "VRMC_*",
    "FB_ngon_encoding",
    "EXT_mesh_manifold",
    NULL,
};

static bool is_in(const char *const *names, const char *name, size_t size)
{
    for (; *names; ++names) {
        const size_t length = strlen(*names);
        const bool prefix = (*names)[length - 1] == '*';
        if (prefix ? size >= length - 1 && memcmp(*names, name, length - 1) == 0
                   : size == length && memcmp(*names, name, size) == 0) {
            return true;
        }
    }
    return false;
}

bool lmbi_gltf_extension_is_carried(const char *name, size_t size)
{
    return !is_in(not_carried, name, size);
}

static bool read_names(lmbi_gltf *g, const char *key, lmbi_gltf_table *names)
{
    return lmbi_gltf_table_read(g, g->root, key, LMBI_JSON_STRING, names);
}

bool lmbi_gltf_extensions_check(lmbi_gltf *g)
{
    lmbi_gltf_table names;
    if (!read_names(g, "extensionsRequired", &names)) {
        return false;
    }
    for (uint32_t k = 0; k < names.count; ++k) {
        const lmbi_json *name = names.items[k];
        if (!is_in(harmless, name->at + 1, name->size - 2)) {
            const char *text = lmbi_json_string(&g->arena, name);
            return text ? lmbi_gltf_unsupported(g, name, "no required extension that Limber lacks",
                                                text)
                        : lmbi_gltf_fail_memory(g);
        }
    }
    return true;
}

bool lmbi_gltf_extensions_text(lmbi_gltf *g, const char *key, const char **out)
{
    lmbi_gltf_table names;
    if (!read_names(g, key, &names)) {
        return false;
    }
    lmbi_text text;
    lmbi_text_init(&text, g->alloc);
    lmbi_json_out json = {.text = &text, .first = true};
    lmbi_json_open(&json, NULL, '[');
    uint32_t kept = 0;
    for (uint32_t k = 0; k < names.count; ++k) {
        const lmbi_json *name = names.items[k];
        if (lmbi_gltf_extension_is_carried(name->at + 1, name->size - 2)) {
            lmbi_json_put_raw(&json, NULL, name->at, name->size);
            ++kept;
        }
    }
    lmbi_json_close(&json, ']');
    *out = NULL;
    bool fine = !text.failed;
    if (fine && kept) {
        *out = lmbi_arena_string(&g->arena, text.data, text.size);
        fine = *out != NULL;
    }
    lmbi_text_free(&text);
    return fine || lmbi_gltf_fail_memory(g);
}
