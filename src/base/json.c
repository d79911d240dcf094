#include "base/json.h"

#include <string.h>

#include "base/error.h"
#include "base/hex.h"
#include "base/number.h"

typedef struct reader {
    const char *start, *at, *end;
    lmbi_arena *arena;
    lmbi_json *slab; ///< values are allocated SLAB at a time, since the arena rounds every block up
    size_t slab_left;
    lmb_error *error;
    lmb_result result;
} reader;

enum { SLAB = 128 };

// -------------------------------------------------------------------------------------- characters

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_continuation(const char *at, const char *end)
{
    return at < end && ((unsigned char)*at & 0xC0) == 0x80;
}

size_t lmbi_utf8_length(const char *at, const char *end)
{
    if (at >= end) {
        return 0;
    }
    const unsigned char a = (unsigned char)at[0];
    const unsigned char b = at + 1 < end ? (unsigned char)at[1] : 0;
    if (a < 0x80) {
        return 1;
    }
    if (a >= 0xC2 && a <= 0xDF) {
        return is_continuation(at + 1, end) ? 2 : 0;
    }
    if (a >= 0xE0 && a <= 0xEF) {
        const bool overlong = a == 0xE0 && b < 0xA0;
        const bool surrogate = a == 0xED && b > 0x9F;
        return is_continuation(at + 1, end) && is_continuation(at + 2, end) && !overlong &&
                       !surrogate
                   ? 3
                   : 0;
    }
    if (a >= 0xF0 && a <= 0xF4) {
        const bool outside = (a == 0xF0 && b < 0x90) || (a == 0xF4 && b > 0x8F);
        return is_continuation(at + 1, end) && is_continuation(at + 2, end) &&
                       is_continuation(at + 3, end) && !outside
                   ? 4
                   : 0;
    }
    return 0;
}

// ------------------------------------------------------------------------------------------ errors

void lmbi_json_place(const void *bytes, const char *at, unsigned *line, unsigned *column)
{
    *line = 1;
    const char *line_start = bytes;
    for (const char *p = bytes; p < at; ++p) {
        if (*p == '\n') {
            ++*line;
            line_start = p + 1;
        }
    }
    *column = (unsigned)(at - line_start) + 1;
}

static bool fail_at(reader *r, const char *at, const char *expected)
{
    unsigned line = 0, column = 0;
    lmbi_json_place(r->start, at, &line, &column);
    if (at >= r->end) {
        r->result = lmbi_fail_text(r->error, LMB_ERROR_MALFORMED, line, column, expected,
                                   "the end of the text");
    } else if (*at >= 0x20 && *at < 0x7F) {
        r->result =
            lmbi_fail_text(r->error, LMB_ERROR_MALFORMED, line, column, expected, "'%c'", *at);
    } else {
        r->result = lmbi_fail_text(r->error, LMB_ERROR_MALFORMED, line, column, expected,
                                   "byte 0x%02x", (unsigned char)*at);
    }
    if (r->error) {
        r->error->offset = (size_t)(at - r->start);
    }
    return false;
}

// ----------------------------------------------------------------------------------------- scalars

static bool read_escape(reader *r)
{
    if (r->at >= r->end) {
        return fail_at(r, r->at, "an escape");
    }
    const char c = *r->at++;
    if (c == 'u') {
        for (int k = 0; k < 4; ++k) {
            if (r->at >= r->end || lmbi_hex_value(*r->at) < 0) {
                return fail_at(r, r->at, "four hexadecimal digits");
            }
            ++r->at;
        }
        return true;
    }
    if (c == '\0' || strchr("\"\\/bfnrt", c) == NULL) {
        return fail_at(r, r->at - 1, "one of \" \\ / b f n r t u after a backslash");
    }
    return true;
}

/// Over printable ASCII but for quotes and backslashes: nearly all there is in strings.
static void skip_plain(reader *r)
{
    const char *at = r->at, *end = r->end;
    const uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
    for (uint64_t w; end - at >= 8; at += 8) {
        memcpy(&w, at, sizeof w);
        // A byte below 0x20, a quote, a backslash or a byte above 0x7f sets its top bit, and may set
        // those of later bytes: the eight bytes are then checked one by one.
        const uint64_t low = w - 0x20 * ones, quote = (w ^ 0x22 * ones) - ones;
        if (((low | quote | ((w ^ 0x5c * ones) - ones) | w) & tops) != 0) {
            break;
        }
    }
    while (at < end && *at >= 0x20 && *at != '"' && *at != '\\') {
        ++at;
    }
    r->at = at;
}

/// At an opening quote; leaves the cursor after the closing one.
static bool read_quoted(reader *r, bool *escaped)
{
    ++r->at;
    *escaped = false;
    skip_plain(r);
    while (r->at < r->end && *r->at != '"') {
        const unsigned char c = (unsigned char)*r->at;
        if (c == '\\') {
            *escaped = true;
            ++r->at;
            if (!read_escape(r)) {
                return false;
            }
        } else if (c < 0x20) {
            return fail_at(r, r->at, "no control character in a string");
        } else if (c < 0x80) {
            skip_plain(r);
        } else {
            const size_t length = lmbi_utf8_length(r->at, r->end);
            if (length == 0) {
                return fail_at(r, r->at, "UTF-8");
            }
            r->at += length;
        }
    }
    if (r->at >= r->end) {
        return fail_at(r, r->at, "a closing quote");
    }
    ++r->at;
    return true;
}

static bool skip_digits(reader *r)
{
    if (r->at >= r->end || !is_digit(*r->at)) {
        return fail_at(r, r->at, "a digit");
    }
    while (r->at < r->end && is_digit(*r->at)) {
        ++r->at;
    }
    return true;
}

static bool read_number(reader *r)
{
    if (*r->at == '-') {
        ++r->at;
    }
    if (r->at < r->end && *r->at == '0') {
        ++r->at;
        if (r->at < r->end && is_digit(*r->at)) {
            return fail_at(r, r->at, "no digit after a leading zero");
        }
    } else if (!skip_digits(r)) {
        return false;
    }
    if (r->at < r->end && *r->at == '.') {
        ++r->at;
        if (!skip_digits(r)) {
            return false;
        }
    }
    if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
        ++r->at;
        if (r->at < r->end && (*r->at == '+' || *r->at == '-')) {
            ++r->at;
        }
        return skip_digits(r);
    }
    return true;
}

static bool read_word(reader *r, const char *word)
{
    const size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) {
        return fail_at(r, r->at, "a JSON value");
    }
    r->at += length;
    return true;
}

static bool read_scalar(reader *r, lmbi_json *value)
{
    const char c = *r->at;
    if (c == '"') {
        value->type = LMBI_JSON_STRING;
        return read_quoted(r, &value->escaped);
    }
    if (c == '-' || is_digit(c)) {
        value->type = LMBI_JSON_NUMBER;
        return read_number(r);
    }
    if (c == 't') {
        value->type = LMBI_JSON_TRUE;
        return read_word(r, "true");
    }
    if (c == 'f') {
        value->type = LMBI_JSON_FALSE;
        return read_word(r, "false");
    }
    value->type = LMBI_JSON_NULL;
    return read_word(r, "null");
}

// ---------------------------------------------------------------------------------------- the tree

static inline void skip_blanks(reader *r)
{
    while (r->at < r->end && is_blank(*r->at)) {
        ++r->at;
    }
}

static lmbi_json *new_value(reader *r, lmbi_json *parent, lmbi_json *before)
{
    if (r->slab_left == 0) {
        r->slab = lmbi_arena_array(r->arena, SLAB, sizeof(lmbi_json));
        if (r->slab == NULL) {
            r->result = lmbi_fail_memory(r->error);
            return NULL;
        }
        r->slab_left = SLAB;
    }
    lmbi_json *value = r->slab++;
    --r->slab_left;
    value->parent = parent;
    if (parent) {
        if (before) {
            before->next = value;
        } else {
            parent->child = value;
        }
        ++parent->count;
    }
    return value;
}

/// `"key" :` of a member.
static bool read_key(reader *r, lmbi_json *value)
{
    skip_blanks(r);
    if (r->at >= r->end || *r->at != '"') {
        return fail_at(r, r->at, "a member name in quotes");
    }
    const char *start = r->at + 1;
    bool escaped = false;
    if (!read_quoted(r, &escaped)) {
        return false;
    }
    const size_t length = (size_t)(r->at - start) - 1;
    if (length > UINT32_MAX) {
        return fail_at(r, start, "a shorter member name");
    }
    value->key = start;
    value->key_size = (uint32_t)length;
    skip_blanks(r);
    if (r->at >= r->end || *r->at != ':') {
        return fail_at(r, r->at, "':'");
    }
    ++r->at;
    return true;
}

/// Reads the start of a value. `*open` says that it is a container with something in it.
static bool read_value(reader *r, lmbi_json *value, unsigned depth, bool *open)
{
    skip_blanks(r);
    *open = false;
    value->at = r->at;
    if (r->at >= r->end) {
        return fail_at(r, r->at, "a JSON value");
    }
    const char c = *r->at;
    if (c != '{' && c != '[') {
        const bool fine = read_scalar(r, value);
        value->size = (size_t)(r->at - value->at);
        return fine;
    }
    if (depth >= LMBI_JSON_DEPTH) {
        return fail_at(r, r->at, "at most 200 levels of nesting");
    }
    value->type = c == '{' ? LMBI_JSON_OBJECT : LMBI_JSON_ARRAY;
    ++r->at;
    skip_blanks(r);
    if (r->at < r->end && *r->at == (c == '{' ? '}' : ']')) {
        ++r->at;
        value->size = (size_t)(r->at - value->at);
        return true;
    }
    *open = true;
    return true;
}

/// After a value: closes containers until one goes on. *container is NULL when the root is
/// complete.
static bool read_separators(reader *r, lmbi_json **container, lmbi_json **last, unsigned *depth)
{
    while (*container) {
        skip_blanks(r);
        const bool object = (*container)->type == LMBI_JSON_OBJECT;
        if (r->at < r->end && *r->at == ',') {
            ++r->at;
            return true;
        }
        if (r->at >= r->end || *r->at != (object ? '}' : ']')) {
            return fail_at(r, r->at, object ? "',' or '}'" : "',' or ']'");
        }
        ++r->at;
        (*container)->size = (size_t)(r->at - (*container)->at);
        *last = *container;
        *container = (*container)->parent;
        --*depth;
    }
    return true;
}

static bool read_tree(reader *r, lmbi_json **root)
{
    lmbi_json *container = NULL, *last = NULL;
    unsigned depth = 0;
    do {
        lmbi_json *value = new_value(r, container, last);
        if (value == NULL ||
            (container && container->type == LMBI_JSON_OBJECT && !read_key(r, value))) {
            return false;
        }
        if (*root == NULL) {
            *root = value;
        }
        bool open = false;
        if (!read_value(r, value, depth, &open)) {
            return false;
        }
        if (open) {
            container = value;
            last = NULL;
            ++depth;
            continue;
        }
        last = value;
        if (!read_separators(r, &container, &last, &depth)) {
            return false;
        }
    } while (container);
    skip_blanks(r);
    return r->at == r->end || fail_at(r, r->at, "the end of the text");
}

lmb_result lmbi_json_read(lmbi_arena *arena, const void *bytes, size_t size, lmbi_json **root,
                          lmb_error *error)
{
    reader r = {0};
    r.start = size ? bytes : "";
    r.at = r.start;
    r.end = r.start + size;
    r.arena = arena;
    r.error = error;
    if (size >= 3 && memcmp(r.at, "\xEF\xBB\xBF", 3) == 0) {
        r.at += 3;
    }
    lmbi_json *tree = NULL;
    if (!read_tree(&r, &tree)) {
        return r.result;
    }
    *root = tree;
    return LMB_OK;
}
