#include "console.h"
#include "wasm_exports.h"

#include <stdlib.h>
#include <string.h>

typedef struct text {
    char *bytes;
    size_t size, capacity;
} text;

static text texts[2];
static void (*watcher)(const char *text, size_t size);

static text *text_of(console_text which)
{
    return &texts[which == CONSOLE_OUTPUT ? 0 : 1];
}

void console_clear(void)
{
    texts[0].size = 0;
    texts[1].size = 0;
}

bool console_put(console_text which, const void *bytes, size_t size)
{
    text *to = text_of(which);
    if (to->capacity - to->size < size) {
        const size_t capacity = 2 * to->capacity + size + 256;
        char *grown = capacity > size ? realloc(to->bytes, capacity) : NULL;
        if (grown == NULL) {
            return false;
        }
        to->bytes = grown;
        to->capacity = capacity;
    }
    if (size > 0) {
        memcpy(to->bytes + to->size, bytes, size);
    }
    to->size += size;
    if (watcher != NULL && which == CONSOLE_MESSAGES && size > 0) {
        watcher(to->bytes + to->size - size, size);
    }
    return true;
}

EXPORT(limber_watch) void limber_watch(void (*watch)(const char *text, size_t size))
{
    watcher = watch;
}

const char *console_text_of(console_text which, size_t *size)
{
    *size = text_of(which)->size;
    return text_of(which)->bytes;
}

EXPORT(limber_output) const char *limber_output(void)
{
    return text_of(CONSOLE_OUTPUT)->bytes;
}

EXPORT(limber_output_size) size_t limber_output_size(void)
{
    return text_of(CONSOLE_OUTPUT)->size;
}

EXPORT(limber_messages) const char *limber_messages(void)
{
    return text_of(CONSOLE_MESSAGES)->bytes;
}

EXPORT(limber_messages_size) size_t limber_messages_size(void)
{
    return text_of(CONSOLE_MESSAGES)->size;
}
