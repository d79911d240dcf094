/// FNV-1a over bytes, for tables and for golden tests.
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "limber/base.h"

#define LMBI_HASH_SEED 0xcbf29ce484222325u

static inline uint64_t lmbi_hash(uint64_t seed, const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    for (size_t i = 0; i < size; ++i) {
        seed = (seed ^ b[i]) * 0x100000001b3u;
    }
    return seed;
}

#endif
