// Materials, textures, samplers and images, and the lists of extensions.
#include <string.h>

#include "io/gltf/write.h"
#include "mapping/vrm.h"

static void write_object(lmbi_json_out *json, const char *text)
{
    lmbi_json_put_raw(json, NULL, text, strlen(text));
}

static void write_material(lmbi_json_out *json, const lmb_material *m)
{
    const float color[4] = {m->base_color.x, m->base_color.y, m->base_color.z, m->base_color.w};
    if (m->gltf) {
        write_object(json, m->gltf);
        return;
    }
    lmbi_json_open(json, NULL, '{');
    if (m->name) {
        lmbi_json_put_string(json, "name", m->name);
    }
    lmbi_json_open(json, "pbrMetallicRoughness", '{');
    lmbi_json_put_floats(json, "baseColorFactor", color, 4);
    if (m->base_color_texture != LMB_NONE) {
        lmbi_json_open(json, "baseColorTexture", '{');
        lmbi_json_put_int(json, "index", m->base_color_texture);
        lmbi_json_close(json, '}');
    }
    lmbi_json_put_float(json, "metallicFactor", m->metallic);
    lmbi_json_put_float(json, "roughnessFactor", m->roughness);
    lmbi_json_close(json, '}');
    if (m->alpha_blend) {
        lmbi_json_put_string(json, "alphaMode", "BLEND");
    }
    if (m->double_sided) {
        lmbi_json_put_bool(json, "doubleSided", true);
    }
    lmbi_json_close(json, '}');
}

static void write_texture(lmbi_json_out *json, const lmb_texture *texture)
{
    if (texture->gltf) {
        write_object(json, texture->gltf);
        return;
    }
    lmbi_json_open(json, NULL, '{');
    if (texture->image != LMB_NONE) {
        lmbi_json_put_int(json, "source", texture->image);
    }
    lmbi_json_close(json, '}');
}

/// Writes a file name of another format as a URI: blanks are percent-encoded, backslashes replaced.
static void write_uri(lmbi_json_out *json, const char *uri)
{
    static const char digits[] = "0123456789ABCDEF";
    lmbi_text text;
    lmbi_text_init(&text, json->text->alloc);
    for (; *uri; ++uri) {
        const unsigned char c = (unsigned char)*uri;
        const char escaped[3] = {'%', digits[c >> 4], digits[c & 15]};
        if (c == '\\') {
            lmbi_text_add(&text, "/");
        } else if (c <= ' ' || c == 0x7F || strchr("\"<>^`{|}", c)) {
            lmbi_text_bytes(&text, escaped, 3);
        } else {
            lmbi_text_bytes(&text, uri, 1);
        }
    }
    lmbi_text_bytes(&text, "", 1);
    json->text->failed = json->text->failed || text.failed;
    if (!text.failed) {
        lmbi_json_put_string(json, "uri", (const char *)text.data);
    }
    lmbi_text_free(&text);
}

static const char *mime_of(const lmb_image *image)
{
    const char *mime =
        image->mime ? image->mime : lmbi_gltf_sniff_mime(image->bytes, image->byte_count);
    return mime ? mime : "image/png"; // glTF requires a type
}

/// Writes an image's bytes into the buffer; one without bytes keeps its URI.
static void write_image(lmbi_gltf_out *o, const lmb_image *image)
{
    lmbi_json_out *json = &o->json;
    lmbi_json_open(json, NULL, '{');
    if (image->name) {
        lmbi_json_put_string(json, "name", image->name);
    }
    if (image->bytes && image->byte_count) {
        const size_t begin = lmbi_gltf_out_begin(o);
        lmbi_text_bytes(&o->binary, image->bytes, image->byte_count);
        lmbi_json_put_string(json, "mimeType", mime_of(image));
        lmbi_json_put_int(json, "bufferView", lmbi_gltf_out_view(o, begin, 0, 0));
    } else {
        if (image->mime) {
            lmbi_json_put_string(json, "mimeType", image->mime);
        }
        if (image->uri) {
            write_uri(json, image->uri);
        }
    }
    lmbi_json_put_members(json, image->carried);
    lmbi_json_close(json, '}');
}

void lmbi_gltf_out_look(lmbi_gltf_out *o)
{
    const lmb_appearance *look = o->character->appearance;
    if (look == NULL) {
        return;
    }
    if (look->material_count) {
        lmbi_json_open(&o->json, "materials", '[');
        for (uint32_t k = 0; k < look->material_count; ++k) {
            write_material(&o->json, &look->materials[k]);
        }
        lmbi_json_close(&o->json, ']');
    }
    if (look->texture_count) {
        lmbi_json_open(&o->json, "textures", '[');
        for (uint32_t k = 0; k < look->texture_count; ++k) {
            write_texture(&o->json, &look->textures[k]);
        }
        lmbi_json_close(&o->json, ']');
    }
    if (look->sampler_count) {
        lmbi_json_open(&o->json, "samplers", '[');
        for (uint32_t k = 0; k < look->sampler_count; ++k) {
            write_object(&o->json, look->samplers[k]);
        }
        lmbi_json_close(&o->json, ']');
    }
    if (look->image_count) {
        lmbi_json_open(&o->json, "images", '[');
        for (uint32_t k = 0; k < look->image_count; ++k) {
            write_image(o, &look->images[k]);
        }
        lmbi_json_close(&o->json, ']');
    }
}

/// A list of names, without extensions that Limber drops.
static bool write_names(lmbi_gltf_out *o, const char *key, const char *text)
{
    lmbi_json *names = NULL;
    if (text == NULL) {
        return true;
    }
    o->result = lmbi_json_read(&o->arena, text, strlen(text), &names, o->error);
    if (o->result != LMB_OK) {
        return false;
    }
    bool any = false;
    for (const lmbi_json *name = names->child; name; name = name->next) {
        if (name->type != LMBI_JSON_STRING ||
            (!o->keeps_order && lmbi_vrm_names_nodes(name->at + 1, name->size - 2))) {
            continue;
        }
        if (!any) {
            lmbi_json_open(&o->json, key, '[');
            any = true;
        }
        lmbi_json_put_raw(&o->json, NULL, name->at, name->size);
    }
    if (any) {
        lmbi_json_close(&o->json, ']');
    }
    return true;
}

bool lmbi_gltf_out_extensions(lmbi_gltf_out *o)
{
    const lmb_appearance *look = o->character->appearance;
    return look == NULL || (write_names(o, "extensionsUsed", look->extensions_used) &&
                            write_names(o, "extensionsRequired", look->extensions_required));
}
