// Members of JSON objects, with their types checked and a failure that says where.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "io/gltf/gltf.h"

/// A byte of a quantised attribute is decoded to at most 16 bytes; the rest of the factor allows
/// for accessors that several meshes share.
enum { DECODED_PER_INPUT_BYTE = 64 };

bool lmbi_gltf_fail_memory(lmbi_gltf *g)
{
    g->result = lmbi_fail_memory(g->error);
    return false;
}

static const char *type_name(lmbi_json_type type)
{
    switch (type) {
    case LMBI_JSON_NULL:
        return "null";
    case LMBI_JSON_FALSE:
        return "false";
    case LMBI_JSON_TRUE:
        return "true";
    case LMBI_JSON_NUMBER:
        return "a number";
    case LMBI_JSON_STRING:
        return "a string";
    case LMBI_JSON_ARRAY:
        return "an array";
    case LMBI_JSON_OBJECT:
        return "an object";
    }
    return "a value";
}

static bool fail(lmbi_gltf *g, lmb_result code, const lmbi_json *value, const char *expected,
                 const char *found)
{
    char path[100], plain[32];
    lmbi_json_path(value, path, sizeof path);
    if (found == NULL) {
        const bool shown =
            value->size < 24 && value->type != LMBI_JSON_ARRAY && value->type != LMBI_JSON_OBJECT;
        snprintf(plain, sizeof plain, "%.*s", shown ? (int)value->size : 30,
                 shown ? value->at : type_name(value->type));
        found = plain;
    }
    unsigned line = 0, column = 0;
    if (!g->binary && g->error) {
        lmbi_json_place(g->text, value->at, &line, &column);
    }
    g->result = lmbi_fail_text(g->error, code, line, column, expected, "%.50s at %s", found, path);
    if (g->error) {
        g->error->offset = g->text_offset + (size_t)(value->at - g->text);
    }
    return false;
}

bool lmbi_gltf_fail(lmbi_gltf *g, const lmbi_json *value, const char *expected, const char *found)
{
    return fail(g, LMB_ERROR_MALFORMED, value, expected, found);
}

bool lmbi_gltf_fail_found(lmbi_gltf *g, const lmbi_json *value, const char *expected,
                          const char *found, ...)
{
    char text[64];
    va_list args;
    va_start(args, found);
    lmbi_format_list(text, sizeof text, found, args);
    va_end(args);
    return fail(g, LMB_ERROR_MALFORMED, value, expected, text);
}

bool lmbi_gltf_fail_accessor(lmbi_gltf *g, const lmbi_json *value, const char *expected,
                             const lmbi_gltf_accessor *found)
{
    return lmbi_gltf_fail_found(g, value, expected, "%u of %u components of type %u", found->count,
                                found->components, found->component_type);
}

bool lmbi_gltf_unsupported(lmbi_gltf *g, const lmbi_json *value, const char *expected,
                           const char *found)
{
    return fail(g, LMB_ERROR_UNSUPPORTED, value, expected, found);
}

void lmbi_gltf_note(lmbi_gltf *g, const lmbi_json *value, const char *text)
{
    lmb_notes *notes = g->opts->notes;
    if (notes == NULL || notes->count >= LMB_NOTE_MAX) {
        lmbi_note(notes, 0, "%s", text); // only counted: finding its line would cost time
        return;
    }
    char path[60];
    unsigned line = 0, column = 0;
    lmbi_json_path(value, path, sizeof path);
    if (!g->binary) {
        lmbi_json_place(g->text, value->at, &line, &column);
    }
    lmbi_note(notes, line, "%s at %s", text, path);
}

void lmbi_gltf_budget_add(lmbi_gltf *g, size_t input_size)
{
    const size_t most = SIZE_MAX / 2;
    const size_t more = lmbi_size_mul(input_size, DECODED_PER_INPUT_BYTE);
    g->budget = more > most - g->budget ? most : g->budget + more;
}

bool lmbi_gltf_spend(lmbi_gltf *g, const lmbi_json *value, size_t count, size_t element_size)
{
    const size_t bytes = lmbi_size_mul(count, element_size);
    if (bytes > g->budget) {
        return lmbi_gltf_fail(g, value, "data in proportion to the size of the file", "far more");
    }
    g->budget -= bytes;
    return true;
}

void *lmbi_gltf_array(lmbi_gltf *g, size_t count, size_t size)
{
    void *array = lmbi_arena_array(&g->arena, count, size);
    if (array == NULL) {
        lmbi_gltf_fail_memory(g);
    }
    return array;
}

static const char *expected_type(lmbi_json_type type)
{
    return type == LMBI_JSON_FALSE || type == LMBI_JSON_TRUE ? "true or false" : type_name(type);
}

bool lmbi_gltf_member(lmbi_gltf *g, const lmbi_json *object, const char *key, lmbi_json_type type,
                      const lmbi_json **out)
{
    *out = lmbi_json_find(object, key);
    return *out == NULL || (*out)->type == type ||
           lmbi_gltf_fail(g, *out, expected_type(type), NULL);
}

bool lmbi_gltf_table_read(lmbi_gltf *g, const lmbi_json *object, const char *key,
                          lmbi_json_type item_type, lmbi_gltf_table *out)
{
    memset(out, 0, sizeof *out);
    if (!lmbi_gltf_member(g, object, key, LMBI_JSON_ARRAY, &out->array)) {
        return false;
    }
    if (out->array == NULL) {
        return true;
    }
    out->items = lmbi_gltf_array(g, out->array->count, sizeof *out->items);
    if (out->items == NULL) {
        return false;
    }
    for (const lmbi_json *item = out->array->child; item; item = item->next) {
        if (item->type != item_type) {
            return lmbi_gltf_fail(g, item, expected_type(item_type), NULL);
        }
        out->items[out->count++] = item;
    }
    return true;
}

bool lmbi_gltf_u32(lmbi_gltf *g, const lmbi_json *object, const char *key, uint32_t absent,
                   uint32_t *out)
{
    const lmbi_json *value = lmbi_json_find(object, key);
    *out = absent;
    return value == NULL || lmbi_json_u32(value, out) ||
           lmbi_gltf_fail(g, value, "a whole number from 0 to 4294967295", NULL);
}

static bool fail_absent(lmbi_gltf *g, const lmbi_json *object, const char *key)
{
    char expected[64];
    snprintf(expected, sizeof expected, "a member \"%s\"", key);
    return lmbi_gltf_fail(g, object, expected, "none");
}

bool lmbi_gltf_required_u32(lmbi_gltf *g, const lmbi_json *object, const char *key, uint32_t *out)
{
    return lmbi_json_find(object, key) ? lmbi_gltf_u32(g, object, key, 0, out)
                                       : fail_absent(g, object, key);
}

static bool float_value(lmbi_gltf *g, const lmbi_json *value, float *out)
{
    double number = 0;
    if (!lmbi_json_number(value, &number) || !isfinite((float)number)) {
        return lmbi_gltf_fail(g, value, "a finite number", NULL);
    }
    *out = (float)number;
    return true;
}

bool lmbi_gltf_float(lmbi_gltf *g, const lmbi_json *object, const char *key, float absent,
                     float *out)
{
    const lmbi_json *value = lmbi_json_find(object, key);
    *out = absent;
    return value == NULL || float_value(g, value, out);
}

bool lmbi_gltf_bool(lmbi_gltf *g, const lmbi_json *object, const char *key, bool *out)
{
    const lmbi_json *value = lmbi_json_find(object, key);
    *out = value && value->type == LMBI_JSON_TRUE;
    return value == NULL || *out || value->type == LMBI_JSON_FALSE ||
           lmbi_gltf_fail(g, value, "true or false", NULL);
}

bool lmbi_gltf_index_value(lmbi_gltf *g, const lmbi_json *value, uint32_t count, uint32_t *out)
{
    if (!lmbi_json_u32(value, out) || *out >= count) {
        char expected[64];
        snprintf(expected, sizeof expected, "an index below %lu", (unsigned long)count);
        return lmbi_gltf_fail(g, value, expected, NULL);
    }
    return true;
}

bool lmbi_gltf_index(lmbi_gltf *g, const lmbi_json *object, const char *key, uint32_t count,
                     int32_t *out)
{
    const lmbi_json *value = lmbi_json_find(object, key);
    uint32_t index = 0;
    *out = LMB_NONE;
    if (value == NULL) {
        return true;
    }
    if (!lmbi_gltf_index_value(g, value, count, &index)) {
        return false;
    }
    *out = (int32_t)index;
    return true;
}

bool lmbi_gltf_required_index(lmbi_gltf *g, const lmbi_json *object, const char *key,
                              uint32_t count, uint32_t *out)
{
    const lmbi_json *value = lmbi_json_find(object, key);
    return value ? lmbi_gltf_index_value(g, value, count, out) : fail_absent(g, object, key);
}

bool lmbi_gltf_floats(lmbi_gltf *g, const lmbi_json *object, const char *key, uint32_t count,
                      float *out, bool *present)
{
    const lmbi_json *array = NULL;
    if (!lmbi_gltf_member(g, object, key, LMBI_JSON_ARRAY, &array)) {
        return false;
    }
    *present = array != NULL;
    if (array == NULL) {
        return true;
    }
    if (array->count != count) {
        char expected[64];
        snprintf(expected, sizeof expected, "%lu numbers", (unsigned long)count);
        return lmbi_gltf_fail(g, array, expected, NULL);
    }
    for (const lmbi_json *item = array->child; item; item = item->next) {
        if (!float_value(g, item, out++)) {
            return false;
        }
    }
    return true;
}

bool lmbi_gltf_string(lmbi_gltf *g, const lmbi_json *object, const char *key, const char **out)
{
    const lmbi_json *value = NULL;
    *out = NULL;
    if (!lmbi_gltf_member(g, object, key, LMBI_JSON_STRING, &value)) {
        return false;
    }
    if (value) {
        *out = lmbi_json_string(&g->arena, value);
    }
    return value == NULL || *out || lmbi_gltf_fail_memory(g);
}
