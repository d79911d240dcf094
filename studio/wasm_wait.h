/// Waiting for another thread of a module that shares its memory. Only for files that are compiled
/// with -matomics.
#ifndef LIMBER_STUDIO_WASM_WAIT_H
#define LIMBER_STUDIO_WASM_WAIT_H

#include <stdatomic.h>

/// Returns once `word` may differ from `value`: at once where it does, else when it is woken.
static inline void wait_while(atomic_uint *word, unsigned value)
{
    __builtin_wasm_memory_atomic_wait32((int *)word, (int)value, -1);
}

/// Wakes up to `count` threads that wait on `word`.
static inline void wake(atomic_uint *word, unsigned count)
{
    __builtin_wasm_memory_atomic_notify((int *)word, count);
}

#endif
