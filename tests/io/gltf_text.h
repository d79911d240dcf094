/// Small glTF files for tests: JSON with single quotes, and a buffer.
#ifndef TESTS_IO_GLTF_TEXT_H
#define TESTS_IO_GLTF_TEXT_H

#include <math.h>

#include "io/base64.h"
#include "io/files.h"

typedef struct test_gltf {
    uint8_t bytes[4096]; ///< the buffer
    size_t size;
} test_gltf;

static inline size_t test_put(test_gltf *g, const void *bytes, size_t size)
{
    const size_t at = g->size;
    memcpy(g->bytes + at, bytes, size);
    g->size = (at + size + 3) / 4 * 4;
    return at;
}

/// The whole text: `members` after the asset, ' standing for ", and a buffer with what was put.
/// Free it.
static inline char *test_gltf_text(const test_gltf *g, const char *members)
{
    lmbi_text data;
    lmbi_text_init(&data, NULL);
    lmbi_base64_encode(&data, g->bytes, g->size);
    const size_t room = strlen(members) + data.size + 300;
    char *text = malloc(room);
    int length = snprintf(text, room, "{'asset':{'version':'2.0'},%s", members);
    if (g->size) {
        length += snprintf(
            text + length, room - (size_t)length,
            ",'buffers':[{'byteLength':%zu,'uri':'data:application/octet-stream;base64,%.*s'}]",
            g->size, (int)data.size, (const char *)data.data);
    }
    snprintf(text + length, room - (size_t)length, "}");
    for (char *c = text; *c; ++c) {
        *c = *c == '\'' ? '"' : *c;
    }
    lmbi_text_free(&data);
    return text;
}

static inline lmb_result test_gltf_try(const test_gltf *g, const char *members, lmb_character **out,
                                       lmb_notes *notes, lmb_error *error)
{
    static const test_gltf none;
    char *text = test_gltf_text(g ? g : &none, members);
    const lmb_gltf_read_opts opts = {.notes = notes};
    memset(error, 0, sizeof *error);
    const lmb_result result = lmb_gltf_read(text, strlen(text), &opts, NULL, out, error);
    free(text);
    return result;
}

static inline lmb_character *test_gltf_read(const test_gltf *g, const char *members)
{
    lmb_character *character = NULL;
    lmb_error error;
    if (test_gltf_try(g, members, &character, NULL, &error) != LMB_OK) {
        print_error("%u:%u expected %s, found %s\n", error.line, error.column, error.expected,
                    error.found);
        fail();
    }
    return character;
}

#endif
