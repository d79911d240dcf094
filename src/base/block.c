#include "base/block.h"

#include <string.h>

#include "base/alloc.h"

/// The next count * size bytes, aligned to 16; NULL while measuring.
static void *reserve(lmbi_block *block, size_t count, size_t size)
{
    const size_t bytes = lmbi_size_mul(count, size);
    if (bytes > SIZE_MAX / 4 || block->used > SIZE_MAX / 4) {
        block->overflow = true;
        return NULL;
    }
    const size_t at = (block->used + 15) & ~(size_t)15;
    block->used = at + bytes;
    if (block->base == NULL) {
        return NULL;
    }
    return block->base + at;
}

void *lmbi_block_array(lmbi_block *block, const void *source, size_t count, size_t size)
{
    void *at = source == NULL || count == 0 ? NULL : reserve(block, count, size);
    return at == NULL ? NULL : memcpy(at, source, count * size);
}

void *lmbi_block_zeros(lmbi_block *block, size_t count, size_t size)
{
    void *at = reserve(block, count, size);
    return at == NULL ? NULL : memset(at, 0, count * size);
}

const char *lmbi_block_string(lmbi_block *block, const char *text)
{
    return text ? lmbi_block_array(block, text, strlen(text) + 1, 1) : NULL;
}

void *lmbi_block_build(lmbi_block_copy copy, const void *def, const lmb_allocator *alloc)
{
    lmbi_block block = {0};
    copy(&block, def);
    // Not cleared first: the copy fills all of it but the padding between arrays.
    block.base = block.overflow ? NULL : lmbi_resize(alloc, NULL, block.used ? block.used : 1);
    if (block.base == NULL) {
        return NULL;
    }
    block.used = 0;
    return copy(&block, def);
}
