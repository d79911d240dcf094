#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "io/external.h"
#include "io/gltf/gltf.h"
#include "io/surface/obj.h"
#include "io/surface/surface.h"

typedef struct mtl_reader {
    const lmbi_obj *obj;
    lmbi_arena *arena;
    lmb_appearance *appearance;
    lmbi_names textures;
} mtl_reader;

/// The file name of a map_ line. Options before it have 0 to 3 numbers or one word.
static lmbi_word picture_name(lmbi_scan *scan)
{
    static const char *const word_options[] = {"-blendu", "-blendv", "-cc", "-clamp", "-imfchan",
                                               "-texres", "-type",   "-bm", "-boost"};
    for (;;) {
        lmbi_scan peek = *scan;
        const lmbi_word option = lmbi_scan_word(&peek);
        if (option.size < 2 || option.at[0] != '-') {
            return lmbi_scan_rest(scan);
        }
        bool takes_word = false;
        for (size_t i = 0; i < sizeof word_options / sizeof *word_options; ++i) {
            takes_word = takes_word || lmbi_word_is(option, word_options[i]);
        }
        double number = 0;
        if (takes_word) {
            lmbi_scan_word(&peek);
        }
        for (int i = 0; !takes_word && i < 3; ++i) {
            const lmbi_scan before = peek;
            if (!lmbi_scan_number(&peek, &number)) {
                break;
            }
            if (peek.at < peek.end && strchr(" \t\r\n", *peek.at) == NULL) {
                peek = before; // "-s 1 1 1 4k.png": a file name may begin with a digit
                break;
            }
        }
        *scan = peek;
    }
}

static int32_t texture_of(mtl_reader *r, lmbi_word name)
{
    lmb_appearance *appearance = r->appearance;
    const int32_t i = lmbi_names_add(&r->textures, name);
    if (i == (int32_t)appearance->texture_count && (uint32_t)i < appearance->material_count) {
        char *uri = lmbi_arena_string(r->arena, name.at, name.size);
        if (uri == NULL) {
            return LMB_NONE;
        }
        appearance->textures[i] = (lmb_texture){.image = i};
        appearance->images[i] = (lmb_image){.uri = uri};
        appearance->image_count = ++appearance->texture_count;
    }
    return i < (int32_t)appearance->texture_count ? i : LMB_NONE;
}

static float clamp_unit(double value)
{
    return value > 0 ? (value < 1 ? (float)value : 1.0f) : 0.0f;
}

static void read_property(mtl_reader *r, lmbi_scan *scan, lmb_material *material)
{
    const lmbi_word word = lmbi_scan_word(scan);
    double n[3] = {0};
    if (lmbi_word_is(word, "map_Kd")) {
        const lmbi_word name = picture_name(scan);
        material->base_color_texture = name.size ? texture_of(r, name) : LMB_NONE;
        return;
    }
    if (!lmbi_scan_number(scan, &n[0])) {
        return;
    }
    if (lmbi_word_is(word, "Kd")) {
        n[1] = n[2] = n[0]; // one number means grey
        if (lmbi_scan_number(scan, &n[1])) {
            lmbi_scan_number(scan, &n[2]);
        }
        material->base_color.x = clamp_unit(n[0]);
        material->base_color.y = clamp_unit(n[1]);
        material->base_color.z = clamp_unit(n[2]);
    } else if (lmbi_word_is(word, "d")) {
        material->base_color.w = clamp_unit(n[0]);
    } else if (lmbi_word_is(word, "Tr")) {
        material->base_color.w = 1 - clamp_unit(n[0]);
    } else if (lmbi_word_is(word, "Pm")) {
        material->metallic = clamp_unit(n[0]);
    } else if (lmbi_word_is(word, "Pr")) {
        material->roughness = clamp_unit(n[0]);
    }
    material->alpha_blend = material->base_color.w < 1;
}

static void read_library(mtl_reader *r, lmb_bytes bytes)
{
    lmbi_scan scan;
    lmbi_scan_init(&scan, bytes.data, bytes.size);
    lmb_material *material = NULL;
    while (lmbi_scan_space(&scan), !lmbi_scan_done(&scan)) {
        lmbi_scan line = scan;
        if (lmbi_word_is(lmbi_scan_word(&line), "newmtl")) {
            const int32_t index = lmbi_names_find(&r->obj->materials, lmbi_scan_rest(&line));
            material = index >= 0 ? &r->appearance->materials[index] : NULL;
        } else if (material) {
            read_property(r, &scan, material);
        }
        lmbi_scan_next_line(&scan);
    }
}

static lmbi_external load_library(mtl_reader *r, const lmb_loader *loader, const char *name)
{
    lmb_bytes bytes = {0};
    const lmbi_external outcome = lmbi_external_load(loader, name, &bytes);
    if (outcome == LMBI_EXTERNAL_FOUND) {
        read_library(r, bytes);
        lmbi_external_release(loader, bytes);
    }
    return outcome;
}

/// Reads the libraries of a mtllib line, which names one file, perhaps with blanks in its name, or
/// several files.
static void load_libraries(mtl_reader *r, const lmb_loader *loader, const char *line)
{
    const lmbi_external whole = load_library(r, loader, line);
    if (whole == LMBI_EXTERNAL_FOUND) {
        return;
    }
    lmbi_scan scan;
    lmbi_scan_init(&scan, line, strlen(line));
    size_t found = 0;
    while (!lmbi_scan_line_end(&scan)) {
        const lmbi_word word = lmbi_scan_word(&scan);
        char *name = lmbi_arena_string(r->arena, word.at, word.size);
        if (name && word.size < strlen(line)) {
            found += load_library(r, loader, name) == LMBI_EXTERNAL_FOUND;
        }
    }
    if (found == 0) {
        lmbi_note(r->obj->notes, 0, "the material library %.60s %s", line,
                  lmbi_external_reason(whole));
    }
}

/// Loads the picture beside the file if glTF can embed its format, so that a writer can.
static bool load_picture(mtl_reader *r, const lmb_loader *loader, lmb_image *image)
{
    lmb_bytes bytes = {0};
    const lmbi_external outcome = lmbi_external_load(loader, image->uri, &bytes);
    if (outcome != LMBI_EXTERNAL_FOUND) {
        lmbi_note(r->obj->notes, 0, "the picture %.60s %s", image->uri,
                  lmbi_external_reason(outcome));
        return true;
    }
    image->mime = lmbi_gltf_sniff_mime(bytes.data, bytes.size);
    image->bytes = image->mime ? lmbi_arena_array(r->arena, bytes.size, 1) : NULL;
    const bool ok = image->mime == NULL || image->bytes != NULL;
    if (image->bytes) {
        memcpy(image->bytes, bytes.data, bytes.size);
        image->byte_count = bytes.size;
    }
    lmbi_external_release(loader, bytes);
    return ok;
}

lmb_result lmbi_mtl_read(const lmbi_obj *obj, const lmb_loader *loader, lmbi_arena *arena,
                         lmb_appearance *appearance, lmb_error *error)
{
    memset(appearance, 0, sizeof *appearance);
    const uint32_t count = (uint32_t)obj->materials.count;
    mtl_reader r = {.obj = obj, .arena = arena, .appearance = appearance};
    appearance->materials = lmbi_arena_array(arena, count, sizeof *appearance->materials);
    appearance->textures = lmbi_arena_array(arena, count, sizeof *appearance->textures);
    appearance->images = lmbi_arena_array(arena, count, sizeof *appearance->images);
    if (!appearance->materials || !appearance->textures || !appearance->images) {
        return lmbi_fail_memory(error);
    }
    appearance->material_count = count;
    for (uint32_t i = 0; i < count; ++i) {
        appearance->materials[i] = (lmb_material){.name = obj->materials.items[i],
                                                  .base_color = {0.8f, 0.8f, 0.8f, 1},
                                                  .base_color_texture = LMB_NONE,
                                                  .roughness = 1};
    }
    lmbi_names_init(&r.textures, obj->alloc);
    for (size_t i = 0; loader && loader->load && i < obj->libraries.count; ++i) {
        load_libraries(&r, loader, obj->libraries.items[i]);
    }
    lmbi_names_free(&r.textures);
    bool ok = true;
    for (uint32_t i = 0; ok && i < appearance->image_count; ++i) {
        ok = load_picture(&r, loader, &appearance->images[i]);
    }
    return ok ? LMB_OK : lmbi_fail_memory(error);
}

static void write_material(lmbi_text *text, const lmb_appearance *appearance, const lmb_material *m)
{
    lmbi_text_add(text, "newmtl ");
    lmbi_text_add(text, m->name ? m->name : "");
    lmbi_text_add(text, "\nKd ");
    lmbi_text_float(text, m->base_color.x);
    lmbi_text_add(text, " ");
    lmbi_text_float(text, m->base_color.y);
    lmbi_text_add(text, " ");
    lmbi_text_float(text, m->base_color.z);
    lmbi_text_add(text, "\nd ");
    lmbi_text_float(text, m->base_color.w);
    lmbi_text_add(text, "\nPm ");
    lmbi_text_float(text, m->metallic);
    lmbi_text_add(text, "\nPr ");
    lmbi_text_float(text, m->roughness);
    lmbi_text_add(text, "\n");
    const int32_t texture = m->base_color_texture;
    const int32_t image = texture >= 0 && (uint32_t)texture < appearance->texture_count
                              ? appearance->textures[texture].image
                              : LMB_NONE;
    if (image >= 0 && (uint32_t)image < appearance->image_count && appearance->images[image].uri) {
        lmbi_text_add(text, "map_Kd ");
        lmbi_text_add(text, appearance->images[image].uri);
        lmbi_text_add(text, "\n");
    }
    lmbi_text_add(text, "\n");
}

lmb_result lmbi_mtl_write(const lmb_appearance *appearance, const lmb_allocator *alloc,
                          lmb_buffer *out, lmb_error *error)
{
    lmbi_text text;
    lmbi_text_init(&text, alloc);
    for (uint32_t i = 0; i < appearance->material_count; ++i) {
        write_material(&text, appearance, &appearance->materials[i]);
    }
    return lmbi_buffer_take(&text, out, error);
}
