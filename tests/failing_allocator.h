/// An allocator that fails at the n-th call and counts what is still held: for tests that walk n
/// upward until all is well.
#ifndef TESTS_FAILING_ALLOCATOR_H
#define TESTS_FAILING_ALLOCATOR_H

#include <stdlib.h>

#include "limber/base.h"

typedef struct failing_allocator {
    int calls_left; ///< this many succeed
    int held;       ///< blocks not yet freed
} failing_allocator;

static inline void *failing_allocator_resize(void *user, void *block, size_t old_size,
                                             size_t new_size)
{
    failing_allocator *state = user;
    (void)old_size;
    if (new_size == 0) {
        state->held -= block != NULL;
        free(block);
        return NULL;
    }
    if (state->calls_left-- <= 0) {
        return NULL;
    }
    void *grown = realloc(block, new_size);
    state->held += block == NULL && grown != NULL;
    return grown;
}

#endif
