/// Making FBX files for tests: ascii text by hand, and the same tree in the binary encoding.
#ifndef TESTS_IO_FBX_TEXT_H
#define TESTS_IO_FBX_TEXT_H

#include <stdarg.h>

#include "base/inflate.h"
#include "io/fbx/fbx.h"
#include "io/files.h"

/// A text that grows by printf.
typedef struct fbx_text {
    char *data;
    size_t size;
} fbx_text;

static inline void fbx_add(fbx_text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    text->data = realloc(text->data, text->size + (size_t)length + 1);
    vsnprintf(text->data + text->size, (size_t)length + 1, format, again);
    text->size += (size_t)length;
    va_end(again);
    va_end(args);
}

// ---------------------------------------------------------------------------- the binary encoding

typedef struct fbx_bytes {
    uint8_t *data;
    size_t size;
} fbx_bytes;

static inline void fbx_put(fbx_bytes *out, const void *bytes, size_t size)
{
    out->data = realloc(out->data, out->size + size + 1);
    memcpy(out->data + out->size, bytes, size);
    out->size += size;
}

static inline void fbx_put_u32(fbx_bytes *out, uint32_t value)
{
    fbx_put(out, &value, sizeof value);
}

static inline void fbx_put_big(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; ++i) {
        at[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

/// A zlib stream of stored blocks.
static inline fbx_bytes fbx_stored(const uint8_t *bytes, size_t size)
{
    fbx_bytes out = {0};
    uint8_t tail[4];
    fbx_put(&out, "\x78\x01", 2);
    size_t at = 0;
    do {
        const size_t part = size - at < 65535 ? size - at : 65535;
        const uint8_t head[5] = {at + part == size, (uint8_t)part, (uint8_t)(part >> 8),
                                 (uint8_t)~part, (uint8_t)(~part >> 8)};
        fbx_put(&out, head, 5);
        fbx_put(&out, bytes + at, part);
        at += part;
    } while (at < size);
    fbx_put_big(tail, lmbi_adler32(1, bytes, size));
    fbx_put(&out, tail, 4);
    return out;
}

/// The numbers of an ascii array as a binary one: doubles, or 64-bit integers when all are whole;
/// deflated when long.
static inline void fbx_put_array(fbx_bytes *out, const lmbi_fbx_node *list)
{
    bool whole = true;
    for (uint32_t i = 0; i < list->value_count; ++i) {
        whole = whole && list->values[i].type == LMBI_FBX_INTEGER;
    }
    fbx_bytes numbers = {0};
    for (uint32_t i = 0; i < list->value_count; ++i) {
        const double real = lmbi_fbx_number(list, i, 0);
        const int64_t integer = lmbi_fbx_integer(list, i, 0);
        fbx_put(&numbers, whole ? (const void *)&integer : (const void *)&real, 8);
    }
    const bool deflate = list->value_count > 6;
    fbx_bytes body = deflate ? fbx_stored(numbers.data, numbers.size) : numbers;
    fbx_put(out, whole ? "l" : "d", 1);
    fbx_put_u32(out, list->value_count);
    fbx_put_u32(out, deflate);
    fbx_put_u32(out, (uint32_t)body.size);
    fbx_put(out, body.data, body.size);
    if (deflate) {
        free(body.data);
    }
    free(numbers.data);
}

static inline void fbx_put_name(fbx_bytes *out, lmbi_word text)
{
    // Class::name in ascii is name\0\1Class in binary.
    for (size_t i = 0; i + 1 < text.size; ++i) {
        if (text.at[i] == ':' && text.at[i + 1] == ':') {
            fbx_put_u32(out, (uint32_t)text.size);
            fbx_put(out, text.at + i + 2, text.size - i - 2);
            fbx_put(out, "\0\1", 2);
            fbx_put(out, text.at, i);
            return;
        }
    }
    fbx_put_u32(out, (uint32_t)text.size);
    fbx_put(out, text.at, text.size);
}

static inline void fbx_put_value(fbx_bytes *out, const lmbi_fbx_value *value)
{
    if (value->type == LMBI_FBX_TEXT) {
        fbx_put(out, "S", 1);
        fbx_put_name(out, (lmbi_word){(const char *)value->as.bytes, value->size});
    } else {
        fbx_put(out, value->type == LMBI_FBX_REAL ? "D" : "L", 1);
        fbx_put(out, &value->as.integer, 8);
    }
}

static inline void fbx_put_node(fbx_bytes *out, const lmbi_fbx_node *node, bool wide)
{
    const size_t word = wide ? 8 : 4, head = out->size;
    const uint8_t zero[25] = {0};
    const uint8_t name_size = (uint8_t)node->name.size;
    fbx_put(out, zero, 3 * word);
    fbx_put(out, &name_size, 1);
    fbx_put(out, node->name.at, node->name.size);
    const size_t values = out->size;
    const lmbi_fbx_node *list = lmbi_fbx_child(node, "a");
    uint64_t fields[3] = {0, list ? 1 : node->value_count, 0};
    if (list) {
        fbx_put_array(out, list);
    } else {
        for (uint32_t i = 0; i < node->value_count; ++i) {
            fbx_put_value(out, &node->values[i]);
        }
    }
    fields[2] = out->size - values;
    if (node->child && !list) {
        for (const lmbi_fbx_node *child = node->child; child; child = child->next) {
            fbx_put_node(out, child, wide);
        }
        fbx_put(out, zero, 3 * word + 1);
    }
    fields[0] = out->size;
    for (int i = 0; i < 3; ++i) {
        memcpy(out->data + head + (size_t)i * word, &fields[i], word);
    }
}

/// The text's tree as a binary file of that version.
static inline fbx_bytes fbx_binary_of(const fbx_text *text, uint32_t version)
{
    lmbi_fbx fbx = {.bytes = (const uint8_t *)text->data, .size = text->size, .ascii = true};
    fbx_bytes out = {0};
    const uint8_t zero[25] = {0};
    lmbi_arena_init(&fbx.arena, NULL);
    if (lmbi_fbx_parse_ascii(&fbx) == LMB_OK) {
        fbx_put(&out, "Kaydara FBX Binary  \0\x1a\0", 23);
        fbx_put_u32(&out, version);
        for (const lmbi_fbx_node *node = fbx.root.child; node; node = node->next) {
            fbx_put_node(&out, node, version >= 7500);
        }
        fbx_put(&out, zero, version >= 7500 ? 25 : 13);
    }
    lmbi_arena_free(&fbx.arena);
    return out;
}

// ----------------------------------------------------------------------------------------- pieces

#define FBX_HEAD(version) \
    "; FBX made for a test\nFBXHeaderExtension:  {\n\tFBXVersion: " version "\n}\n"

/// Metres, +Y up, 25 frames a second.
#define FBX_SETTINGS                                                                          \
    "GlobalSettings:  {\n\tProperties70:  {\n"                                                \
    "\t\tP: \"UpAxis\", \"int\", \"Integer\", \"\",1\n\t\tP: \"UpAxisSign\", \"int\", "       \
    "\"Integer\", \"\",1\n"                                                                   \
    "\t\tP: \"FrontAxis\", \"int\", \"Integer\", \"\",2\n\t\tP: \"FrontAxisSign\", \"int\", " \
    "\"Integer\", \"\",1\n"                                                                   \
    "\t\tP: \"CoordAxis\", \"int\", \"Integer\", \"\",0\n\t\tP: \"CoordAxisSign\", \"int\", " \
    "\"Integer\", \"\",1\n"                                                                   \
    "\t\tP: \"UnitScaleFactor\", \"double\", \"Number\", \"\",100\n"                          \
    "\t\tP: \"TimeMode\", \"enum\", \"\", \"\",10\n\t}\n}\n"

/// Ticks of a time in frames of 1/25 s.
#define FBX_FRAME 1847446320ll

#endif
