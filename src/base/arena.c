#include "base/arena.h"

#include <stddef.h>
#include <string.h>

#include "base/alloc.h"

struct lmbi_arena_chunk {
    lmbi_arena_chunk *next;
    _Alignas(16) uint8_t bytes[];
};

enum { CHUNK_SIZE = 64 * 1024 };

void lmbi_arena_init(lmbi_arena *arena, const lmb_allocator *alloc)
{
    memset(arena, 0, sizeof *arena);
    arena->alloc = alloc;
}

static bool add_chunk(lmbi_arena *arena, size_t size)
{
    const size_t room = size > CHUNK_SIZE ? size : CHUNK_SIZE;
    lmbi_arena_chunk *chunk = lmbi_alloc(arena->alloc, sizeof *chunk + room);
    if (chunk == NULL) {
        return false;
    }
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->at = chunk->bytes;
    arena->end = chunk->bytes + room;
    return true;
}

void *lmbi_arena_array(lmbi_arena *arena, size_t count, size_t size)
{
    size_t total = lmbi_size_mul(count, size);
    total = total > SIZE_MAX / 4 ? total : (total + 15) & ~(size_t)15;
    // A count of 0 still gives a valid pointer.
    const bool full = arena->at == NULL || (size_t)(arena->end - arena->at) < total;
    if (full && (total > SIZE_MAX / 4 || !add_chunk(arena, total))) {
        arena->failed = true;
        return NULL;
    }
    void *block = arena->at;
    arena->at += total;
    return block;
}

char *lmbi_arena_string(lmbi_arena *arena, const void *bytes, size_t size)
{
    char *copy = lmbi_arena_array(arena, size + 1, 1);
    if (copy && size) {
        memcpy(copy, bytes, size);
    }
    return copy;
}

void lmbi_arena_free(lmbi_arena *arena)
{
    while (arena->chunks) {
        lmbi_arena_chunk *next = arena->chunks->next;
        lmbi_free(arena->alloc, arena->chunks);
        arena->chunks = next;
    }
    arena->at = arena->end = NULL;
    arena->failed = false;
}

/// What lies before an object that owns an arena.
typedef struct owner {
    lmb_allocator alloc;
    lmbi_arena arena;
    _Alignas(16) uint8_t object[];
} owner;

static owner *owner_of(void *object)
{
    return (owner *)(void *)((uint8_t *)object - offsetof(owner, object));
}

void *lmbi_owner_create(const lmb_allocator *alloc, size_t size)
{
    owner *o = lmbi_alloc(alloc, sizeof *o + size);
    if (o == NULL) {
        return NULL;
    }
    o->alloc = alloc ? *alloc : (lmb_allocator){0};
    lmbi_arena_init(&o->arena, &o->alloc);
    return o->object;
}

lmbi_arena *lmbi_owner_arena(void *object)
{
    return &owner_of(object)->arena;
}

void lmbi_owner_free(void *object)
{
    if (object != NULL) {
        owner *o = owner_of(object);
        const lmb_allocator alloc = o->alloc;
        lmbi_arena_free(&o->arena);
        lmbi_free(&alloc, o);
    }
}
