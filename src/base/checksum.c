#include "base/inflate.h"

/// tables[k][b]: what the byte b does to the CRC when k more bytes come after it.
typedef struct crc_tables {
    uint32_t rows[8][256];
} crc_tables;

/// Made for every call: 8 KiB on the stack, about the time of 2 KiB of data; a library without
/// globals has no place to keep them.
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

uint32_t lmbi_adler32(uint32_t adler, const uint8_t *bytes, size_t size)
{
    enum { PRIME = 65521, RUN = 5552, WIDE = 16 }; // RUN bytes cannot overflow 32 bits
    uint32_t a = adler & 0xffff, b = adler >> 16;
    while (size > 0) {
        const size_t run = size < RUN ? size : RUN;
        size_t k = 0;
        // WIDE bytes at once do not wait for one another.
        for (; k + WIDE <= run; k += WIDE) {
            uint32_t sum = 0, weighed = 0;
            for (uint32_t i = 0; i < WIDE; ++i) {
                sum += bytes[k + i];
                weighed += (WIDE - i) * bytes[k + i];
            }
            b += WIDE * a + weighed;
            a += sum;
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
