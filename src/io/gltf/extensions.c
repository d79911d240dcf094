// What Limber does not interpret: which extensions can be carried through as text, and that text.
#include <string.h>

#include "io/gltf/gltf.h"

/// Extensions that are dropped on reading: they refer to buffers, which the writer lays out anew, or
/// describe how those were packed.
static const char *const not_carried[] = {
    "KHR_mesh_quantization",   "KHR_draco_mesh_compression", "EXT_meshopt_compression",
    "KHR_meshopt_compression", "EXT_mesh_gpu_instancing",    "KHR_animation_pointer",
    "EXT_mesh_features",       "EXT_structural_metadata",    NULL,
};

/// Extensions that a file may require and still be read correctly although Limber only carries
/// them: whole names, or a prefix before '*'.
static const char *const harmless[] = {
    "KHR_mesh_quantization",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
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

/// Harmless where the program lends a decoder.
static const char draco_name[] = "KHR_draco_mesh_compression";

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
        const bool decoded = g->opts->draco && lmbi_json_string_is(name, draco_name);
        if (!decoded && !is_in(harmless, name->at + 1, name->size - 2)) {
            const char *text = lmbi_json_string(&g->arena, name);
            return text ? lmbi_gltf_unsupported(g, name, "no required extension that Limber lacks",
                                                text)
                        : lmbi_gltf_fail_memory(g);
        }
    }
    return true;
}

// ------------------------------------------------------------------------------------ carried text

static void put_minified(lmbi_json_out *json, const lmbi_json *member)
{
    lmbi_json_put_raw(json, NULL, NULL, 0); // writes only the comma
    if (member->key) {
        lmbi_text_add(json->text, "\"");
        lmbi_text_bytes(json->text, member->key, member->key_size);
        lmbi_text_add(json->text, "\":");
    }
    lmbi_json_minify(json->text, member->at, member->size);
}

static void put_extensions(lmbi_json_out *json, const lmbi_json *extensions)
{
    bool any = false;
    for (const lmbi_json *item = extensions->child; item; item = item->next) {
        if (lmbi_gltf_extension_is_carried(item->key, item->key_size)) {
            if (!any) {
                lmbi_json_open(json, "extensions", '{');
                any = true;
            }
            put_minified(json, item);
        }
    }
    if (any) {
        lmbi_json_close(json, '}');
    }
}

static bool is_known(const lmbi_json *member, const char *const *known)
{
    for (; *known; ++known) {
        if (lmbi_json_key_is(member, *known)) {
            return true;
        }
    }
    return false;
}

/// Copies the text to the arena, or sets *out to NULL unless `any`; frees it.
static bool store_text(lmbi_gltf *g, lmbi_text *text, bool any, const char **out)
{
    *out = any && !text->failed ? lmbi_arena_string(&g->arena, text->data, text->size) : NULL;
    const bool fine = !text->failed && (!any || *out);
    lmbi_text_free(text);
    return fine || lmbi_gltf_fail_memory(g);
}

bool lmbi_gltf_carry(lmbi_gltf *g, const lmbi_json *object, const char *const *known,
                     const char **out)
{
    lmbi_text text;
    lmbi_text_init(&text, g->alloc);
    lmbi_json_out json = {.text = &text, .first = true};
    lmbi_json_open(&json, NULL, '{');
    const size_t empty = text.size;
    for (const lmbi_json *member = object->child; member; member = member->next) {
        if (is_known(member, known)) {
            continue;
        }
        if (lmbi_json_key_is(member, "extensions") && member->type == LMBI_JSON_OBJECT) {
            put_extensions(&json, member);
        } else {
            put_minified(&json, member);
        }
    }
    const bool any = text.size > empty;
    lmbi_json_close(&json, '}');
    return store_text(g, &text, any, out);
}

bool lmbi_gltf_carry_whole(lmbi_gltf *g, const lmbi_json *value, const char **out)
{
    lmbi_text text;
    lmbi_text_init(&text, g->alloc);
    lmbi_json_minify(&text, value->at, value->size);
    return store_text(g, &text, true, out);
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
    const size_t empty = text.size;
    for (uint32_t k = 0; k < names.count; ++k) {
        const lmbi_json *name = names.items[k];
        if (lmbi_gltf_extension_is_carried(name->at + 1, name->size - 2)) {
            lmbi_json_put_raw(&json, NULL, name->at, name->size);
        }
    }
    const bool any = text.size > empty;
    lmbi_json_close(&json, ']');
    return store_text(g, &text, any, out);
}
