#include "base/sha256.h"

#include <string.h>

/// FIPS 180-4 §4.2.2: the fractions of the cube roots of the first 64 primes.
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotated_right(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static uint32_t load(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | (uint32_t)at[3];
}

static void store(uint8_t *at, uint32_t x)
{
    at[0] = (uint8_t)(x >> 24);
    at[1] = (uint8_t)(x >> 16);
    at[2] = (uint8_t)(x >> 8);
    at[3] = (uint8_t)x;
}

/// §6.2.2, step 1: the message schedule.
static void schedule(const uint8_t *block, uint32_t w[64])
{
    for (int t = 0; t < 16; ++t) {
        w[t] = load(block + 4 * t);
    }
    for (int t = 16; t < 64; ++t) {
        const uint32_t a = w[t - 15], b = w[t - 2];
        w[t] = w[t - 16] + (rotated_right(a, 7) ^ rotated_right(a, 18) ^ a >> 3) + w[t - 7] +
               (rotated_right(b, 17) ^ rotated_right(b, 19) ^ b >> 10);
    }
}

/// §6.2.2, steps 2 to 4, on one block of 64 bytes; letters as there.
static void mix(uint32_t state[8], const uint8_t *block)
{
    uint32_t w[64];
    schedule(block, w);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int t = 0; t < 64; ++t) {
        const uint32_t choice = (e & f) ^ (~e & g), majority = (a & b) ^ (a & c) ^ (b & c);
        const uint32_t t1 = h +
                            (rotated_right(e, 6) ^ rotated_right(e, 11) ^ rotated_right(e, 25)) +
                            choice + K[t] + w[t];
        const uint32_t t2 =
            (rotated_right(a, 2) ^ rotated_right(a, 13) ^ rotated_right(a, 22)) + majority;
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const uint32_t sums[8] = {a, b, c, d, e, f, g, h};
    for (int k = 0; k < 8; ++k) {
        state[k] += sums[k];
    }
}

void lmbi_sha256_start(lmbi_sha256 *hash)
{
    *hash = (lmbi_sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                    0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void lmbi_sha256_add(lmbi_sha256 *hash, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    const size_t waiting = hash->size % 64;
    hash->size += size;
    if (waiting > 0) {
        const size_t room = 64 - waiting, taken = size < room ? size : room;
        if (taken > 0) {
            memcpy(hash->block + waiting, at, taken);
        }
        if (taken < room) {
            return;
        }
        mix(hash->state, hash->block);
        at += taken;
        size -= taken;
    }
    for (; size >= 64; size -= 64, at += 64) {
        mix(hash->state, at);
    }
    if (size > 0) {
        memcpy(hash->block, at, size);
    }
}

void lmbi_sha256_end(lmbi_sha256 *hash, uint8_t digest[LMBI_SHA256_SIZE])
{
    // §5.1.1: a one, zeros up to 56 of 64 bytes, the number of bits.
    static const uint8_t padding[64] = {0x80};
    const uint64_t bits = hash->size * 8;
    uint8_t length[8];
    store(length, (uint32_t)(bits >> 32));
    store(length + 4, (uint32_t)bits);
    lmbi_sha256_add(hash, padding, 1 + (119 - hash->size % 64) % 64);
    lmbi_sha256_add(hash, length, 8);
    for (int k = 0; k < 8; ++k) {
        store(digest + 4 * k, hash->state[k]);
    }
}

void lmbi_sha256_hex(const uint8_t digest[LMBI_SHA256_SIZE], char text[LMBI_SHA256_HEX])
{
    for (int k = 0; k < LMBI_SHA256_SIZE; ++k) {
        text[2 * k] = "0123456789abcdef"[digest[k] >> 4];
        text[2 * k + 1] = "0123456789abcdef"[digest[k] & 15];
    }
    text[2 * LMBI_SHA256_SIZE] = 0;
}
