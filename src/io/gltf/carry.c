// What no reader of a member knows is kept as text and written again.
#include "io/gltf/gltf.h"

static void put_minified(lmbi_json_out *json, const lmbi_json *member)
{
    lmbi_json_put_raw(json, NULL, NULL, 0); // the comma
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

static bool take_text(lmbi_gltf *g, lmbi_text *text, bool any, const char **out)
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
    return take_text(g, &text, any, out);
}

bool lmbi_gltf_carry_whole(lmbi_gltf *g, const lmbi_json *value, const char **out)
{
    lmbi_text text;
    lmbi_text_init(&text, g->alloc);
    lmbi_json_minify(&text, value->at, value->size);
    return take_text(g, &text, true, out);
}
