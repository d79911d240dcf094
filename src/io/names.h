/// A set of strings, each with the number of its first appearance. Lookup is a hash table: a file
/// with as many names as lines must not take quadratic time.
#ifndef IO_NAMES_H
#define IO_NAMES_H

#include "base/arena.h"
#include "base/scan.h"

typedef struct lmbi_names {
    lmbi_arena text;
    const char **items; ///< [count]
    size_t count, capacity;
    uint32_t *slots; ///< [slot_count] index + 1, 0 is empty
    size_t slot_count;
} lmbi_names;

void lmbi_names_init(lmbi_names *names, const lmb_allocator *alloc);
void lmbi_names_free(lmbi_names *names);
/// Index of the word, added when new. -1 when memory ran out.
int32_t lmbi_names_add(lmbi_names *names, lmbi_word word);
/// Index of the word, or -1.
int32_t lmbi_names_find(const lmbi_names *names, lmbi_word word);

#endif
