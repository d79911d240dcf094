#include "io/fbx/assets.h"

#include <string.h>

#include "io/base64.h"
#include "io/external.h"
#include "io/gltf/gltf.h"

typedef struct maker {
    lmbi_fbx_scene *scene;
    lmbi_fbx *fbx;
    const lmb_loader *loader;
    lmb_appearance *look;
    int32_t *texture_of; ///< [objects] index in the look, or LMB_NONE
} maker;

// ----------------------------------------------------------------------------------------- images

/// An embedded image file: one string in binary files, pieces of base64 in ASCII ones.
static lmb_result read_content(maker *m, const lmbi_fbx_node *content, lmb_image *image)
{
    lmbi_arena *arena = &m->fbx->arena;
    const lmbi_word raw = lmbi_fbx_text(content, 0);
    if (content == NULL || raw.size == 0) {
        return LMB_OK;
    }
    if (!m->fbx->ascii) {
        image->bytes = lmbi_arena_array(arena, raw.size, 1);
        if (image->bytes == NULL) {
            return lmbi_fail_memory(m->fbx->error);
        }
        memcpy(image->bytes, raw.at, raw.size);
        image->byte_count = raw.size;
        return LMB_OK;
    }
    size_t size = 0;
    for (uint32_t i = 0; i < content->value_count; ++i) {
        size += lmbi_fbx_text(content, i).size;
    }
    image->bytes = lmbi_arena_array(arena, lmbi_base64_bound(size), 1);
    if (image->bytes == NULL) {
        return lmbi_fail_memory(m->fbx->error);
    }
    for (uint32_t i = 0; i < content->value_count; ++i) { // each piece is padded on its own
        const lmbi_word piece = lmbi_fbx_text(content, i);
        size_t made = 0, bad;
        if (!lmbi_base64_decode(piece.at, piece.size, image->bytes + image->byte_count, &made,
                                &bad)) {
            lmbi_note(m->fbx->notes, 0, "an embedded image is no base64 and is left out");
            image->bytes = NULL;
            image->byte_count = 0;
            return LMB_OK;
        }
        image->byte_count += made;
    }
    return LMB_OK;
}

/// Whether a name is that of a folder, which exporters write for pictures that have no file.
static bool is_folder(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/// The file name without folders, which are those of the exporting machine.
static const char *file_name_of(maker *m, lmbi_word path)
{
    size_t from = 0;
    for (size_t i = 0; i < path.size; ++i) {
        from = path.at[i] == '/' || path.at[i] == '\\' ? i + 1 : from;
    }
    return lmbi_arena_string(&m->fbx->arena, path.at ? path.at + from : "", path.size - from);
}

static lmbi_word file_of(const lmbi_fbx_node *node)
{
    static const char *const names[] = {"RelativeFilename", "RelativeFileName", "FileName",
                                        "Filename"};
    lmbi_word path = {NULL, 0};
    for (size_t i = 0; i < sizeof names / sizeof *names && path.size == 0; ++i) {
        path = lmbi_fbx_text(lmbi_fbx_child(node, names[i]), 0);
    }
    return path;
}

static lmb_result load_image(maker *m, lmb_image *image)
{
    lmb_bytes bytes = {0};
    const lmbi_external outcome = lmbi_external_load(m->loader, image->uri, &bytes);
    if (outcome != LMBI_EXTERNAL_FOUND) {
        lmbi_note(m->fbx->notes, 0, "the image %.60s %s", image->uri,
                  lmbi_external_reason(outcome));
        return LMB_OK;
    }
    image->bytes = bytes.size ? lmbi_arena_array(&m->fbx->arena, bytes.size, 1) : NULL;
    const bool copied = image->bytes != NULL || bytes.size == 0;
    if (image->bytes) {
        memcpy(image->bytes, bytes.data, bytes.size);
        image->byte_count = bytes.size;
    }
    lmbi_external_release(m->loader, bytes);
    return copied ? LMB_OK : lmbi_fail_memory(m->fbx->error);
}

/// Adds a texture and its image: with bytes for types that glTF supports, else with its name only.
static lmb_result add_image(maker *m, uint32_t texture, const char *uri)
{
    const int32_t video = lmbi_fbx_scene_source(m->scene, texture, LMBI_FBX_VIDEO, 0);
    lmb_image image = {.uri = uri};
    lmb_result result = LMB_OK;
    if (video != LMB_NONE) {
        result = read_content(m, lmbi_fbx_child(m->scene->objects[video].node, "Content"), &image);
    }
    if (result == LMB_OK && image.byte_count == 0) {
        result = load_image(m, &image);
    }
    if (result != LMB_OK) {
        return result;
    }
    image.mime = image.byte_count ? lmbi_gltf_sniff_mime(image.bytes, image.byte_count) : NULL;
    if (image.mime == NULL) {
        image.bytes = NULL;
        image.byte_count = 0;
    }
    lmb_appearance *look = m->look;
    m->texture_of[texture] = (int32_t)look->texture_count;
    look->textures[look->texture_count++] = (lmb_texture){.image = (int32_t)look->image_count};
    look->images[look->image_count++] = image;
    return LMB_OK;
}

static lmb_result texture_index(maker *m, uint32_t texture, int32_t *index)
{
    lmb_result result = LMB_OK;
    *index = m->texture_of[texture];
    if (*index != LMB_NONE) {
        return LMB_OK;
    }
    const int32_t video = lmbi_fbx_scene_source(m->scene, texture, LMBI_FBX_VIDEO, 0);
    lmbi_word path = file_of(m->scene->objects[texture].node);
    if (path.size == 0 && video != LMB_NONE) {
        path = file_of(m->scene->objects[video].node);
    }
    const char *uri = file_name_of(m, path);
    if (uri == NULL) {
        return lmbi_fail_memory(m->fbx->error);
    }
    const bool is_embedded =
        video != LMB_NONE && lmbi_fbx_child(m->scene->objects[video].node, "Content") != NULL;
    if (uri[0] && (is_embedded || !is_folder(uri))) {
        result = add_image(m, texture, uri);
        *index = m->texture_of[texture];
    }
    return result;
}

// -------------------------------------------------------------------------------------- materials

static bool is_base_color(lmbi_word property)
{
    static const char *const names[] = {"DiffuseColor",
                                        "Diffuse",
                                        "Maya|baseColor",
                                        "Maya|TEX_color_map",
                                        "3dsMax|Parameters|base_color_map",
                                        "3dsMax|main|baseColor"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (lmbi_word_is_exact(property, names[i])) {
            return true;
        }
    }
    return false;
}

static void read_color(const maker *m, const lmbi_fbx_object *object, lmb_material *material)
{
    double color[3] = {0.8, 0.8, 0.8};
    double factor = 1;
    if (!lmbi_fbx_property(object, "Maya|baseColor", color, 3) &&
        !lmbi_fbx_property(object, "DiffuseColor", color, 3) &&
        !lmbi_fbx_property(object, "Diffuse", color, 3) && m->fbx->version < 6000) {
        const lmbi_fbx_node *old = lmbi_fbx_child(object->node, "Diffuse");
        for (uint32_t i = 0; i < 3; ++i) {
            color[i] = lmbi_fbx_number(old, i, color[i]);
        }
    }
    lmbi_fbx_property(object, "DiffuseFactor", &factor, 1);
    material->base_color = (lmb_vec4){
        (float)lmbi_fbx_clamp01(color[0] * factor), (float)lmbi_fbx_clamp01(color[1] * factor),
        (float)lmbi_fbx_clamp01(color[2] * factor),
        (float)lmbi_fbx_clamp01(lmbi_fbx_property_number(object, "Opacity", 1))};
    material->alpha_blend = material->base_color.w < 1;
}

static lmb_result read_material(maker *m, uint32_t object, lmb_material *material)
{
    const lmbi_fbx_scene *scene = m->scene;
    *material = (lmb_material){
        .name = scene->objects[object].name, .base_color_texture = LMB_NONE, .roughness = 1};
    material->double_sided = true; // exporters write CullingOff for every model
    read_color(m, &scene->objects[object], material);
    for (uint32_t i = scene->link_first[object]; i < scene->link_first[object + 1]; ++i) {
        const lmbi_fbx_link *link = &scene->links[i];
        if (scene->objects[link->from].kind == LMBI_FBX_TEXTURE && is_base_color(link->property)) {
            const lmb_result result = texture_index(m, link->from, &material->base_color_texture);
            if (result != LMB_OK || material->base_color_texture != LMB_NONE) {
                // The texture replaces the colour, which exporters leave at arbitrary values.
                material->base_color = (lmb_vec4){1, 1, 1, material->base_color.w};
                return result;
            }
        }
    }
    return LMB_OK;
}

lmb_result lmbi_fbx_look_make(lmbi_fbx_scene *scene, const lmb_loader *loader, lmb_appearance *look,
                              int32_t **look_of)
{
    lmbi_arena *arena = &scene->fbx->arena;
    maker m = {.scene = scene, .fbx = scene->fbx, .loader = loader, .look = look};
    size_t materials = 0, textures = 0;
    for (size_t i = 1; i < scene->count; ++i) {
        materials += scene->objects[i].kind == LMBI_FBX_MATERIAL;
        textures += scene->objects[i].kind == LMBI_FBX_TEXTURE;
    }
    *look_of = lmbi_arena_array(arena, scene->count, sizeof **look_of);
    m.texture_of = lmbi_arena_array(arena, scene->count, sizeof *m.texture_of);
    look->materials = lmbi_arena_array(arena, materials, sizeof *look->materials);
    look->textures = lmbi_arena_array(arena, textures, sizeof *look->textures);
    look->images = lmbi_arena_array(arena, textures, sizeof *look->images);
    if (!*look_of || !m.texture_of || !look->materials || !look->textures || !look->images) {
        return lmbi_fail_memory(scene->fbx->error);
    }
    for (size_t i = 0; i < scene->count; ++i) {
        (*look_of)[i] = m.texture_of[i] = LMB_NONE;
    }
    for (size_t i = 1; i < scene->count; ++i) {
        if (scene->objects[i].kind != LMBI_FBX_MATERIAL) {
            continue;
        }
        (*look_of)[i] = (int32_t)look->material_count;
        const lmb_result result =
            read_material(&m, (uint32_t)i, &look->materials[look->material_count++]);
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}
