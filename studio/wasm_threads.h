/// What a module that shares its memory exports beside wasm_exports.h. A helper is another instance
/// of the module on the same memory, in a thread of its own: its host does not call _initialize,
/// sets `__stack_pointer` to a stack that the first instance made, and calls limber_helper_run.
#ifndef LIMBER_STUDIO_WASM_THREADS_H
#define LIMBER_STUDIO_WASM_THREADS_H

#include <stdint.h>

/// The most helpers that take part in a loop.
#define HELPERS_MAX 15u

/// Makes a stack of 1 MiB for a helper. Returns where it begins, its highest address, or NULL when
/// memory ends. It is kept as long as the memory.
void *limber_helper_stack(void);

/// Takes part in the loops of the first instance. Does not return.
void limber_helper_run(void *stack);

/// For the host of a helper that stopped dead: the first instance stops too, as the loop that they
/// ran cannot end.
void limber_helper_failed(void);

/// How many helpers take part in loops by now.
uint32_t limber_helper_count(void);

#endif
