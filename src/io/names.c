#include "io/common.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

void lmbi_names_init(lmbi_names *names, const lmb_allocator *alloc)
{
    memset(names, 0, sizeof *names);
    lmbi_arena_init(&names->text, alloc);
}

void lmbi_names_free(lmbi_names *names)
{
    const lmb_allocator *alloc = names->text.alloc;
    lmbi_free(alloc, names->items);
    lmbi_free(alloc, names->slots);
    lmbi_arena_free(&names->text);
    lmbi_names_init(names, alloc);
}

/// The slot that holds the word, or the empty one where it belongs. The table is never full.
static size_t slot_of(const lmbi_names *names, lmbi_word word)
{
    size_t slot = (size_t)lmbi_hash(LMBI_HASH_SEED, word.at, word.size) & (names->slot_count - 1);
    while (names->slots[slot] && !lmbi_word_is_exact(word, names->items[names->slots[slot] - 1])) {
        slot = (slot + 1) & (names->slot_count - 1);
    }
    return slot;
}

static bool rehash(lmbi_names *names)
{
    const size_t count = names->slot_count ? names->slot_count * 2 : 64;
    uint32_t *slots = lmbi_alloc_array(names->text.alloc, count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    lmbi_free(names->text.alloc, names->slots);
    names->slots = slots;
    names->slot_count = count;
    for (size_t i = 0; i < names->count; ++i) {
        const lmbi_word word = {names->items[i], strlen(names->items[i])};
        slots[slot_of(names, word)] = (uint32_t)i + 1;
    }
    return true;
}

int32_t lmbi_names_find(const lmbi_names *names, lmbi_word word)
{
    return names->slot_count ? (int32_t)names->slots[slot_of(names, word)] - 1 : -1;
}

int32_t lmbi_names_add(lmbi_names *names, lmbi_word word)
{
    const char *nul = word.size ? memchr(word.at, 0, word.size) : NULL;
    if (nul) {
        word.size =
            (size_t)(nul -
                     word.at); // names are C strings everywhere else, so the first NUL ends one
    }
    if (names->count * 2 >= names->slot_count && !rehash(names)) {
        return -1;
    }
    const size_t slot = slot_of(names, word);
    if (names->slots[slot]) {
        return (int32_t)names->slots[slot] - 1;
    }
    void *items = names->items;
    char *copy = lmbi_arena_string(&names->text, word.at, word.size);
    if (copy == NULL || !lmbi_grow(names->text.alloc, &items, &names->capacity, names->count + 1,
                                   sizeof *names->items)) {
        return -1;
    }
    names->items = items;
    names->items[names->count++] = copy;
    names->slots[slot] = (uint32_t)names->count;
    return (int32_t)names->count - 1;
}
