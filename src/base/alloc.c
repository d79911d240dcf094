#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/// Sits before every block so that frees need no size. 16 bytes keep the alignment of any standard
/// type.
typedef union block_head {
    size_t size;
    _Alignas(16) unsigned char pad[16];
} block_head;

static void *resize_libc(void *block, size_t new_size)
{
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}

static void *raw_resize(const lmb_allocator *alloc, void *block, size_t old_size, size_t new_size)
{
    if (alloc == NULL || alloc->resize == NULL) {
        return resize_libc(block, new_size);
    }
    return alloc->resize(alloc->user, block, old_size, new_size);
}

size_t lmbi_size_mul(size_t a, size_t b)
{
    return (b != 0 && a > SIZE_MAX / b) ? SIZE_MAX : a * b;
}

void *lmbi_resize(const lmb_allocator *alloc, void *block, size_t size)
{
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    block_head *old = block ? (block_head *)block - 1 : NULL;
    const size_t old_total = old ? old->size + sizeof(block_head) : 0;
    block_head *head = raw_resize(alloc, old, old_total, size + sizeof(block_head));
    if (head == NULL) {
        return NULL;
    }
    head->size = size;
    return head + 1;
}

/// The system often has pages of zeros at hand: writing them again would take as long as reading a
/// file does.
static void *zeroed_libc(size_t size)
{
    block_head *head = size <= SIZE_MAX / 2 ? calloc(1, size + sizeof(block_head)) : NULL;
    if (head == NULL) {
        return NULL;
    }
    head->size = size;
    return head + 1;
}

void *lmbi_alloc(const lmb_allocator *alloc, size_t size)
{
    if (alloc == NULL || alloc->resize == NULL) {
        return zeroed_libc(size ? size : 1);
    }
    void *block = lmbi_resize(alloc, NULL, size ? size : 1);
    if (block) {
        memset(block, 0, size ? size : 1);
    }
    return block;
}

void *lmbi_alloc_array(const lmb_allocator *alloc, size_t count, size_t size)
{
    const size_t total = lmbi_size_mul(count, size);
    return total == SIZE_MAX ? NULL : lmbi_alloc(alloc, total);
}

void *lmbi_alloc_unset(const lmb_allocator *alloc, size_t count, size_t size)
{
    const size_t total = lmbi_size_mul(count, size);
    return total == SIZE_MAX ? NULL : lmbi_resize(alloc, NULL, total ? total : 1);
}

void lmbi_free(const lmb_allocator *alloc, void *block)
{
    if (block) {
        block_head *head = (block_head *)block - 1;
        raw_resize(alloc, head, head->size + sizeof(block_head), 0);
    }
}

void lmbi_free_own(const lmb_allocator *within, void *block)
{
    const lmb_allocator alloc = *within;
    lmbi_free(&alloc, block);
}

bool lmbi_grow(const lmb_allocator *alloc, void **items, size_t *capacity, size_t needed,
               size_t element_size)
{
    if (needed <= *capacity) {
        return true;
    }
    size_t bigger = *capacity < 8 ? 16 : *capacity;
    while (bigger < needed) {
        if (bigger > SIZE_MAX / 2) {
            return false;
        }
        bigger *= 2;
    }
    const size_t total = lmbi_size_mul(bigger, element_size);
    void *grown = total == SIZE_MAX ? NULL : lmbi_resize(alloc, *items, total);
    if (grown == NULL) {
        return false;
    }
    *items = grown;
    *capacity = bigger;
    return true;
}
