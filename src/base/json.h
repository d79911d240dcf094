/// JSON (RFC 8259) as a tree over the text it was read from: every value keeps its raw span, so
/// that members that Limber does not interpret can be carried through as they were written. No
/// recursion; depth is limited all the same.
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/arena.h"
#include "base/text.h"
#include "limber/base.h"

#define LMBI_JSON_DEPTH 200

typedef enum lmbi_json_type {
    LMBI_JSON_NULL = 0,
    LMBI_JSON_FALSE,
    LMBI_JSON_TRUE,
    LMBI_JSON_NUMBER,
    LMBI_JSON_STRING,
    LMBI_JSON_ARRAY,
    LMBI_JSON_OBJECT,
} lmbi_json_type;

typedef struct lmbi_json lmbi_json;
struct lmbi_json {
    const char *at; ///< raw text, with quotes or brackets
    size_t size;
    const char *key; ///< raw, between the quotes; NULL outside objects
    lmbi_json *parent, *child, *next;
    uint32_t key_size;
    uint32_t count; ///< children
    lmbi_json_type type;
    bool escaped; ///< a string with backslashes
};

/// Strings must be UTF-8. A byte order mark is skipped. Errors: MALFORMED with line and column;
/// MEMORY.
lmb_result lmbi_json_read(lmbi_arena *arena, const void *bytes, size_t size, lmbi_json **root,
                          lmb_error *error);

/// The member of that name, the last one when there are several (as JavaScript has it); NULL when
/// there is none or `object` is NULL or no object.
const lmbi_json *lmbi_json_find(const lmbi_json *object, const char *key);
bool lmbi_json_key_is(const lmbi_json *member, const char *key);
bool lmbi_json_string_is(const lmbi_json *value, const char *text);
bool lmbi_json_number(const lmbi_json *value, double *out);
/// A whole number in [0, 2^32 - 1], however it is spelt ("3", "3.0", "3e0").
bool lmbi_json_u32(const lmbi_json *value, uint32_t *out);
/// The string with escapes resolved, terminated. U+0000 becomes U+FFFD. NULL when out of memory or
/// no string.
char *lmbi_json_string(lmbi_arena *arena, const lmbi_json *value);

/// "/meshes/0/primitives", the path of a value as RFC 6901 spells it; cut from the left where it
/// does not fit.
void lmbi_json_path(const lmbi_json *value, char *out, size_t out_size);
/// Line and column, from 1, of a byte of the text.
void lmbi_json_place(const void *bytes, const char *at, unsigned *line, unsigned *column);

/// Appends raw JSON without the blanks between its tokens.
void lmbi_json_minify(lmbi_text *text, const char *at, size_t size);

// ---- writing: commas take care of themselves

typedef struct lmbi_json_out {
    lmbi_text *text;
    bool first; ///< the innermost container is still empty
} lmbi_json_out;

void lmbi_json_open(lmbi_json_out *out, const char *key, char bracket);
void lmbi_json_close(lmbi_json_out *out, char bracket);
/// `key` is NULL inside arrays, in all of these.
void lmbi_json_put_string(lmbi_json_out *out, const char *key, const char *value);
void lmbi_json_put_int(lmbi_json_out *out, const char *key, int64_t value);
void lmbi_json_put_float(lmbi_json_out *out, const char *key, float value);
void lmbi_json_put_floats(lmbi_json_out *out, const char *key, const float *values, size_t count);
void lmbi_json_put_bool(lmbi_json_out *out, const char *key, bool value);
void lmbi_json_put_raw(lmbi_json_out *out, const char *key, const char *json, size_t size);
/// The name and the value as they were read; nothing when it is no member of an object.
void lmbi_json_put_member(lmbi_json_out *out, const lmbi_json *member);
/// Every member of the object text `json` (NULL: none), which must be well formed.
void lmbi_json_put_members(lmbi_json_out *out, const char *json);
/// A quoted string: escapes what must be, and puts U+FFFD for bytes that are not UTF-8.
void lmbi_json_quote(lmbi_text *text, const char *value);
/// Length of the well-formed UTF-8 sequence at `at`, or 0.
size_t lmbi_utf8_length(const char *at, const char *end);

#endif
