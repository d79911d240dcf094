/// What a value of the tree is: its members, its number, its text, its position.
#include "base/json.h"

#include <string.h>

#include "base/hex.h"
#include "base/number.h"

bool lmbi_json_key_is(const lmbi_json *member, const char *key)
{
    const size_t length = strlen(key);
    return member->key && member->key_size == length && memcmp(member->key, key, length) == 0;
}

const lmbi_json *lmbi_json_find(const lmbi_json *object, const char *key)
{
    if (object == NULL || object->type != LMBI_JSON_OBJECT) {
        return NULL;
    }
    const lmbi_json *found = NULL;
    const size_t length = strlen(key);
    for (const lmbi_json *member = object->child; member; member = member->next) {
        if (member->key_size == length && memcmp(member->key, key, length) == 0) {
            found = member;
        }
    }
    return found;
}

bool lmbi_json_string_is(const lmbi_json *value, const char *text)
{
    const size_t length = strlen(text);
    return value && value->type == LMBI_JSON_STRING && value->size == length + 2 &&
           memcmp(value->at + 1, text, length) == 0;
}

bool lmbi_json_number(const lmbi_json *value, double *out)
{
    return value && value->type == LMBI_JSON_NUMBER &&
           lmbi_number_read(value->at, value->at + value->size, out) != value->at;
}

/// Up to nine digits and nothing else, as indices are written.
static bool plain_digits(const lmbi_json *value, uint32_t *out)
{
    uint32_t number = 0;
    if (value == NULL || value->type != LMBI_JSON_NUMBER || value->size > 9) {
        return false;
    }
    for (size_t k = 0; k < value->size; ++k) {
        const uint32_t digit = (uint32_t)(unsigned char)value->at[k] - '0';
        if (digit > 9) {
            return false;
        }
        number = 10 * number + digit;
    }
    *out = number;
    return true;
}

bool lmbi_json_u32(const lmbi_json *value, uint32_t *out)
{
    double number = 0;
    if (plain_digits(value, out)) {
        return true;
    }
    if (!lmbi_json_number(value, &number) || !(number >= 0 && number <= (double)UINT32_MAX) ||
        number != (double)(uint32_t)number) {
        return false;
    }
    *out = (uint32_t)number;
    return true;
}

static unsigned read_hex4(const char *at)
{
    return (unsigned)(lmbi_hex_value(at[0]) << 12 | lmbi_hex_value(at[1]) << 8 |
                      lmbi_hex_value(at[2]) << 4 | lmbi_hex_value(at[3]));
}

static char *put_utf8(char *out, unsigned code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *out++ = (char)(0xE0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    } else {
        *out++ = (char)(0xF0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3F));
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    }
    return out;
}

/// *at is after "\u"; takes the four digits, and a low surrogate that follows a high one.
static unsigned take_unicode(const char **at, const char *end)
{
    unsigned code = read_hex4(*at);
    *at += 4;
    if (code >= 0xD800 && code < 0xDC00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u') {
        const unsigned low = read_hex4(*at + 2);
        if (low >= 0xDC00 && low < 0xE000) {
            *at += 6;
            return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    return code == 0 || (code >= 0xD800 && code < 0xE000) ? 0xFFFD : code;
}

static char unescape(char c)
{
    switch (c) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return c;
    }
}

char *lmbi_json_string(lmbi_arena *arena, const lmbi_json *value)
{
    if (value == NULL || value->type != LMBI_JSON_STRING) {
        return NULL;
    }
    const char *at = value->at + 1;
    const char *end = value->at + value->size - 1;
    if (!value->escaped) {
        return lmbi_arena_string(arena, at, (size_t)(end - at));
    }
    // No escape is shorter than the UTF-8 it stands for: \u0000 has 6 bytes, U+FFFD 3.
    char *copy = lmbi_arena_array(arena, value->size, 1);
    for (char *out = copy; copy && at < end;) {
        if (*at != '\\') {
            *out++ = *at++;
        } else if (at[1] == 'u') {
            at += 2;
            out = put_utf8(out, take_unicode(&at, end));
        } else {
            *out++ = unescape(at[1]);
            at += 2;
        }
    }
    return copy;
}

// ------------------------------------------------------------------------------------------- paths

static uint32_t index_in_parent(const lmbi_json *value)
{
    uint32_t index = 0;
    for (const lmbi_json *at = value->parent->child; at && at != value; at = at->next) {
        ++index;
    }
    return index;
}

/// Puts `size` bytes before out[*at]; false when there is no room.
static bool prepend(char *out, size_t *at, const char *bytes, size_t size)
{
    if (*at < size + 4) { // 4: "..." and the slash
        memcpy(out + *at - 3, "...", 3);
        *at -= 3;
        return false;
    }
    *at -= size;
    memcpy(out + *at, bytes, size);
    out[--*at] = '/';
    return true;
}

void lmbi_json_path(const lmbi_json *value, char *out, size_t out_size)
{
    size_t at = out_size - 1;
    out[at] = '\0';
    bool room = true;
    for (; value && value->parent && room; value = value->parent) {
        char digits[16];
        size_t length = 0;
        for (uint32_t index = value->key ? 0 : index_in_parent(value), more = 1; more;
             more = index > 0) {
            digits[sizeof digits - ++length] = (char)('0' + index % 10);
            index /= 10;
        }
        room = value->key ? prepend(out, &at, value->key, value->key_size)
                          : prepend(out, &at, digits + sizeof digits - length, length);
    }
    if (out[at] == '\0') {
        out[--at] = '/';
    }
    memmove(out, out + at, out_size - at);
}
