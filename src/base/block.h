/// One block for a thing and all its arrays: run the same code that copies a definition, or lays out
/// a machine, twice, first to measure, then to fill.
#ifndef BASE_BLOCK_H
#define BASE_BLOCK_H

#include "limber/base.h"

typedef struct lmbi_block {
    uint8_t *base; ///< NULL while measuring
    size_t used;
    bool overflow; ///< a size did not fit in size_t
} lmbi_block;

/// Room for count * size bytes, aligned to 16, filled from `source`. Returns NULL while
/// measuring. A count of 0 or a NULL source gives NULL.
void *lmbi_block_array(lmbi_block *block, const void *source, size_t count, size_t size);
/// The same of zeros: arrays that are computed afterwards.
void *lmbi_block_zeros(lmbi_block *block, size_t count, size_t size);
/// A copy of a string; NULL stays NULL.
const char *lmbi_block_string(lmbi_block *block, const char *text);

/// Copies a definition into `block` and returns the copy, or NULL while measuring.
typedef void *(*lmbi_block_copy)(lmbi_block *block, const void *def);
/// Runs `copy` once to measure and once to fill. The one allocation is the copy itself: free it
/// with lmbi_free. NULL when there is no memory.
void *lmbi_block_build(lmbi_block_copy copy, const void *def, const lmb_allocator *alloc);

#endif
