// The header of a .npy: a magic number, a version, a length, and a Python dict as text (NumPy
// Enhancement Proposal 1).
#include "io/npz.h"
#include "io/npz/zip.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_space(cursor *c)
{
    while (c->at < c->end &&
           (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r')) {
        ++c->at;
    }
}

static bool accept_char(cursor *c, char wanted)
{
    skip_space(c);
    if (c->at < c->end && *c->at == wanted) {
        ++c->at;
        return true;
    }
    return false;
}

/// Reads 'text' or "text", without escapes: keys and types have none.
static bool read_string(cursor *c, lmbi_word *out)
{
    skip_space(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"')) {
        return false;
    }
    const char quote = *c->at++;
    const char *close = memchr(c->at, quote, (size_t)(c->end - c->at));
    if (close == NULL) {
        return false;
    }
    *out = (lmbi_word){c->at, (size_t)(close - c->at)};
    c->at = close + 1;
    return true;
}

static bool accept_word(cursor *c, const char *word)
{
    const size_t size = strlen(word);
    skip_space(c);
    if ((size_t)(c->end - c->at) < size || memcmp(c->at, word, size) != 0) {
        return false;
    }
    c->at += size;
    return true;
}

static bool read_count(cursor *c, uint64_t *out)
{
    skip_space(c);
    const char *begin = c->at;
    for (*out = 0; c->at < c->end && *c->at >= '0' && *c->at <= '9'; ++c->at) {
        if (*out > (UINT64_MAX - 9) / 10) {
            return false;
        }
        *out = *out * 10 + (uint64_t)(*c->at - '0');
    }
    const bool found = c->at > begin;
    if (found && c->at < c->end && (*c->at == 'L' || *c->at == 'l')) {
        ++c->at; // Python 2 writes long integers with an L
    }
    return found;
}

/// Reads a tuple: (), (3,) or (3, 4).
static bool read_shape(cursor *c, lmbi_npz_array *out)
{
    if (!accept_char(c, '(')) {
        return false;
    }
    while (!accept_char(c, ')')) {
        if (out->dimension_count == LMBI_ARRAY_DIMENSIONS ||
            !read_count(c, &out->shape[out->dimension_count])) {
            return false;
        }
        ++out->dimension_count;
        if (!accept_char(c, ',') && (skip_space(c), c->at == c->end || *c->at != ')')) {
            return false;
        }
    }
    return true;
}

static lmbi_number_type type_of(char kind, uint64_t size)
{
    const bool is_whole = size == 1 || size == 2 || size == 4 || size == 8;
    switch (kind) {
    case 'f':
        return is_whole && size > 1 ? LMBI_NUMBER_FLOAT : LMBI_NUMBER_OTHER;
    case 'i':
        return is_whole ? LMBI_NUMBER_SIGNED : LMBI_NUMBER_OTHER;
    case 'u':
        return is_whole ? LMBI_NUMBER_UNSIGNED : LMBI_NUMBER_OTHER;
    case 'b':
        return size == 1 ? LMBI_NUMBER_BOOL : LMBI_NUMBER_OTHER;
    case 'U':
        return LMBI_NUMBER_TEXT;
    case 'S':
        return LMBI_NUMBER_BYTES;
    case 'O':
        return LMBI_NUMBER_OBJECT;
    default:
        return LMBI_NUMBER_OTHER;
    }
}

/// Reads a type: "<f8", "|u1", ">i4", "|O", "<U5".
static bool read_type(lmbi_word text, lmbi_npz_array *out)
{
    cursor c = {text.at, text.at + text.size};
    uint64_t size = 0;
    if (c.at < c.end && strchr("<>|=", *c.at) != NULL && *c.at != 0) {
        out->big_endian = *c.at++ == '>';
    }
    if (c.at == c.end) {
        return false;
    }
    const char kind = *c.at++;
    read_count(&c, &size);
    out->type = type_of(kind, size);
    // A character of UTF-32 has four bytes. Types that are not read need no size.
    size = kind == 'U' ? size * 4 : size;
    if (size > UINT32_MAX || (c.at != c.end && out->type != LMBI_NUMBER_OTHER)) {
        return false;
    }
    out->item_size = (uint32_t)size;
    return true;
}

/// Skips a type that is a list of fields, [('x', '<f4'), …], up to its closing bracket.
static bool skip_fields(cursor *c, lmbi_npz_array *out)
{
    int depth = 0;
    out->type = LMBI_NUMBER_OTHER;
    skip_space(c);
    if (c->at == c->end || *c->at != '[') {
        return false;
    }
    for (; c->at < c->end; ++c->at) {
        depth += (*c->at == '[') - (*c->at == ']');
        if (depth == 0) {
            ++c->at;
            return true;
        }
    }
    return false;
}

static bool read_dict_member(cursor *c, lmbi_npz_array *out, unsigned *seen)
{
    lmbi_word key, text;
    if (!read_string(c, &key) || !accept_char(c, ':')) {
        return false;
    }
    if (lmbi_word_is_exact(key, "descr")) {
        *seen |= 1;
        return read_string(c, &text) ? read_type(text, out) : skip_fields(c, out);
    }
    if (lmbi_word_is_exact(key, "fortran_order")) {
        *seen |= 2;
        out->column_major = accept_word(c, "True");
        return out->column_major || accept_word(c, "False");
    }
    if (lmbi_word_is_exact(key, "shape")) {
        *seen |= 4;
        out->dimension_count = 0;
        return read_shape(c, out);
    }
    return false;
}

static bool read_dict(cursor c, lmbi_npz_array *out)
{
    unsigned seen = 0;
    if (!accept_char(&c, '{')) {
        return false;
    }
    while (!accept_char(&c, '}')) {
        if (!read_dict_member(&c, out, &seen) ||
            (!accept_char(&c, ',') && (c.at == c.end || *c.at != '}'))) {
            return false;
        }
    }
    return seen == 7;
}

/// The product of the shape; SIZE_MAX when it overflows.
static size_t count_of(const lmbi_npz_array *array)
{
    size_t count = 1;
    for (uint32_t d = 0; d < array->dimension_count; ++d) {
        count =
            array->shape[d] > SIZE_MAX ? SIZE_MAX : lmbi_size_mul(count, (size_t)array->shape[d]);
    }
    return count;
}

bool lmbi_npy_is(const uint8_t *bytes, size_t size)
{
    return size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0;
}

lmb_result lmbi_npy_read(const uint8_t *bytes, size_t size, lmbi_npz_array *out, lmb_error *error)
{
    if (size < 10 || !lmbi_npy_is(bytes, size) || bytes[6] < 1 || bytes[6] > 3) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, 0, "a NumPy array of version 1 to 3",
                              "%zu bytes%s, version %u", size,
                              lmbi_npy_is(bytes, size) ? "" : " without its mark",
                              size > 6 ? bytes[6] : 0u);
    }
    size_t begin = 10, length = bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] > 1) {
        begin = 12;
        length |= size < 12 ? SIZE_MAX / 2 : (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    }
    if (size < begin || length > size - begin) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, 8, "a header inside the file",
                              "one that ends behind");
    }
    const cursor dict = {(const char *)bytes + begin, (const char *)bytes + begin + length};
    if (!read_dict(dict, out)) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, begin,
                              "a header with descr, fortran_order and shape", "%.*s",
                              length > 100 ? 100 : (int)length, dict.at);
    }
    out->count = count_of(out);
    if (out->type == LMBI_NUMBER_OBJECT || out->type == LMBI_NUMBER_OTHER) {
        return LMB_OK;
    }
    const size_t needed = lmbi_size_mul(out->count, out->item_size), there = size - begin - length;
    if (out->count == SIZE_MAX || needed > there) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, begin + length,
                              "as many bytes as the shape says", "%zu", there);
    }
    out->data = bytes + begin + length;
    return LMB_OK;
}
