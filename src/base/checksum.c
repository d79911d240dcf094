#include "base/inflate.h"

/// tables[k][b]: what the byte b does to the CRC when k more bytes come after it.
typedef struct crc_tables {
    uint32_t rows[8][256];
} crc_tables;

/// Made for every call: 8 KiB on the stack, about the time of 2 KiB of data; a library without
/// globals has nowhere to keep them.
static void make_tables(crc_tables *t)
{
    for (uint32_t b = 0; b < 256; ++b) {
        uint32_t c = b;
        for (int k = 0; k < 8; ++k) {
            c = c >> 1 ^ (0xedb88320u & (0u - (c & 1)));
        }
        t->rows[0][b] = c;
    }
    for (int k = 1; k < 8; ++k) {
        for (uint32_t b = 0; b < 256; ++b) {
            const uint32_t c = t->rows[k - 1][b];
            t->rows[k][b] = c >> 8 ^ t->rows[0][c & 255];
        }
    }
}

uint32_t lmbi_crc32(uint32_t crc, const uint8_t *bytes, size_t size)
{
    crc_tables t;
    make_tables(&t);
    crc = ~crc;
    for (; size >= 8; size -= 8, bytes += 8) {
        const uint32_t low = crc ^ ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
                                    (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24);
        crc = t.rows[7][low & 255] ^ t.rows[6][low >> 8 & 255] ^ t.rows[5][low >> 16 & 255] ^
              t.rows[4][low >> 24] ^ t.rows[3][bytes[4]] ^ t.rows[2][bytes[5]] ^
              t.rows[1][bytes[6]] ^ t.rows[0][bytes[7]];
    }
    for (; size > 0; --size, ++bytes) {
        crc = crc >> 8 ^ t.rows[0][(crc ^ *bytes) & 255];
    }
    return ~crc;
}

/// Eight bytes, the first lowest.
static inline uint64_t load_eight(const uint8_t *at)
{
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
           (uint64_t)at[7] << 56;
}

/// Eight bytes in one go: every other byte has 16 bits of room, and a product adds what stands in
/// them, each with its weight, up in the highest.
static inline void add_eight(uint64_t bytes, uint32_t *a, uint32_t *b)
{
    const uint64_t mask = 0x00ff00ff00ff00ff;
    const uint64_t even = bytes & mask, odd = bytes >> 8 & mask;
    const uint64_t weighed = even * 0x0008000600040002 + odd * 0x0007000500030001;
    *b += 8 * *a + (uint32_t)(weighed >> 48);
    *a += (uint32_t)((even + odd) * 0x0001000100010001 >> 48);
}

uint32_t lmbi_adler32(uint32_t adler, const uint8_t *bytes, size_t size)
{
    enum { PRIME = 65521, RUN = 5552 }; // RUN bytes cannot overflow 32 bits
    uint32_t a = adler & 0xffff, b = adler >> 16;
    while (size > 0) {
        const size_t run = size < RUN ? size : RUN;
        size_t k = 0;
        for (; k + 8 <= run; k += 8) {
            add_eight(load_eight(bytes + k), &a, &b);
        }
        for (; k < run; ++k) {
            a += bytes[k];
            b += a;
        }
        a %= PRIME;
        b %= PRIME;
        bytes += run;
        size -= run;
    }
    return b << 16 | a;
}
