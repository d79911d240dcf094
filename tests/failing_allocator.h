/// An allocator that fails at the n-th call and counts what is still held, and the walk of n upward
/// until all is well.
#ifndef TESTS_FAILING_ALLOCATOR_H
#define TESTS_FAILING_ALLOCATOR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

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

/// Tries the same work with 0, 1, 2, … allocations that succeed, until it returns LMB_OK:
///   for (failing_run f = {.least = 5}; failing_next(&f);) {
///       f.result = make(&f.alloc, &made);
///       destroy(made);
///   }
/// Every try must free what it allocated, and may fail of memory alone.
typedef struct failing_run {
    int least;  ///< of the allocations that the work takes; 0 counts as 1
    int sparse; ///< where a try is costly, each is farther from the last by 1 / sparse of its number
    int calls;  ///< allocations that succeed in this try
    bool begun;
    lmb_result result; ///< of the try, set by the test
    failing_allocator state;
    lmb_allocator alloc;
} failing_run;

static inline bool failing_next(failing_run *f)
{
    if (f->begun) {
        if (f->state.held != 0) {
            fail_msg("%d blocks are still held where %d allocations succeed", f->state.held,
                     f->calls);
        }
        if (f->result == LMB_OK) {
            const int least = f->least > 0 ? f->least : 1;
            if (f->calls < least) {
                fail_msg("%d allocations suffice, expected %d at least", f->calls, least);
            }
            return false;
        }
        if (f->result != LMB_ERROR_MEMORY || f->calls > 1000000) {
            fail_msg("result %d where %d allocations succeed, expected %d, out of memory",
                     f->result, f->calls, LMB_ERROR_MEMORY);
        }
        f->calls += 1 + (f->sparse > 0 ? f->calls / f->sparse : 0);
    }
    f->begun = true;
    f->state = (failing_allocator){.calls_left = f->calls};
    f->alloc = (lmb_allocator){failing_allocator_resize, &f->state};
    return true;
}

#endif
