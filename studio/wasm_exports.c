#include "wasm_exports.h"
#include "cli/command_line.h"
#include "console.h"
#include "store.h"

#include <stdio.h>
#include <stdlib.h>

#include "limber/base.h"

EXPORT(limber_version) const char *limber_version(void)
{
    return LMB_VERSION;
}

EXPORT(limber_alloc) void *limber_alloc(size_t size)
{
    return malloc(size ? size : 1);
}

EXPORT(limber_free) void limber_free(void *block)
{
    free(block);
}

// ------------------------------------------------------------------------------------------ files

EXPORT(limber_file_put) int limber_file_put(const char *path, const void *bytes, size_t size)
{
    return store_put(path, bytes, size);
}

EXPORT(limber_file_size) int32_t limber_file_size(const char *path)
{
    const store_file *file = store_find(path);
    return file != NULL ? (int32_t)file->size : -1;
}

EXPORT(limber_file_bytes) const uint8_t *limber_file_bytes(const char *path)
{
    const store_file *file = store_find(path);
    return file != NULL ? file->bytes : NULL;
}

EXPORT(limber_file_remove) void limber_file_remove(const char *path)
{
    store_remove(path);
}

EXPORT(limber_file_count) size_t limber_file_count(void)
{
    return store_count();
}

EXPORT(limber_file_name) const char *limber_file_name(size_t index)
{
    const store_file *file = store_at(index);
    return file != NULL ? file->path : NULL;
}

// --------------------------------------------------------------------------------------- commands

EXPORT(limber_run) int limber_run(int argc, char **argv)
{
    console_clear();
    const int code = cli_main(argc, argv);
    // What ends a program: a run that only prints leaves that to it.
    fflush(stdout);
    return code;
}
