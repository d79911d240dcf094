// What a page or any other WebAssembly host calls: flat functions over the module's memory.
#include "limber/base.h"

#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(#name)))

const char *limber_version(void);
void *limber_alloc(size_t size);
void limber_free(void *block);

EXPORT(limber_version) const char *limber_version(void)
{
    return LMB_VERSION;
}

/// Memory for bytes that the host hands in; NULL when there is none.
EXPORT(limber_alloc) void *limber_alloc(size_t size)
{
    return malloc(size ? size : 1);
}

EXPORT(limber_free) void limber_free(void *block)
{
    free(block);
}
