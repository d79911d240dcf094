/// Allocation through the caller's allocator, sizes remembered and multiplications checked.
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include "limber/base.h"

/// NULL on failure. The block is zeroed.
void *lmbi_alloc(const lmb_allocator *alloc, size_t size);
/// NULL on failure or when count * size overflows. Zeroed. A count of 0 gives a valid one-byte
/// block.
void *lmbi_alloc_array(const lmb_allocator *alloc, size_t count, size_t size);
/// The same, but not zeroed: for large arrays that are written before they are read.
void *lmbi_alloc_unset(const lmb_allocator *alloc, size_t count, size_t size);
/// Frees a block that holds its own allocator.
void lmbi_free_own(const lmb_allocator *within, void *block);
/// Grows or shrinks a block from lmbi_alloc (or NULL); new bytes are not zeroed. On failure the old
/// block stays.
void *lmbi_resize(const lmb_allocator *alloc, void *block, size_t size);
/// NULL is allowed.
void lmbi_free(const lmb_allocator *alloc, void *block);
/// Makes room for `needed` elements in *items, doubling *capacity. False on failure; *items is
/// still valid.
bool lmbi_grow(const lmb_allocator *alloc, void **items, size_t *capacity, size_t needed,
               size_t element_size);
/// a * b, or SIZE_MAX when it overflows.
size_t lmbi_size_mul(size_t a, size_t b);

#endif
