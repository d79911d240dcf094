// JSON text in any state: read, then its strings, numbers and paths asked for, and the text without
// blanks read again.
#include <stdlib.h>

#include "base/json.h"
#include "target.h"

static void visit(lmbi_arena *arena, const lmbi_json *value)
{
    char path[40];
    double number = 0;
    uint32_t whole = 0;
    lmbi_json_path(value, path, sizeof path);
    lmbi_json_number(value, &number);
    lmbi_json_u32(value, &whole);
    lmbi_json_string(arena, value);
    lmbi_json_find(value, "extras");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmbi_arena arena;
    lmbi_json *root = NULL, *again = NULL;
    lmb_error error = {0};
    lmbi_arena_init(&arena, NULL);
    if (lmbi_json_read(&arena, data, size, &root, &error) == LMB_OK) {
        int left = 2000; // paths are found by walking: not for every value of a long array
        for (const lmbi_json *at = root; at && left > 0; --left) {
            visit(&arena, at);
            const lmbi_json *next = at->child;
            while (next == NULL && at) {
                next = at->next;
                at = at->parent;
            }
            at = next;
        }
        lmbi_text text;
        lmbi_text_init(&text, NULL);
        lmbi_json_minify(&text, root->at, root->size);
        if (lmbi_json_read(&arena, text.data, text.size, &again, &error) != LMB_OK ||
            again->count != root->count) {
            abort();
        }
        lmbi_text_free(&text);
    }
    lmbi_arena_free(&arena);
    return 0;
}
