/// Manifests of a batch: of what is read every item can be filled in, and none leaves its folder.
#include <stdlib.h>
#include <string.h>

#include "batch/manifest.h"
#include "target.h"

static void check_output(const char *path)
{
    if (path == NULL) {
        return;
    }
    if (path[0] == 0 || path[0] == '/') {
        abort();
    }
    for (const char *at = path; at != NULL; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "../", 3) == 0 || strcmp(at, "..") == 0 || *at == '/' || *at == 0) {
            abort();
        }
    }
}

static void check_item(const batch_item *item)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, NULL);
    const batch_words words = batch_fill_command(&arena, item, item->base, "out/");
    if (item->id == NULL || item->id[0] == 0 || words.at == NULL || words.count == 0) {
        abort();
    }
    check_output(item->output);
    check_output(item->print);
    lmbi_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    batch_manifest manifest = {0};
    lmb_error error;
    lmbi_arena_init(&manifest.arena, NULL);
    if (batch_manifest_read(&manifest, data, size, NULL, &error) == LMB_OK) {
        batch_manifest_check(&manifest, &error);
        for (size_t k = 0; k < manifest.count; ++k) {
            check_item(&manifest.items[k]);
        }
    } else if (error.line == 0 || error.column == 0 || error.expected[0] == 0) {
        abort();
    }
    batch_manifest_free(&manifest);
    return 0;
}
