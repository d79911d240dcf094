/// Loads and stores between arrays of structs and lanes: rows of 3 or 4 floats at any stride, one
/// row per lane.
/// Include after simd/wide.h.
#ifndef SIMD_ROWS_H
#define SIMD_ROWS_H

#include "simd/wide.h"

/// The row of a lane is at from + (size_t)index[lane] * stride.
typedef struct lmbi_rows {
    uint8_t *from;
    size_t stride;
    const uint16_t *index;
} lmbi_rows;

LMBI_WIDE uint8_t *lmbi_row(const lmbi_rows *rows, int lane)
{
    return rows->from + (size_t)rows->index[lane] * rows->stride;
}

#if LMBI_LANES >= 4
typedef float lmbi_quad __attribute__((vector_size(16)));
typedef double lmbi_pair __attribute__((vector_size(16)));

/// Lanes 4 q to 4 q + 3.
LMBI_WIDE lmbi_quad lmbi_quad_of(lmbi_wide v, int q)
{
#if LMBI_LANES == 4
    (void)q;
    return v;
#elif LMBI_LANES == 8
    return q == 0 ? __builtin_shufflevector(v, v, 0, 1, 2, 3)
                  : __builtin_shufflevector(v, v, 4, 5, 6, 7);
#else
    switch (q) {
    case 0:
        return __builtin_shufflevector(v, v, 0, 1, 2, 3);
    case 1:
        return __builtin_shufflevector(v, v, 4, 5, 6, 7);
    case 2:
        return __builtin_shufflevector(v, v, 8, 9, 10, 11);
    default:
        return __builtin_shufflevector(v, v, 12, 13, 14, 15);
    }
#endif
}

// Shuffles within each group of four lanes.
#if LMBI_LANES == 4
#define LMBI_LOW_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define LMBI_HIGH_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define LMBI_LOW_HALVES(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define LMBI_HIGH_HALVES(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)
#elif LMBI_LANES == 8
#define LMBI_LOW_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define LMBI_HIGH_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define LMBI_LOW_HALVES(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define LMBI_HIGH_HALVES(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#else
#define LMBI_LOW_PAIRS(a, b) \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define LMBI_HIGH_PAIRS(a, b) \
    __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define LMBI_LOW_HALVES(a, b) \
    __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define LMBI_HIGH_HALVES(a, b) \
    __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#endif

#if LMBI_LANES == 16
/// Quads a and b of v, then c and d of w.
#define LMBI_QUADS(v, w, a, b, c, d)                                                          \
    __builtin_shufflevector(v, w, 4 * a, 4 * a + 1, 4 * a + 2, 4 * a + 3, 4 * b, 4 * b + 1,   \
                            4 * b + 2, 4 * b + 3, 16 + 4 * c, 16 + 4 * c + 1, 16 + 4 * c + 2, \
                            16 + 4 * c + 3, 16 + 4 * d, 16 + 4 * d + 1, 16 + 4 * d + 2,       \
                            16 + 4 * d + 3)
#endif

LMBI_WIDE void lmbi_store_half(uint8_t *to, double half)
{
    memcpy(to, &half, sizeof(half));
}

LMBI_WIDE void lmbi_store_float(uint8_t *to, float x)
{
    memcpy(to, &x, sizeof(x));
}

/// Four rows of three: x and y as one store of 8 bytes, z as one of 4.
LMBI_WIDE void lmbi_scatter3_quad(const lmbi_rows *rows, int lane, lmbi_quad x, lmbi_quad y,
                                  lmbi_quad z)
{
    const lmbi_pair low = (lmbi_pair)__builtin_shufflevector(x, y, 0, 4, 1, 5);
    const lmbi_pair high = (lmbi_pair)__builtin_shufflevector(x, y, 2, 6, 3, 7);
    uint8_t *const to[4] = {lmbi_row(rows, lane), lmbi_row(rows, lane + 1),
                            lmbi_row(rows, lane + 2), lmbi_row(rows, lane + 3)};
    lmbi_store_half(to[0], low[0]);
    lmbi_store_float(to[0] + 8, z[0]);
    lmbi_store_half(to[1], low[1]);
    lmbi_store_float(to[1] + 8, z[1]);
    lmbi_store_half(to[2], high[0]);
    lmbi_store_float(to[2] + 8, z[2]);
    lmbi_store_half(to[3], high[1]);
    lmbi_store_float(to[3] + 8, z[3]);
}

/// Stores row i of every group of four lanes: x y z w.
LMBI_WIDE void lmbi_store_rows4(const lmbi_rows *rows, int i, lmbi_wide transposed)
{
    for (int q = 0; q < LMBI_LANES / 4; ++q) {
        const lmbi_quad row = lmbi_quad_of(transposed, q);
        memcpy(lmbi_row(rows, i + 4 * q), &row, sizeof(row));
    }
}
#endif

#if LMBI_LANES >= 4
/// Count of rows if they are contiguous, each `size` bytes, otherwise 0. Indices ascend; the last is
/// repeated if there are fewer rows than lanes.
LMBI_WIDE int lmbi_dense_rows(const lmbi_rows *rows, size_t size)
{
    const int first = rows->index[0], last = rows->index[LMBI_LANES - 1] - first;
    if (rows->stride != size || last >= LMBI_LANES || rows->index[last] != first + last) {
        return 0;
    }
    // Otherwise the repetition begins at an earlier lane.
    return last == 0 || rows->index[last - 1] == first + last - 1 ? last + 1 : 0;
}

/// Interleaves to x y z x y z …
LMBI_WIDE void lmbi_weave3(lmbi_wide x, lmbi_wide y, lmbi_wide z, lmbi_wide out[3])
{
#if LMBI_LANES == 4
    const lmbi_wide xy = __builtin_shufflevector(x, y, 0, 4, 1, 5),
                    xy1 = __builtin_shufflevector(x, y, 2, 6, 3, 7),
                    yz = __builtin_shufflevector(y, z, 1, 5, 2, 6);
    out[0] = __builtin_shufflevector(xy, __builtin_shufflevector(z, x, 0, 5, 0, 5), 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(yz, xy1, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(__builtin_shufflevector(z, x, 2, 7, 2, 7),
                                     __builtin_shufflevector(y, z, 3, 7, 3, 7), 0, 1, 4, 5);
#elif LMBI_LANES == 8
    const lmbi_wide xy[3] = {
        __builtin_shufflevector(__builtin_shufflevector(x, x, 0, 0, 0, 1, 0, 0, 2, 0),
                                __builtin_shufflevector(y, y, 0, 0, 0, 0, 1, 0, 0, 2), 0, 9, 2, 3,
                                12, 5, 6, 15),
        __builtin_shufflevector(__builtin_shufflevector(x, x, 0, 3, 0, 0, 4, 0, 0, 5),
                                __builtin_shufflevector(y, y, 0, 0, 3, 0, 0, 4, 0, 0), 0, 1, 10, 3,
                                4, 13, 6, 7),
        __builtin_shufflevector(__builtin_shufflevector(x, x, 0, 0, 6, 0, 0, 7, 0, 0),
                                __builtin_shufflevector(y, y, 5, 0, 0, 6, 0, 0, 7, 0), 8, 1, 2, 11,
                                4, 5, 14, 7)};
    out[0] = __builtin_shufflevector(xy[0], __builtin_shufflevector(z, z, 0, 0, 0, 0, 0, 1, 0, 0),
                                     0, 1, 10, 3, 4, 13, 6, 7);
    out[1] = __builtin_shufflevector(xy[1], __builtin_shufflevector(z, z, 2, 0, 0, 3, 0, 0, 4, 0),
                                     8, 1, 2, 11, 4, 5, 14, 7);
    out[2] = __builtin_shufflevector(xy[2], __builtin_shufflevector(z, z, 0, 5, 0, 0, 6, 0, 0, 7),
                                     0, 9, 2, 3, 12, 5, 6, 15);
#else
    const lmbi_wide xy[3] = {
        __builtin_shufflevector(x, y, 0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5),
        __builtin_shufflevector(x, y, 21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26),
        __builtin_shufflevector(x, y, 0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0)};
    out[0] =
        __builtin_shufflevector(xy[0], z, 0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15);
    out[1] =
        __builtin_shufflevector(xy[1], z, 0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15);
    out[2] =
        __builtin_shufflevector(xy[2], z, 26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31);
#endif
}

#if LMBI_LANES >= 8
/// Stores the first `count` floats of `part_count` registers.
LMBI_WIDE void lmbi_store_first(uint8_t *to, const lmbi_wide *parts, int part_count, int count)
{
    for (int i = 0; i < part_count; ++i) {
        const int left = count - i * LMBI_LANES;
        uint8_t *at = to + (size_t)i * sizeof(lmbi_wide);
#if LMBI_LANES == 16
        const uint32_t mask = left >= 16 ? 0xffff : (left > 0 ? (1u << left) - 1 : 0);
        _mm512_mask_storeu_ps(at, (__mmask16)mask, (__m512)parts[i]);
#else
        static const int32_t masks[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
        const int kept = left >= 8 ? 8 : (left > 0 ? left : 0);
        const __m256i mask = _mm256_loadu_si256((const void *)(masks + 8 - kept));
        _mm256_maskstore_ps((float *)(void *)at, mask, (__m256)parts[i]);
#endif
    }
}

/// Stores contiguous rows of four floats; each of the four registers holds one row of every quad.
LMBI_WIDE void lmbi_store_dense4(const lmbi_rows *rows, int count, const lmbi_wide r[4])
{
    lmbi_wide out[4];
#if LMBI_LANES == 16
    const lmbi_wide low01 = LMBI_QUADS(r[0], r[1], 0, 1, 0, 1),
                    low23 = LMBI_QUADS(r[2], r[3], 0, 1, 0, 1),
                    high01 = LMBI_QUADS(r[0], r[1], 2, 3, 2, 3),
                    high23 = LMBI_QUADS(r[2], r[3], 2, 3, 2, 3);
    out[0] = LMBI_QUADS(low01, low23, 0, 2, 0, 2);
    out[1] = LMBI_QUADS(low01, low23, 1, 3, 1, 3);
    out[2] = LMBI_QUADS(high01, high23, 0, 2, 0, 2);
    out[3] = LMBI_QUADS(high01, high23, 1, 3, 1, 3);
#else
    out[0] = __builtin_shufflevector(r[0], r[1], 0, 1, 2, 3, 8, 9, 10, 11);
    out[1] = __builtin_shufflevector(r[2], r[3], 0, 1, 2, 3, 8, 9, 10, 11);
    out[2] = __builtin_shufflevector(r[0], r[1], 4, 5, 6, 7, 12, 13, 14, 15);
    out[3] = __builtin_shufflevector(r[2], r[3], 4, 5, 6, 7, 12, 13, 14, 15);
#endif
    if (count == LMBI_LANES) {
        memcpy(lmbi_row(rows, 0), out, sizeof(out));
    } else {
        lmbi_store_first(lmbi_row(rows, 0), out, 4, 4 * count);
    }
}
#endif

/// Stores `count` contiguous rows of three floats; with four lanes `count` is always 4.
LMBI_WIDE void lmbi_store_dense3(const lmbi_rows *rows, int count, lmbi_wide x, lmbi_wide y,
                                 lmbi_wide z)
{
    lmbi_wide out[3];
    lmbi_weave3(x, y, z, out);
#if LMBI_LANES >= 8
    if (count < LMBI_LANES) {
        lmbi_store_first(lmbi_row(rows, 0), out, 3, 3 * count);
        return;
    }
#else
    (void)count;
#endif
    memcpy(lmbi_row(rows, 0), out, sizeof(out));
}
#endif

#if LMBI_LANES == 16
/// Four rows of three, one masked store each: `transposed` holds a row of each of the four quads.
LMBI_WIDE void lmbi_store_rows3(const lmbi_rows *rows, int lane, lmbi_wide transposed)
{
    for (int q = 0; q < 4; ++q) {
        _mm_mask_storeu_ps(lmbi_row(rows, lane + 4 * q), 7, (__m128)lmbi_quad_of(transposed, q));
    }
}

/// Half as many stores as lmbi_scatter3_quad needs.
LMBI_WIDE void lmbi_scatter3_masked(const lmbi_rows *rows, lmbi_wide x, lmbi_wide y, lmbi_wide z)
{
    const lmbi_wide low = __builtin_shufflevector(x, y, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25,
                                                  12, 28, 13, 29),
                    high = __builtin_shufflevector(x, y, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27,
                                                   14, 30, 15, 31);
    lmbi_store_rows3(
        rows, 0,
        __builtin_shufflevector(low, z, 0, 1, 16, 16, 4, 5, 20, 20, 8, 9, 24, 24, 12, 13, 28, 28));
    lmbi_store_rows3(rows, 1,
                     __builtin_shufflevector(low, z, 2, 3, 17, 17, 6, 7, 21, 21, 10, 11, 25, 25, 14,
                                             15, 29, 29));
    lmbi_store_rows3(
        rows, 2,
        __builtin_shufflevector(high, z, 0, 1, 18, 18, 4, 5, 22, 22, 8, 9, 26, 26, 12, 13, 30, 30));
    lmbi_store_rows3(rows, 3,
                     __builtin_shufflevector(high, z, 2, 3, 19, 19, 6, 7, 23, 23, 10, 11, 27, 27,
                                             14, 15, 31, 31));
}
#endif

LMBI_WIDE void lmbi_scatter3(const lmbi_rows *rows, lmbi_wide x, lmbi_wide y, lmbi_wide z)
{
#if LMBI_LANES == 1
    const float row[3] = {x[0], y[0], z[0]};
    memcpy(lmbi_row(rows, 0), row, sizeof(row));
#else
    const int dense = lmbi_dense_rows(rows, 3 * sizeof(float));
    if (dense == LMBI_LANES || (dense > 0 && LMBI_LANES >= 8)) {
        lmbi_store_dense3(rows, dense, x, y, z);
        return;
    }
#if LMBI_LANES == 16
    lmbi_scatter3_masked(rows, x, y, z);
#else
    lmbi_scatter3_quad(rows, 0, lmbi_quad_of(x, 0), lmbi_quad_of(y, 0), lmbi_quad_of(z, 0));
#if LMBI_LANES >= 8
    lmbi_scatter3_quad(rows, 4, lmbi_quad_of(x, 1), lmbi_quad_of(y, 1), lmbi_quad_of(z, 1));
#endif
#endif
#endif
}

LMBI_WIDE void lmbi_scatter4(const lmbi_rows *rows, lmbi_wide x, lmbi_wide y, lmbi_wide z,
                             lmbi_wide w)
{
#if LMBI_LANES == 1
    const float row[4] = {x[0], y[0], z[0], w[0]};
    memcpy(lmbi_row(rows, 0), row, sizeof(row));
#else
    const lmbi_wide xy0 = LMBI_LOW_PAIRS(x, y), xy1 = LMBI_HIGH_PAIRS(x, y),
                    zw0 = LMBI_LOW_PAIRS(z, w), zw1 = LMBI_HIGH_PAIRS(z, w);
    const lmbi_wide transposed[4] = {LMBI_LOW_HALVES(xy0, zw0), LMBI_HIGH_HALVES(xy0, zw0),
                                     LMBI_LOW_HALVES(xy1, zw1), LMBI_HIGH_HALVES(xy1, zw1)};
#if LMBI_LANES >= 8
    const int dense = lmbi_dense_rows(rows, 4 * sizeof(float));
    if (dense > 0) {
        lmbi_store_dense4(rows, dense, transposed);
        return;
    }
#endif
    for (int i = 0; i < 4; ++i) {
        lmbi_store_rows4(rows, i, transposed[i]);
    }
#endif
}

#if LMBI_LANES >= 4
/// Concatenates as many quads as the lanes hold.
LMBI_WIDE lmbi_wide lmbi_join(const lmbi_quad *q)
{
#if LMBI_LANES == 4
    return q[0];
#else
    typedef float eight __attribute__((vector_size(32)));
    const eight low = __builtin_shufflevector(q[0], q[1], 0, 1, 2, 3, 4, 5, 6, 7);
#if LMBI_LANES == 8
    return low;
#else
    const eight high = __builtin_shufflevector(q[2], q[3], 0, 1, 2, 3, 4, 5, 6, 7);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
#endif
}

LMBI_WIDE lmbi_quad lmbi_row4(const lmbi_rows *rows, int lane)
{
    lmbi_quad q;
    memcpy(&q, lmbi_row(rows, lane), sizeof(q));
    return q;
}

LMBI_WIDE lmbi_quad lmbi_row3(const lmbi_rows *rows, int lane)
{
    // As a pair and a single: compilers copy three floats through the stack.
    double xy;
    float z;
    memcpy(&xy, lmbi_row(rows, lane), sizeof(xy));
    memcpy(&z, lmbi_row(rows, lane) + sizeof(xy), sizeof(z));
    return __builtin_shufflevector((lmbi_quad)(lmbi_pair){xy, 0}, (lmbi_quad){z, 0, 0, 0}, 0, 1, 4,
                                   5);
}

/// Transposes four rows to four quads of x, y, z and w.
LMBI_WIDE void lmbi_transpose_quads(lmbi_quad a, lmbi_quad b, lmbi_quad c, lmbi_quad d,
                                    lmbi_quad out[4])
{
    const lmbi_quad ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5),
                    ab1 = __builtin_shufflevector(a, b, 2, 6, 3, 7),
                    cd0 = __builtin_shufflevector(c, d, 0, 4, 1, 5),
                    cd1 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    out[0] = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
    out[2] = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
    out[3] = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}
#endif

/// x, y and z of each row.
LMBI_WIDE void lmbi_gather3(const lmbi_rows *rows, lmbi_wide out[3])
{
#if LMBI_LANES == 1
    float row[3];
    memcpy(row, lmbi_row(rows, 0), sizeof(row));
    out[0] = (lmbi_wide){row[0]};
    out[1] = (lmbi_wide){row[1]};
    out[2] = (lmbi_wide){row[2]};
#else
    lmbi_quad x[LMBI_LANES / 4], y[LMBI_LANES / 4], z[LMBI_LANES / 4], transposed[4];
    for (int q = 0; q < LMBI_LANES / 4; ++q) {
        lmbi_transpose_quads(lmbi_row3(rows, 4 * q), lmbi_row3(rows, 4 * q + 1),
                             lmbi_row3(rows, 4 * q + 2), lmbi_row3(rows, 4 * q + 3), transposed);
        x[q] = transposed[0];
        y[q] = transposed[1];
        z[q] = transposed[2];
    }
    out[0] = lmbi_join(x);
    out[1] = lmbi_join(y);
    out[2] = lmbi_join(z);
#endif
}

/// x, y, z and w of each row.
LMBI_WIDE void lmbi_gather4(const lmbi_rows *rows, lmbi_wide out[4])
{
#if LMBI_LANES == 1
    float row[4];
    memcpy(row, lmbi_row(rows, 0), sizeof(row));
    for (int k = 0; k < 4; ++k) {
        out[k] = (lmbi_wide){row[k]};
    }
#else
    lmbi_quad x[LMBI_LANES / 4], y[LMBI_LANES / 4], z[LMBI_LANES / 4], w[LMBI_LANES / 4],
        transposed[4];
    for (int q = 0; q < LMBI_LANES / 4; ++q) {
        lmbi_transpose_quads(lmbi_row4(rows, 4 * q), lmbi_row4(rows, 4 * q + 1),
                             lmbi_row4(rows, 4 * q + 2), lmbi_row4(rows, 4 * q + 3), transposed);
        x[q] = transposed[0];
        y[q] = transposed[1];
        z[q] = transposed[2];
        w[q] = transposed[3];
    }
    out[0] = lmbi_join(x);
    out[1] = lmbi_join(y);
    out[2] = lmbi_join(z);
    out[3] = lmbi_join(w);
#endif
}

#endif
