/// Many small allocations with one common end: the working memory of a reader or a solver.
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "limber/base.h"

typedef struct lmbi_arena_chunk lmbi_arena_chunk;

typedef struct lmbi_arena {
    const lmb_allocator *alloc;
    lmbi_arena_chunk *chunks; ///< newest first
    uint8_t *at, *end;
    bool failed; ///< an allocation of this arena has failed since it was initialised or freed
} lmbi_arena;

void lmbi_arena_init(lmbi_arena *arena, const lmb_allocator *alloc);
/// Zeroed, aligned to 16. NULL on failure or overflow.
void *lmbi_arena_array(lmbi_arena *arena, size_t count, size_t size);
/// A terminated copy of `size` bytes. NULL on failure.
char *lmbi_arena_string(lmbi_arena *arena, const void *bytes, size_t size);
/// Frees everything; the arena can be used again.
void lmbi_arena_free(lmbi_arena *arena);

/// A zeroed object with an arena for what it points to. NULL on failure.
void *lmbi_owner_create(const lmb_allocator *alloc, size_t size);
lmbi_arena *lmbi_owner_arena(void *object);
/// Frees the object and its arena; NULL is allowed.
void lmbi_owner_free(void *object);

#endif
