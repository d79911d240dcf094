// Reads single values of a graph, with errors that give line and column.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "anim/graph_read.h"
#include "base/error.h"
#include "base/format.h"

/// The value as an error quotes it: its first 60 bytes, or the size of a list or an object.
static void describe_value(const lmbi_json *value, char out[64])
{
    if (value->type == LMBI_JSON_ARRAY) {
        snprintf(out, 64, "a list of %u", value->count);
    } else if (value->type == LMBI_JSON_OBJECT) {
        snprintf(out, 64, "an object of %u", value->count);
    } else {
        size_t size = value->size < 60 ? value->size : 60;
        while (size < value->size && size > 0 && ((uint8_t)value->at[size] & 0xc0u) == 0x80u) {
            --size; // not within a UTF-8 sequence
        }
        snprintf(out, 64, "%.*s", (int)size, value->at);
    }
}

lmb_result lmbi_graph_fail(const lmbi_graph_reader *r, const lmbi_json *at, const char *expected,
                           const char *found)
{
    unsigned line = 0, column = 0;
    char path[96], described[64];
    if (found == NULL) {
        describe_value(at, described);
        found = described;
    }
    lmbi_json_place(r->bytes, at->at, &line, &column);
    lmbi_json_path(at, path, sizeof(path));
    return lmbi_fail_text(r->error, LMB_ERROR_MALFORMED, line, column, expected, "%s in %s", found,
                          path);
}

bool lmbi_graph_float(const lmbi_json *value, float *out)
{
    double number = 0;
    if (!lmbi_json_number(value, &number) || !(fabs(number) < 1e30)) {
        return false;
    }
    *out = (float)number;
    return true;
}

int32_t lmbi_graph_find_name(const void *items, uint32_t count, size_t size, const lmbi_json *value)
{
    for (uint32_t i = 0; i < count; ++i) {
        const char *name;
        memcpy(&name, (const uint8_t *)items + i * size, sizeof(name));
        if (lmbi_json_string_is(value, name)) {
            return (int32_t)i;
        }
    }
    return LMB_NONE;
}

char *lmbi_graph_key(const lmbi_graph_reader *r, const lmbi_json *member)
{
    const lmbi_json key = {.type = LMBI_JSON_STRING,
                           .at = member->key - 1,
                           .size = (size_t)member->key_size + 2,
                           .escaped = memchr(member->key, '\\', member->key_size) != NULL};
    return lmbi_json_string(&r->graph->arena, &key);
}

static lmb_result check_members(const lmbi_graph_reader *r, const lmbi_json *object,
                                const char *const *known)
{
    for (const lmbi_json *m = object->child; m != NULL; m = m->next) {
        bool found = false;
        for (const char *const *k = known; *k != NULL && !found; ++k) {
            found = lmbi_json_key_is(m, *k);
        }
        if (!found) {
            char expected[160] = "";
            for (const char *const *k = known; *k != NULL; ++k) {
                const size_t length = strlen(expected);
                snprintf(expected + length, sizeof(expected) - length, "%s%s",
                         length > 0 ? ", " : "one of ", *k);
            }
            char name[64];
            snprintf(name, sizeof(name), "\"%.*s\"", (int)(m->key_size < 60 ? m->key_size : 60),
                     m->key);
            return lmbi_graph_fail(r, m, expected, name);
        }
    }
    return LMB_OK;
}

lmb_result lmbi_graph_members(const lmbi_graph_reader *r, const lmbi_json *object,
                              const char *const *known)
{
    return object->type == LMBI_JSON_OBJECT ? check_members(r, object, known)
                                            : lmbi_graph_fail(r, object, "an object", NULL);
}

lmb_result lmbi_graph_parameter(const lmbi_graph_reader *r, const lmbi_json *value, int32_t *out)
{
    const lmb_graph *g = r->graph;
    *out = lmbi_graph_find_name(g->parameters, g->parameter_count, sizeof(*g->parameters), value);
    return *out != LMB_NONE ? LMB_OK : lmbi_graph_fail(r, value, "the name of a parameter", NULL);
}

lmb_result lmbi_graph_factor(const lmbi_graph_reader *r, const lmbi_json *value, float *number,
                             int32_t *parameter)
{
    if (value == NULL || lmbi_graph_float(value, number)) {
        return LMB_OK;
    }
    return lmbi_graph_parameter(r, value, parameter);
}

lmb_result lmbi_graph_bool(const lmbi_graph_reader *r, const lmbi_json *value, bool *out)
{
    if (value == NULL) {
        return LMB_OK;
    }
    if (value->type != LMBI_JSON_TRUE && value->type != LMBI_JSON_FALSE) {
        return lmbi_graph_fail(r, value, "true or false", NULL);
    }
    *out = value->type == LMBI_JSON_TRUE;
    return LMB_OK;
}

lmb_result lmbi_graph_number(const lmbi_graph_reader *r, const lmbi_json *value, float low,
                             float high, float *out)
{
    if (value == NULL) {
        return LMB_OK;
    }
    float number = 0;
    if (!lmbi_graph_float(value, &number) || number < low || number > high) {
        char expected[80];
        lmbi_format(expected, sizeof(expected), "a number from %g to %g", (double)low,
                    (double)high);
        return lmbi_graph_fail(r, value, expected, NULL);
    }
    *out = number;
    return LMB_OK;
}

lmb_result lmbi_graph_word(const lmbi_graph_reader *r, const lmbi_json *value,
                           const char *const *words, uint32_t *out)
{
    if (value == NULL) {
        return LMB_OK;
    }
    char expected[160] = "one of ";
    for (uint32_t k = 0; words[k] != NULL; ++k) {
        if (lmbi_json_string_is(value, words[k])) {
            *out = k;
            return LMB_OK;
        }
        const size_t length = strlen(expected);
        snprintf(expected + length, sizeof(expected) - length, "%s%s", k > 0 ? ", " : "", words[k]);
    }
    return lmbi_graph_fail(r, value, expected, NULL);
}

lmb_result lmbi_graph_names(lmbi_graph_reader *r, const lmbi_json *object, size_t size, void *out)
{
    uint8_t *items = lmbi_arena_array(&r->graph->arena, object->count, size);
    if (items == NULL) {
        return lmbi_fail_memory(r->error);
    }
    uint32_t k = 0;
    for (const lmbi_json *m = object->child; m != NULL; m = m->next, ++k) {
        const char *name = lmbi_graph_key(r, m);
        if (name == NULL) {
            return lmbi_fail_memory(r->error);
        }
        for (uint32_t i = 0; i < k; ++i) {
            const char *other;
            memcpy(&other, items + i * size, sizeof(other));
            if (strcmp(other, name) == 0) {
                return lmbi_graph_fail(r, m, "names that are all different", name);
            }
        }
        memcpy(items + k * size, &name, sizeof(name));
    }
    memcpy(out, &items, sizeof(items));
    return LMB_OK;
}

lmb_result lmbi_graph_clip_index(lmbi_graph_reader *r, const char *name, uint32_t *out)
{
    lmb_graph *g = r->graph;
    for (uint32_t k = 0; k < g->clip_count; ++k) {
        if (strcmp(g->clips[k].name, name) == 0) {
            *out = k;
            return LMB_OK;
        }
    }
    if (g->clip_count == r->clip_capacity) {
        const uint32_t capacity = 2 * r->clip_capacity + 16;
        lmbi_graph_clip *grown = lmbi_arena_array(&g->arena, capacity, sizeof(*grown));
        if (grown == NULL) {
            return lmbi_fail_memory(r->error);
        }
        if (g->clip_count > 0) {
            memcpy(grown, g->clips, g->clip_count * sizeof(*grown));
        }
        g->clips = grown;
        r->clip_capacity = capacity;
    }
    *out = g->clip_count;
    g->clips[g->clip_count++].name = name;
    return LMB_OK;
}
