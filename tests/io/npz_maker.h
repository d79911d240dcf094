/// Writes NumPy archives, stored: what tests of readers make their models with.
#ifndef TESTS_IO_NPZ_MAKER_H
#define TESTS_IO_NPZ_MAKER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/inflate.h"

enum { NPZ_MAKER_MEMBERS = 32 };

typedef struct npz_maker {
    uint8_t *data;
    size_t size;
    size_t base; ///< bytes before the archive
    bool zip64;
    int count;
    struct {
        char name[64];
        uint64_t size, header;
        uint32_t crc;
    } members[NPZ_MAKER_MEMBERS];
} npz_maker;

static inline void npz_maker_bytes(npz_maker *m, const void *bytes, size_t size)
{
    uint8_t *grown = realloc(m->data, m->size + size + 1);
    if (grown == NULL) {
        abort();
    }
    m->data = grown;
    memcpy(m->data + m->size, bytes, size);
    m->size += size;
}

static inline void npz_maker_number(npz_maker *m, uint64_t value, int bytes)
{
    uint8_t b[10] = {0};
    for (int k = 0; k < bytes && k < 8; ++k) {
        b[k] = (uint8_t)(value >> 8 * k);
    }
    npz_maker_bytes(m, b, (size_t)bytes);
}

static inline void npz_maker_member(npz_maker *m, const char *name, const void *data, size_t size)
{
    const int k = m->count++;
    snprintf(m->members[k].name, sizeof m->members[k].name, "%s", name);
    m->members[k].size = size;
    m->members[k].header = m->size - m->base;
    m->members[k].crc = lmbi_crc32(0, data, size);
    npz_maker_number(m, 0x04034b50, 4);
    npz_maker_number(m, 20, 2);
    npz_maker_number(m, 0, 8); // flags, method, time, date
    npz_maker_number(m, m->members[k].crc, 4);
    npz_maker_number(m, size, 4);
    npz_maker_number(m, size, 4);
    npz_maker_number(m, strlen(name), 2);
    npz_maker_number(m, 0, 2);
    npz_maker_bytes(m, name, strlen(name));
    npz_maker_bytes(m, data, size);
}

/// A member NAME.npy: type "<f4", shape "(2, 3)", in C order.
static inline void npz_maker_array(npz_maker *m, const char *name, const char *type,
                                   const char *shape, const void *data, size_t size)
{
    char dict[512], member[64];
    snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", type,
             shape);
    const size_t length = strlen(dict);
    uint8_t *whole = malloc(10 + length + size);
    if (whole == NULL) {
        abort();
    }
    memcpy(whole, "\x93NUMPY\1\0", 8);
    whole[8] = (uint8_t)length;
    whole[9] = (uint8_t)(length >> 8);
    memcpy(whole + 10, dict, length);
    memcpy(whole + 10 + length, data, size);
    snprintf(member, sizeof member, "%s.npy", name);
    npz_maker_member(m, member, whole, 10 + length + size);
    free(whole);
}

static inline void npz_maker_end(npz_maker *m)
{
    const uint64_t begin = m->size;
    for (int k = 0; k < m->count; ++k) {
        const uint64_t none = 0xffffffff;
        npz_maker_number(m, 0x02014b50, 4);
        npz_maker_number(m, 45 << 16 | 45, 4);
        npz_maker_number(m, 0, 8);
        npz_maker_number(m, m->members[k].crc, 4);
        npz_maker_number(m, m->zip64 ? none : m->members[k].size, 4);
        npz_maker_number(m, m->zip64 ? none : m->members[k].size, 4);
        npz_maker_number(m, strlen(m->members[k].name), 2);
        npz_maker_number(m, m->zip64 ? 28 : 0, 2);
        npz_maker_number(m, 0, 10);
        npz_maker_number(m, m->zip64 ? none : m->members[k].header, 4);
        npz_maker_bytes(m, m->members[k].name, strlen(m->members[k].name));
        if (m->zip64) {
            npz_maker_number(m, 1 | 24 << 16, 4);
            npz_maker_number(m, m->members[k].size, 8);
            npz_maker_number(m, m->members[k].size, 8);
            npz_maker_number(m, m->members[k].header, 8);
        }
    }
    const uint64_t size = m->size - begin, end64 = m->size - m->base;
    if (m->zip64) {
        npz_maker_number(m, 0x06064b50, 4);
        npz_maker_number(m, 44, 8);
        npz_maker_number(m, 45 << 16 | 45, 4);
        npz_maker_number(m, 0, 8);
        npz_maker_number(m, (uint64_t)m->count, 8);
        npz_maker_number(m, (uint64_t)m->count, 8);
        npz_maker_number(m, size, 8);
        npz_maker_number(m, begin - m->base, 8);
        npz_maker_number(m, 0x07064b50, 4);
        npz_maker_number(m, 0, 4);
        npz_maker_number(m, end64, 8);
        npz_maker_number(m, 1, 4);
    }
    npz_maker_number(m, 0x06054b50, 4);
    npz_maker_number(m, 0, 4);
    npz_maker_number(m, m->zip64 ? 0xffff : (uint64_t)m->count, 2);
    npz_maker_number(m, m->zip64 ? 0xffff : (uint64_t)m->count, 2);
    npz_maker_number(m, m->zip64 ? 0xffffffff : size, 4);
    npz_maker_number(m, m->zip64 ? 0xffffffff : begin - m->base, 4);
    npz_maker_number(m, 0, 2);
}

#endif
