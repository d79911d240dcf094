#include "base/text.h"
#include "base/format.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"

void lmbi_text_init(lmbi_text *text, const lmb_allocator *alloc)
{
    memset(text, 0, sizeof *text);
    text->alloc = alloc;
}

void lmbi_text_free(lmbi_text *text)
{
    lmbi_free(text->alloc, text->data);
    lmbi_text_init(text, text->alloc);
}

static uint8_t *reserve(lmbi_text *text, size_t size)
{
    void *items = text->data;
    // One byte more, so that a capacity of 0 is a valid pointer too.
    if (text->failed || size > SIZE_MAX / 2 - text->size ||
        !lmbi_grow(text->alloc, &items, &text->capacity, text->size + size + 1, 1)) {
        text->failed = true;
        return NULL;
    }
    text->data = items;
    uint8_t *at = text->data + text->size;
    text->size += size;
    return at;
}

uint8_t *lmbi_text_room(lmbi_text *text, size_t size)
{
    uint8_t *at = reserve(text, size);
    if (at) {
        memset(at, 0, size);
    }
    return at;
}

void lmbi_text_bytes(lmbi_text *text, const void *bytes, size_t size)
{
    if (size == 0) {
        return;
    }
    uint8_t *at = reserve(text, size);
    if (at) {
        memcpy(at, bytes, size);
    }
}

void lmbi_text_add(lmbi_text *text, const char *string)
{
    lmbi_text_bytes(text, string, strlen(string));
}

void lmbi_text_float(lmbi_text *text, float value)
{
    char digits[32];
    lmbi_text_bytes(text, digits, lmbi_float_write(digits, value));
}

void lmbi_text_int(lmbi_text *text, int64_t value)
{
    lmbi_text_format(text, "%lld", (long long)value);
}

void lmbi_text_format(lmbi_text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = lmbi_format_list(NULL, 0, format, args);
    va_end(args);
    char *at = length < 0 ? NULL : (char *)reserve(text, (size_t)length + 1);
    if (at) {
        lmbi_format_list(at, (size_t)length + 1, format, again);
        --text->size; // the terminator is not part of the text
    }
    va_end(again);
}
