/// A set of strings, numbered in order of first appearance. Lookup is by hash table, so that a file
/// with as many names as lines does not take quadratic time.
#ifndef IO_NAMES_H
#define IO_NAMES_H

#include "base/arena.h"
#include "base/scan.h"

typedef struct lmbi_names {
    lmbi_arena text;
    const char **items; ///< [count]
    size_t count, capacity;
    uint32_t *slots; ///< hash table: index + 1; 0 is empty
    size_t slot_count;
} lmbi_names;

void lmbi_names_init(lmbi_names *names, const lmb_allocator *alloc);
void lmbi_names_free(lmbi_names *names);
/// Index of the word, added when new. -1 when memory ran out.
int32_t lmbi_names_add(lmbi_names *names, lmbi_word word);
/// Index of the word, or -1.
int32_t lmbi_names_find(const lmbi_names *names, lmbi_word word);

#endif
