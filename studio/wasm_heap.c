/// One lock around wasi-libc's allocator, which knows no threads. The linker's --wrap sends every
/// call of the module here. errno, which the allocator sets, is shared by all threads.
#include "wasm_wait.h"

#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

enum { FREE, TAKEN, WAITED_FOR };
static atomic_uint state;

/// Drepper 2011, "Futexes are tricky", mutex 2.
static void lock(void)
{
    unsigned found = FREE;
    if (atomic_compare_exchange_strong(&state, &found, TAKEN)) {
        return;
    }
    while (atomic_exchange(&state, WAITED_FOR) != FREE) {
        wait_while(&state, WAITED_FOR);
    }
}

static void unlock(void)
{
    if (atomic_exchange(&state, FREE) == WAITED_FOR) {
        wake(&state, 1);
    }
}

void *__wrap_malloc(size_t size)
{
    lock();
    void *block = __real_malloc(size);
    unlock();
    return block;
}

void *__wrap_calloc(size_t count, size_t size)
{
    lock();
    void *block = __real_calloc(count, size);
    unlock();
    return block;
}

void *__wrap_realloc(void *block, size_t size)
{
    lock();
    void *grown = __real_realloc(block, size);
    unlock();
    return grown;
}

void __wrap_free(void *block)
{
    lock();
    __real_free(block);
    unlock();
}
