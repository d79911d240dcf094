#include <string.h>

#include "io/gltf/write.h"

static bool open_file(lmbi_gltf_out *o)
{
    const lmb_appearance *look = o->character->appearance;
    if (look && look->carried) {
        lmbi_json *carried = NULL;
        o->result =
            lmbi_json_read(&o->arena, look->carried, strlen(look->carried), &carried, o->error);
        if (o->result != LMB_OK) {
            return false;
        }
        o->carried = carried;
    }
    lmbi_json_open(&o->json, NULL, '{');
    lmbi_json_open(&o->json, "asset", '{');
    lmbi_json_put_string(&o->json, "version", "2.0");
    lmbi_json_put_string(&o->json, "generator", "Limber " LMB_VERSION);
    const lmbi_json *asset = lmbi_json_find(o->carried, "asset");
    for (const lmbi_json *member = asset ? asset->child : NULL; member; member = member->next) {
        lmbi_json_put_member(&o->json, member);
    }
    lmbi_json_close(&o->json, '}');
    return true;
}

static bool write_parts(lmbi_gltf_out *o)
{
    if (!open_file(o) || !lmbi_gltf_out_plan(o) || !lmbi_gltf_out_carried(o) ||
        !lmbi_gltf_out_extensions(o)) {
        return false;
    }
    lmbi_gltf_out_nodes(o);
    if (!lmbi_gltf_out_meshes(o)) {
        return false;
    }
    lmbi_gltf_out_skins(o);
    if (!lmbi_gltf_out_clips(o)) {
        return false;
    }
    lmbi_gltf_out_look(o);
    return o->result == LMB_OK;
}

lmb_result lmb_gltf_write(const lmb_character *character, const lmb_gltf_write_opts *opts,
                          const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error)
{
    static const lmb_gltf_write_opts defaults = {0};
    lmbi_gltf_out o = {
        .character = character, .opts = opts ? opts : &defaults, .alloc = alloc, .error = error};
    lmbi_arena_init(&o.arena, alloc);
    lmbi_text *const texts[] = {&o.text, &o.binary, &o.view_text, &o.accessor_text};
    for (size_t k = 0; k < 4; ++k) {
        lmbi_text_init(texts[k], alloc);
    }
    o.json = (lmbi_json_out){.text = &o.text, .first = true};
    o.views = (lmbi_json_out){.text = &o.view_text, .first = true};
    o.accessors = (lmbi_json_out){.text = &o.accessor_text, .first = true};
    if (write_parts(&o)) {
        lmbi_gltf_out_finish(&o, out);
    }
    for (size_t k = 0; k < 4; ++k) {
        lmbi_text_free(texts[k]);
    }
    lmbi_arena_free(&o.arena);
    return o.result;
}
