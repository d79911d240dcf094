/// Numbers in the bytes of binary files, whatever the machine's own byte order.
#ifndef IO_BYTES_H
#define IO_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "math/scalar.h"

static inline double lmbi_double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// ---- little-endian

static inline uint16_t lmbi_load_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t lmbi_load_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t lmbi_load_u64(const uint8_t *at)
{
    return (uint64_t)lmbi_load_u32(at) | (uint64_t)lmbi_load_u32(at + 4) << 32;
}

static inline float lmbi_load_f32(const uint8_t *at)
{
    return lmbi_float_of_bits(lmbi_load_u32(at));
}

static inline double lmbi_load_f64(const uint8_t *at)
{
    return lmbi_double_of_bits(lmbi_load_u64(at));
}

/// The lowest `size` bytes of the value, 1 to 8 of them.
static inline void lmbi_store_bytes(uint8_t *at, uint64_t value, size_t size)
{
    for (size_t k = 0; k < size; ++k) {
        at[k] = (uint8_t)(value >> 8 * k);
    }
}

// ---- big-endian

static inline uint32_t lmbi_load_u32_big(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

// ---- either

/// An unsigned integer of `size` bytes, 0 to 8.
static inline uint64_t lmbi_load_bytes(const uint8_t *at, size_t size, bool big_endian)
{
    uint64_t bits = 0;
    for (size_t k = 0; k < size; ++k) {
        bits |= (uint64_t)at[big_endian ? size - 1 - k : k] << 8 * k;
    }
    return bits;
}

#endif
