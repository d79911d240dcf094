/// JSON Lines to items. Every line is read by itself, so that a manifest of a million lines needs
/// the memory of its items and of one line.
#include "batch/manifest.h"

#include "base/error.h"
#include "base/json.h"

#include <string.h>

typedef struct reader {
    batch_manifest *manifest;
    const char *line_at;
    unsigned line;
    lmb_error *error;
} reader;

static unsigned column_of(const reader *r, const char *at)
{
    return (unsigned)(at - r->line_at) + 1;
}

/// A value's beginning, on one line and without control characters.
static void show(const lmbi_json *value, char text[40])
{
    size_t size = value->size < 36 ? value->size : 36;
    while (size > 0 && size < value->size && ((unsigned char)value->at[size] & 0xC0) == 0x80) {
        --size;
    }
    memcpy(text, value->at, size);
    strcpy(text + size, size < value->size ? "…" : "");
}

static lmb_result refuse(const reader *r, const lmbi_json *value, const char *expected)
{
    char found[40];
    show(value, found);
    return lmbi_fail_text(r->error, LMB_ERROR_MALFORMED, r->line, column_of(r, value->at), expected,
                          "%s", found);
}

// -------------------------------------------------------------------------------------- the values

static lmb_result read_text(const reader *r, const lmbi_json *value, const char **out)
{
    if (value->type != LMBI_JSON_STRING || value->size == 2) {
        return refuse(r, value, "a text that is not empty");
    }
    *out = lmbi_json_string(&r->manifest->arena, value);
    return *out != NULL ? LMB_OK : lmbi_fail_memory(r->error);
}

static lmb_result read_texts(const reader *r, const lmbi_json *value, batch_words *out)
{
    if (value->type != LMBI_JSON_ARRAY || value->count == 0) {
        return refuse(r, value, "an array of texts that is not empty");
    }
    const char **words = lmbi_arena_array(&r->manifest->arena, value->count, sizeof(*words));
    if (words == NULL) {
        return lmbi_fail_memory(r->error);
    }
    size_t count = 0;
    for (const lmbi_json *word = value->child; word != NULL; word = word->next) {
        if (word->type != LMBI_JSON_STRING) {
            return refuse(r, word, "a text");
        }
        words[count] = lmbi_json_string(&r->manifest->arena, word);
        if (words[count++] == NULL) {
            return lmbi_fail_memory(r->error);
        }
    }
    *out = (batch_words){words, count};
    return LMB_OK;
}

static lmb_result read_input(const reader *r, const lmbi_json *value, batch_words *out)
{
    const char **words = lmbi_arena_array(&r->manifest->arena, 1, sizeof(*words));
    if (words == NULL) {
        return lmbi_fail_memory(r->error);
    }
    *out = (batch_words){words, 1};
    return read_text(r, value, words);
}

// ------------------------------------------------------------------------------------- the members

typedef enum member {
    MEMBER_ID,
    MEMBER_COMMAND,
    MEMBER_BASE,
    MEMBER_INPUT,
    MEMBER_INPUTS,
    MEMBER_OUTPUT,
    MEMBER_STDOUT,
    MEMBER_COUNT,
} member;

static const char *const member_names[MEMBER_COUNT] = {"id",     "command", "base",  "input",
                                                       "inputs", "output",  "stdout"};

static member member_of(const lmbi_json *value)
{
    member found = MEMBER_ID;
    while (found < MEMBER_COUNT && !lmbi_json_key_is(value, member_names[found])) {
        ++found;
    }
    return found;
}

static lmb_result read_member(const reader *r, member which, const lmbi_json *value,
                              batch_fields *fields)
{
    switch (which) {
    case MEMBER_ID:
        return read_text(r, value, &fields->id);
    case MEMBER_COMMAND:
        return read_texts(r, value, &fields->command);
    case MEMBER_BASE:
        return read_text(r, value, &fields->base);
    case MEMBER_INPUT:
        return read_input(r, value, &fields->inputs);
    case MEMBER_INPUTS:
        return read_texts(r, value, &fields->inputs);
    case MEMBER_OUTPUT:
        return read_text(r, value, &fields->output);
    case MEMBER_STDOUT:
        return read_text(r, value, &fields->print);
    case MEMBER_COUNT:
        break;
    }
    return LMB_OK;
}

/// The object's members over what `fields` has already. Items and defaults have the same, but that
/// only an item has an id and inputs.
static lmb_result read_fields(const reader *r, const lmbi_json *object, bool defaults,
                              batch_fields *fields)
{
    unsigned seen = 0;
    if (object->type != LMBI_JSON_OBJECT) {
        return refuse(r, object, "an object");
    }
    for (const lmbi_json *value = object->child; value != NULL; value = value->next) {
        const member which = member_of(value);
        const bool of_item = which == MEMBER_ID || which == MEMBER_INPUT || which == MEMBER_INPUTS;
        const unsigned bit =
            1u << (which == MEMBER_INPUTS ? (unsigned)MEMBER_INPUT : (unsigned)which);
        if (which == MEMBER_COUNT || (defaults && of_item) || (seen & bit) != 0) {
            const char *expected = (seen & bit) != 0 && which != MEMBER_COUNT
                                       ? "each member once, and either input or inputs"
                                   : defaults
                                       ? "command, base, output or stdout"
                                       : "id, command, base, input, inputs, output or stdout";
            return lmbi_fail_text(r->error, LMB_ERROR_MALFORMED, r->line, column_of(r, value->key),
                                  expected, "\"%.*s\"",
                                  value->key_size < 40 ? (int)value->key_size : 40, value->key);
        }
        seen |= bit;
        const lmb_result result = read_member(r, which, value, fields);
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}

// --------------------------------------------------------------------------------------- the lines

static bool holds_defaults(const lmbi_json *root)
{
    return root->type == LMBI_JSON_OBJECT && root->count == 1 &&
           lmbi_json_key_is(root->child, "defaults");
}

static lmb_result read_line(const reader *r, const lmbi_json *root, bool first,
                            batch_fields *defaults)
{
    if (holds_defaults(root)) {
        return first ? read_fields(r, root->child, true, defaults)
                     : refuse(r, root, "defaults in the first line only");
    }
    batch_fields fields = *defaults;
    const lmb_result result = read_fields(r, root, false, &fields);
    return result == LMB_OK
               ? batch_manifest_put(r->manifest, &fields, r->line, column_of(r, root->at), r->error)
               : result;
}

static bool is_blank(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) {
        ++at;
    }
    return at == end;
}

static lmb_result parse_line(reader *r, const char *end, bool first, batch_fields *defaults)
{
    lmbi_arena scratch;
    lmbi_json *root = NULL;
    lmbi_arena_init(&scratch, r->manifest->arena.alloc);
    lmb_result result =
        lmbi_json_read(&scratch, r->line_at, (size_t)(end - r->line_at), &root, r->error);
    if (result == LMB_ERROR_MALFORMED && r->error != NULL) {
        r->error->line = r->line;
    }
    if (result == LMB_OK) {
        result = read_line(r, root, first, defaults);
    }
    lmbi_arena_free(&scratch);
    return result;
}

lmb_result batch_manifest_read(batch_manifest *manifest, const void *bytes, size_t size,
                               const batch_fields *given, lmb_error *error)
{
    static const char bom[] = "\xEF\xBB\xBF";
    batch_fields defaults = given != NULL ? *given : (batch_fields){0};
    reader r = {.manifest = manifest, .error = error};
    const char *at = size > 0 ? bytes : "", *end = at + size;
    at += size >= 3 && memcmp(at, bom, 3) == 0 ? 3 : 0;
    bool first = true;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        line_end = line_end != NULL ? line_end : end;
        r.line_at = at;
        ++r.line;
        if (!is_blank(at, line_end)) {
            const lmb_result result = parse_line(&r, line_end, first, &defaults);
            if (result != LMB_OK) {
                return result;
            }
            first = false;
        }
        at = line_end < end ? line_end + 1 : end;
    }
    return LMB_OK;
}
