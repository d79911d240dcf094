/// A character with another skeleton, meshes and skins in place of the old one.
#include "rig/bind.h"

#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"
#include "mapping/vrm.h"

static bool names_nodes(const lmbi_json *item)
{
    if (item->key != NULL) {
        return lmbi_vrm_names_nodes(item->key, item->key_size);
    }
    const bool is_text = item->type == LMBI_JSON_STRING; // its quotes do not count
    return is_text && lmbi_vrm_names_nodes(item->at + 1, item->size - 2);
}

static bool has_nodes(const lmbi_json *list)
{
    for (const lmbi_json *item = list != NULL ? list->child : NULL; item; item = item->next) {
        if (names_nodes(item)) {
            return true;
        }
    }
    return false;
}

static void write_filtered(lmbi_json_out *json, const lmbi_json *list, const char *key)
{
    lmbi_json_open(json, key, list->type == LMBI_JSON_ARRAY ? '[' : '{');
    for (const lmbi_json *item = list->child; item; item = item->next) {
        if (names_nodes(item)) {
            continue;
        }
        if (item->key != NULL) {
            lmbi_json_put_member(json, item);
        } else {
            lmbi_json_put_raw(json, NULL, item->at, item->size);
        }
    }
    lmbi_json_close(json, list->type == LMBI_JSON_ARRAY ? ']' : '}');
}

/// Writes the object without the extensions that name nodes, or a list without their names.
static void write_filtered_root(lmbi_json_out *json, const lmbi_json *root)
{
    if (root->type == LMBI_JSON_ARRAY) {
        write_filtered(json, root, NULL);
        return;
    }
    lmbi_json_open(json, NULL, '{');
    for (const lmbi_json *member = root->child; member; member = member->next) {
        if (lmbi_json_key_is(member, "extensions")) {
            write_filtered(json, member, "extensions");
        } else {
            lmbi_json_put_member(json, member);
        }
    }
    lmbi_json_close(json, '}');
}

/// Removes from a JSON text the extensions that name nodes; text that is not JSON is left
/// unchanged.
static lmb_result remove_node_names(const char **text, lmbi_arena *arena,
                                    const lmb_allocator *alloc, bool *changed, lmb_error *error)
{
    lmbi_json *root = NULL;
    lmb_result result = *text != NULL ? lmbi_json_read(arena, *text, strlen(*text), &root, NULL)
                                      : LMB_ERROR_MALFORMED;
    if (result != LMB_OK) {
        return result == LMB_ERROR_MEMORY ? lmbi_fail_memory(error) : LMB_OK;
    }
    const bool is_list = root->type == LMBI_JSON_ARRAY;
    if (!has_nodes(is_list ? root : lmbi_json_find(root, "extensions"))) {
        return LMB_OK;
    }
    lmbi_text made;
    lmbi_text_init(&made, alloc);
    write_filtered_root(&(lmbi_json_out){.text = &made, .first = true}, root);
    *text = made.failed ? NULL : lmbi_arena_string(arena, made.data, made.size);
    lmbi_text_free(&made);
    *changed = true;
    return *text != NULL ? LMB_OK : lmbi_fail_memory(error);
}

static lmb_result look_without_nodes(const lmb_appearance *look, const lmb_allocator *alloc,
                                     lmb_appearance **out, lmb_error *error)
{
    *out = NULL;
    if (look == NULL) {
        return LMB_OK;
    }
    lmb_appearance def = *look;
    const char **texts[] = {&def.carried, &def.extensions_used, &def.extensions_required};
    bool changed = false;
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    lmb_result result = LMB_OK;
    for (int k = 0; k < 3 && result == LMB_OK; ++k) {
        result = remove_node_names(texts[k], &arena, alloc, &changed, error);
    }
    if (result == LMB_OK && changed) {
        result = lmb_appearance_create(&def, alloc, out, error);
    }
    lmbi_arena_free(&arena);
    return result;
}

lmb_result lmbi_character_replace(lmb_character **character, const lmb_character *parts,
                                  const lmb_allocator *alloc, lmb_error *error)
{
    lmb_character *old = *character, def = *parts, *made = NULL;
    lmb_appearance *look = NULL;
    lmb_result result = look_without_nodes(old->appearance, alloc, &look, error);
    if (result != LMB_OK) {
        return result;
    }
    def.name = old->name;
    def.appearance = look != NULL ? look : old->appearance;
    result = lmb_character_create(&def, alloc, &made, error);
    if (result != LMB_OK) {
        lmb_appearance_destroy(look);
        return result;
    }
    old->appearance = look != NULL ? old->appearance : NULL; // owned by the new character
    lmb_character_destroy(old);
    *character = made;
    return LMB_OK;
}
