/// An allocator that counts bytes and can fail the n-th call.
#ifndef TESTS_TALLY_ALLOCATOR_H
#define TESTS_TALLY_ALLOCATOR_H

#include <stdlib.h>

#include "limber/base.h"

typedef struct tally {
    size_t held, most, calls; ///< bytes now and at most; calls so far
    size_t fail_at;           ///< number of the call that fails; 0: none
} tally;

static inline void *tally_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    tally *t = user;
    if (new_size == 0) {
        t->held -= old_size;
        free(block);
        return NULL;
    }
    if (++t->calls == t->fail_at) {
        return NULL;
    }
    void *moved = realloc(block, new_size);
    t->held += moved ? new_size - old_size : 0;
    t->most = t->held > t->most ? t->held : t->most;
    return moved;
}

#endif
