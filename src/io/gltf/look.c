// Materials, textures, images and samplers, and top-level data that are only carried.
#include <string.h>

#include "io/external.h"
#include "io/gltf/gltf.h"

// ------------------------------------------------------------------------------------------ images

const char *lmbi_gltf_sniff_mime(const uint8_t *bytes, size_t size)
{
    if (size >= 8 && memcmp(bytes, "\x89PNG\r\n\x1A\n", 8) == 0) {
        return "image/png";
    }
    if (size >= 3 && memcmp(bytes, "\xFF\xD8\xFF", 3) == 0) {
        return "image/jpeg";
    }
    if (size >= 12 && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "WEBP", 4) == 0) {
        return "image/webp";
    }
    return size >= 8 && memcmp(bytes, "\xABKTX 20\xBB", 8) == 0 ? "image/ktx2" : NULL;
}

static bool copy_bytes(lmbi_gltf *g, const lmbi_json *json, lmb_image *image, const uint8_t *bytes,
                       size_t size)
{
    if (!lmbi_gltf_spend(g, json, size, 1)) {
        return false;
    }
    image->bytes = lmbi_gltf_array(g, size, 1);
    if (image->bytes == NULL) {
        return false;
    }
    if (size) {
        memcpy(image->bytes, bytes, size);
    }
    image->byte_count = size;
    image->uri = NULL;
    return true;
}

/// Refers to bytes that live as long as the reader: creating the look copies them.
static bool use_bytes(lmbi_gltf *g, const lmbi_json *json, lmb_image *image, const uint8_t *bytes,
                      size_t size)
{
    if (bytes == NULL || size == 0) {
        return copy_bytes(g, json, image, bytes, 0);
    }
    image->bytes = (uint8_t *)(uintptr_t)bytes;
    image->byte_count = size;
    image->uri = NULL;
    return lmbi_gltf_spend(g, json, size, 1);
}

/// An image in another file: its bytes when the loader has them, else its URI.
static bool load_image(lmbi_gltf *g, const lmbi_json *json, const lmbi_gltf_uri *uri,
                       lmb_image *image)
{
    const lmb_loader *loader = g->opts->loader;
    lmb_bytes bytes = {0};
    if (!uri->is_loadable || lmbi_external_load(loader, uri->name, &bytes) != LMBI_EXTERNAL_FOUND) {
        return true;
    }
    lmbi_gltf_budget_add(g, bytes.size);
    const bool fine = copy_bytes(g, json, image, bytes.data, bytes.size);
    lmbi_external_release(loader, bytes);
    return fine;
}

static bool read_image(lmbi_gltf *g, const lmbi_json *json, lmb_image *image)
{
    static const char *const known[] = {"name", "mimeType", "uri", "bufferView", NULL};
    const lmbi_json *uri_value = NULL;
    int32_t view = 0;
    if (!lmbi_gltf_string(g, json, "name", &image->name) ||
        !lmbi_gltf_string(g, json, "mimeType", &image->mime) ||
        !lmbi_gltf_string(g, json, "uri", &image->uri) ||
        !lmbi_gltf_member(g, json, "uri", LMBI_JSON_STRING, &uri_value) ||
        !lmbi_gltf_index(g, json, "bufferView", g->views.count, &view) ||
        !lmbi_gltf_carry(g, json, known, &image->carried)) {
        return false;
    }
    if (uri_value) {
        lmbi_gltf_uri uri;
        if (!lmbi_gltf_uri_read(g, uri_value, &uri) ||
            !(uri.is_data ? use_bytes(g, json, image, uri.bytes, uri.size)
                          : load_image(g, json, &uri, image))) {
            return false;
        }
        if (uri.is_data && image->mime == NULL && uri.mime[0]) {
            image->mime = uri.mime;
        }
    } else if (view != LMB_NONE &&
               !use_bytes(g, json, image, g->view_items[view].data, g->view_items[view].size)) {
        return false;
    }
    if (image->bytes && image->mime == NULL) {
        image->mime = lmbi_gltf_sniff_mime(image->bytes, image->byte_count);
    }
    return true;
}

// -------------------------------------------------------------------------- textures and materials

static bool read_texture(lmbi_gltf *g, const lmbi_json *json, lmb_texture *texture)
{
    int32_t sampler = 0;
    return lmbi_gltf_index(g, json, "source", g->images.count, &texture->image) &&
           lmbi_gltf_index(g, json, "sampler", g->samplers.count, &sampler) &&
           lmbi_gltf_carry_whole(g, json, &texture->gltf);
}

/// The texture that the material's member `key` names, or LMB_NONE.
static bool read_texture_info(lmbi_gltf *g, const lmbi_json *object, const char *key,
                              const char *factor, int32_t *out)
{
    const lmbi_json *info = NULL;
    uint32_t index = 0;
    float ignored = 0;
    *out = LMB_NONE;
    if (!lmbi_gltf_member(g, object, key, LMBI_JSON_OBJECT, &info) ||
        !lmbi_gltf_float(g, info, factor, 1, &ignored)) {
        return false;
    }
    if (info == NULL) {
        return true;
    }
    if (!lmbi_gltf_required_index(g, info, "index", g->textures.count, &index)) {
        return false;
    }
    *out = (int32_t)index;
    return true;
}

/// Checks textures that are only carried, so that the file that is written has no bad index.
static bool check_textures(lmbi_gltf *g, const lmbi_json *material, const lmbi_json *pbr)
{
    int32_t ignored = 0;
    return read_texture_info(g, pbr, "metallicRoughnessTexture", "", &ignored) &&
           read_texture_info(g, material, "normalTexture", "scale", &ignored) &&
           read_texture_info(g, material, "occlusionTexture", "strength", &ignored) &&
           read_texture_info(g, material, "emissiveTexture", "", &ignored);
}

static bool read_material(lmbi_gltf *g, const lmbi_json *json, lmb_material *material)
{
    const lmbi_json *pbr = NULL, *alpha = NULL;
    float color[4] = {1, 1, 1, 1};
    bool present = false;
    if (!lmbi_gltf_string(g, json, "name", &material->name) ||
        !lmbi_gltf_member(g, json, "pbrMetallicRoughness", LMBI_JSON_OBJECT, &pbr) ||
        !lmbi_gltf_bool(g, json, "doubleSided", &material->double_sided) ||
        !lmbi_gltf_member(g, json, "alphaMode", LMBI_JSON_STRING, &alpha) ||
        !lmbi_gltf_floats(g, pbr, "baseColorFactor", 4, color, &present) ||
        !lmbi_gltf_float(g, pbr, "metallicFactor", 1, &material->metallic) ||
        !lmbi_gltf_float(g, pbr, "roughnessFactor", 1, &material->roughness) ||
        !read_texture_info(g, pbr, "baseColorTexture", "", &material->base_color_texture) ||
        !check_textures(g, json, pbr)) {
        return false;
    }
    const lmb_vec4 base = {color[0], color[1], color[2], color[3]};
    material->base_color = base;
    material->alpha_blend = lmbi_json_string_is(alpha, "BLEND");
    return lmbi_gltf_carry_whole(g, json, &material->gltf);
}

static bool read_parts(lmbi_gltf *g, lmb_appearance *look)
{
    for (uint32_t k = 0; k < look->image_count; ++k) {
        if (!read_image(g, g->images.items[k], &look->images[k])) {
            return false;
        }
    }
    for (uint32_t k = 0; k < look->sampler_count; ++k) {
        if (!lmbi_gltf_carry_whole(g, g->samplers.items[k], &look->samplers[k])) {
            return false;
        }
    }
    for (uint32_t k = 0; k < look->texture_count; ++k) {
        if (!read_texture(g, g->textures.items[k], &look->textures[k])) {
            return false;
        }
    }
    for (uint32_t k = 0; k < look->material_count; ++k) {
        if (!read_material(g, g->materials.items[k], &look->materials[k])) {
            return false;
        }
    }
    return true;
}

// ------------------------------------------------------------------------------------ carried data

/// Top-level members that are only carried; `asset` without version and generator.
static bool carry_rest(lmbi_gltf *g, const char **out)
{
    static const char *const known[] = {"asset",
                                        "nodes",
                                        "meshes",
                                        "skins",
                                        "animations",
                                        "accessors",
                                        "bufferViews",
                                        "buffers",
                                        "materials",
                                        "textures",
                                        "images",
                                        "samplers",
                                        "extensionsUsed",
                                        "extensionsRequired",
                                        NULL};
    static const char *const known_asset[] = {"version", "minVersion", "generator", NULL};
    const char *asset = NULL, *rest = NULL;
    if (!lmbi_gltf_carry(g, lmbi_json_find(g->root, "asset"), known_asset, &asset) ||
        !lmbi_gltf_carry(g, g->root, known, &rest)) {
        return false;
    }
    *out = rest;
    if (asset == NULL) {
        return true;
    }
    lmbi_text text;
    lmbi_text_init(&text, g->alloc);
    lmbi_json_out json = {.text = &text, .first = true};
    lmbi_json_open(&json, NULL, '{');
    lmbi_json_put_raw(&json, "asset", asset, strlen(asset));
    lmbi_json_put_members(&json, rest);
    lmbi_json_close(&json, '}');
    *out = text.failed ? NULL : lmbi_arena_string(&g->arena, text.data, text.size);
    lmbi_text_free(&text);
    return *out || lmbi_gltf_fail_memory(g);
}

bool lmbi_gltf_look_read(lmbi_gltf *g)
{
    if (!lmbi_gltf_table_read(g, g->root, "materials", LMBI_JSON_OBJECT, &g->materials) ||
        !lmbi_gltf_table_read(g, g->root, "textures", LMBI_JSON_OBJECT, &g->textures) ||
        !lmbi_gltf_table_read(g, g->root, "images", LMBI_JSON_OBJECT, &g->images) ||
        !lmbi_gltf_table_read(g, g->root, "samplers", LMBI_JSON_OBJECT, &g->samplers)) {
        return false;
    }
    lmb_appearance def = {.material_count = g->materials.count,
                          .texture_count = g->textures.count,
                          .image_count = g->images.count,
                          .sampler_count = g->samplers.count};
    def.materials = lmbi_gltf_array(g, def.material_count, sizeof *def.materials);
    def.textures = lmbi_gltf_array(g, def.texture_count, sizeof *def.textures);
    def.images = lmbi_gltf_array(g, def.image_count, sizeof *def.images);
    def.samplers = lmbi_gltf_array(g, def.sampler_count, sizeof *def.samplers);
    if (!def.materials || !def.textures || !def.images || !def.samplers) {
        return false;
    }
    if (!read_parts(g, &def) || !carry_rest(g, &def.carried) ||
        !lmbi_gltf_extensions_text(g, "extensionsUsed", &def.extensions_used) ||
        !lmbi_gltf_extensions_text(g, "extensionsRequired", &def.extensions_required)) {
        return false;
    }
    g->result = lmb_appearance_create(&def, g->alloc, &g->def.appearance, g->error);
    return g->result == LMB_OK;
}
