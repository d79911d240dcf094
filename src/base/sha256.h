/// SHA-256 (FIPS 180-4): names contents, so that work that was done is known again.
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "limber/base.h"

enum { LMBI_SHA256_SIZE = 32, LMBI_SHA256_HEX = 65 };

typedef struct lmbi_sha256 {
    uint32_t state[8];
    uint64_t size;     ///< bytes so far
    uint8_t block[64]; ///< the last size % 64 bytes, not hashed yet
} lmbi_sha256;

void lmbi_sha256_start(lmbi_sha256 *hash);
void lmbi_sha256_add(lmbi_sha256 *hash, const void *bytes, size_t size);
void lmbi_sha256_end(lmbi_sha256 *hash, uint8_t digest[LMBI_SHA256_SIZE]);

/// 64 lower case digits and a terminator.
void lmbi_sha256_hex(const uint8_t digest[LMBI_SHA256_SIZE], char text[LMBI_SHA256_HEX]);

#endif
