/// C3D files of any machine, built byte by byte from the description of the format: independent of
/// the writer.
#ifndef TESTS_IO_C3D_MAKER_H
#define TESTS_IO_C3D_MAKER_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { INTEL = 84, DEC = 85, MIPS = 86 };

typedef struct c3d_maker {
    uint8_t bytes[1 << 16];
    size_t size;
    int machine;
} c3d_maker;

static inline void c3d_put_u16(c3d_maker *c, size_t at, unsigned value)
{
    c->bytes[at + (c->machine == MIPS)] = (uint8_t)value;
    c->bytes[at + (c->machine != MIPS)] = (uint8_t)(value >> 8);
}

/// By arithmetic, not by way of the bits of a float: VAX has 0.1f * 2^(e - 128), IEEE 1.f *
/// 2^(e - 127).
static inline void c3d_put_float(c3d_maker *c, size_t at, double value)
{
    int exponent = 0;
    const double half = frexp(fabs(value), &exponent); // in [0.5, 1)
    uint32_t bits = 0;
    if (half > 0) {
        const uint32_t fraction = (uint32_t)(half * 16777216.0) & 0x7fffff;
        const int biased = c->machine == DEC ? exponent + 128 : exponent + 126;
        bits = (value < 0 ? 0x80000000u : 0) | (uint32_t)biased << 23 | fraction;
    }
    const unsigned high = bits >> 16, low = bits & 0xffff;
    c3d_put_u16(c, at, c->machine == INTEL ? low : high);
    c3d_put_u16(c, at + 2, c->machine == INTEL ? high : low);
}

/// Header and head of the parameters, which begin in block 2.
static inline void c3d_begin(c3d_maker *c, int machine)
{
    memset(c, 0, sizeof *c);
    c->machine = machine;
    c->bytes[0] = 2;
    c->bytes[1] = 0x50;
    c->size = 512;
    c->bytes[512] = 1;
    c->bytes[513] = 0x50;
    c->bytes[515] = (uint8_t)machine;
    c->size += 4;
}

static inline void c3d_head(c3d_maker *c, unsigned points, unsigned first, unsigned last,
                            double scale, double rate)
{
    c3d_put_u16(c, 2, points);
    c3d_put_u16(c, 6, first);
    c3d_put_u16(c, 8, last);
    c3d_put_float(c, 12, scale);
    c3d_put_float(c, 20, rate);
}

static inline void c3d_group(c3d_maker *c, int number, const char *name)
{
    c->bytes[c->size++] = (uint8_t)strlen(name);
    c->bytes[c->size++] = (uint8_t)-number;
    memcpy(c->bytes + c->size, name, strlen(name));
    c->size += strlen(name);
    c3d_put_u16(c, c->size, 3);
    c->size += 3;
}

/// Texts of `width` letters each; a width of 0 makes one text of the value's own length.
static inline void c3d_texts(c3d_maker *c, int group, const char *name, unsigned width,
                             const char *values, unsigned count)
{
    const unsigned dimensions = width > 0 ? 2 : 1;
    const size_t size = width > 0 ? (size_t)width * count : strlen(values);
    c->bytes[c->size++] = (uint8_t)strlen(name);
    c->bytes[c->size++] = (uint8_t)group;
    memcpy(c->bytes + c->size, name, strlen(name));
    c->size += strlen(name);
    c3d_put_u16(c, c->size, (unsigned)(4 + dimensions + size + 1));
    c->bytes[c->size + 2] = 255;
    c->bytes[c->size + 3] = (uint8_t)dimensions;
    c->bytes[c->size + 4] = (uint8_t)(width > 0 ? width : size);
    c->bytes[c->size + 5] = (uint8_t)count; // overwritten where there is one dimension
    memcpy(c->bytes + c->size + 4 + dimensions, values, size);
    c->size += 4 + dimensions + size + 1;
}

static inline void c3d_words(c3d_maker *c, int group, const char *name, const unsigned *values,
                             unsigned count)
{
    c->bytes[c->size++] = (uint8_t)strlen(name);
    c->bytes[c->size++] = (uint8_t)group;
    memcpy(c->bytes + c->size, name, strlen(name));
    c->size += strlen(name);
    c3d_put_u16(c, c->size, 4 + 1 + 2 * count + 1);
    c->bytes[c->size + 2] = 2;
    c->bytes[c->size + 3] = 1;
    c->bytes[c->size + 4] = (uint8_t)count;
    c->size += 5;
    for (unsigned k = 0; k < count; ++k, c->size += 2) {
        c3d_put_u16(c, c->size, values[k]);
    }
    ++c->size;
}

/// Reals in `columns` of `rows`; 0 rows: one dimension.
static inline void c3d_reals(c3d_maker *c, int group, const char *name, const double *values,
                             unsigned columns, unsigned rows)
{
    const unsigned dimensions = rows > 0 ? 2 : 1, count = columns * (rows > 0 ? rows : 1);
    c->bytes[c->size++] = (uint8_t)strlen(name);
    c->bytes[c->size++] = (uint8_t)group;
    memcpy(c->bytes + c->size, name, strlen(name));
    c->size += strlen(name);
    c3d_put_u16(c, c->size, 4 + dimensions + 4 * count + 1);
    c->bytes[c->size + 2] = 4;
    c->bytes[c->size + 3] = (uint8_t)dimensions;
    c->bytes[c->size + 4] = (uint8_t)columns;
    c->bytes[c->size + 5] = (uint8_t)rows; // overwritten where there is one dimension
    c->size += 4 + dimensions;
    for (unsigned k = 0; k < count; ++k, c->size += 4) {
        c3d_put_float(c, c->size, values[k]);
    }
    ++c->size;
}

/// Ends the parameters; frames begin in the next block.
static inline void c3d_frames(c3d_maker *c)
{
    c->size = (c->size + 2 + 511) / 512 * 512;
    c3d_put_u16(c, 16, (unsigned)(c->size / 512 + 1));
}

static inline void c3d_float_point(c3d_maker *c, double x, double y, double z, double word)
{
    const double v[4] = {x, y, z, word};
    for (int i = 0; i < 4; ++i, c->size += 4) {
        c3d_put_float(c, c->size, v[i]);
    }
}

static inline void c3d_integer_point(c3d_maker *c, int x, int y, int z, int word)
{
    const int v[4] = {x, y, z, word};
    for (int i = 0; i < 4; ++i, c->size += 2) {
        c3d_put_u16(c, c->size, (unsigned)v[i] & 0xffff);
    }
}

#endif
